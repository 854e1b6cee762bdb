import type { WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { CancelPending } from './changeStage.ts';
import type { LeadListParts } from './listing.ts';
import type { EraseLeads } from './removeLeads.ts';

/** What operators do about the wish of a person to get no more messages. */
export interface OptOutVerbs {
  /** Record that the person asked to stop (`stop`), or that a doubtful wish is none (`keep`). */
  readonly decide: (
    tx: Tx,
    change: { readonly leadId: number; readonly decision: 'stop' | 'keep'; readonly writing: WriteContext },
  ) => Promise<void>;
  readonly lift: (
    tx: Tx,
    change: { readonly leadId: number; readonly activate: boolean; readonly writing: WriteContext },
  ) => Promise<void>;
}

/** Functions of modules that depend on this one, injected by the app. */
export interface LeadDependencies {
  readonly cancelPending: CancelPending;
  readonly eraseLeads: EraseLeads;
  readonly optOuts: OptOutVerbs;
  /** Have what was moved for the hours of leads leave when it was to leave before. */
  readonly restoreMoved: (tx: Tx, where: { readonly leadIds: readonly number[] }) => Promise<void>;
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
