import type { Tx } from '../platform/db.ts';
import { clearPendingStageOfLead } from './store/cards.ts';

/** Keep a lead's last stage change here: it is not written to the CRM. */
export const skipCrmSync = (tx: Tx, leadId: number): Promise<void> => clearPendingStageOfLead(tx, leadId);
