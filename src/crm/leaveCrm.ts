import type { Tx } from '../platform/db.ts';
import { dropWishOfLead } from './store/cards.ts';

/** What a lead was just moved to stays here: the CRM is not told. */
export const leaveCrm = (tx: Tx, leadId: number): Promise<void> => dropWishOfLead(tx, leadId);
