import type { Reader, Tx } from '../platform/db.ts';
import type { CancelPending } from './changeStage.ts';
import type { LeadListParts } from './listing.ts';
import type { EraseLeads } from './removeLeads.ts';

/** Functions of modules that depend on this one, injected by the app. */
export interface LeadDependencies {
  readonly cancelPending: CancelPending;
  readonly eraseLeads: EraseLeads;
  /** Keep a stage change out of the CRM. */
  readonly skipCrmSync: (tx: Tx, leadId: number) => Promise<void>;
  readonly countConversations: (
    reader: Reader,
    leadIds: readonly number[],
  ) => Promise<{ dialogues: number; messages: number; waiting: number }>;
  /** Columns and filters of the list that read other modules' tables. */
  readonly listParts: LeadListParts;
  /** Return those of the leads that have a dialogue. */
  readonly findLeadsWithConversation: (reader: Reader, leadIds: readonly number[]) => Promise<number[]>;
}
