/** What outreach has to say about a message that is about to leave; handed in by the house. */
import type { Tx } from '../platform/db.ts';
import type { MessageRow } from './store/tables.ts';

export type SendBlock =
  | { readonly kind: 'cancel'; readonly reason: string }
  /** `until`: ISO instant on the domain clock. */
  | { readonly kind: 'wait'; readonly until: string; readonly reason: string };

export interface SendPolicy {
  /** In the claiming transaction: null lets it leave. For a first message this takes the day's slot. */
  check(tx: Tx, message: MessageRow, leadId: number): Promise<SendBlock | null>;
  /**
   * Before anything of a message that is to be settled is touched: what it shares with others is held first, then its
   * lead. Whoever holds those touches the lead's plan afterwards, so in another order the two would wait for each other.
   */
  beforeSettle(tx: Tx, message: MessageRow, leadId: number): Promise<void>;
  /** What the vendor said; a certain refusal is `refused` when it may pass, `refusedForGood` when not. */
  afterSettle(
    tx: Tx,
    message: MessageRow,
    leadId: number,
    outcome: 'accepted' | 'unknown' | 'refused' | 'refusedForGood',
  ): Promise<void>;
  /** The vendor had taken a message and found later that nobody is there; after `settling`, the message is `error`. */
  recipientNotFound(tx: Tx, message: MessageRow, leadId: number): Promise<void>;
  /** Whether a message in a dead life's hand may still be sent again. */
  canRepeat(tx: Tx, message: MessageRow): Promise<boolean>;
}
