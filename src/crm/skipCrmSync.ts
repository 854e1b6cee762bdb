import type { Tx } from '../platform/db.ts';
import { clearPendingStageOfLead } from './store/cards.ts';

/** What a lead was just moved to stays here: the CRM is not told. */
export const skipCrmSync = (tx: Tx, leadId: number): Promise<void> => clearPendingStageOfLead(tx, leadId);
