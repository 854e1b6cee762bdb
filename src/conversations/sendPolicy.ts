/** Outreach's decision about a message that is about to leave. The app injects the policy. */
import type { Tx } from '../platform/db.ts';
import type { MessageRow } from './store/tables.ts';

export type SendBlock =
  | { readonly kind: 'cancel'; readonly reason: string }
  /** `until`: ISO instant on the domain clock. */
  | { readonly kind: 'wait'; readonly until: string; readonly reason: string };

export interface SendPolicy {
  /**
   * Runs in the claiming transaction; null lets the message leave. A first message takes its place in the day's quota
   * here.
   */
  check(tx: Tx, message: MessageRow, leadId: number): Promise<SendBlock | null>;
  /**
   * Runs before a message is settled. Locks the rows it shares with other messages, then its lead. Code that holds
   * these locks updates the lead's plan afterwards, so any other order can deadlock.
   */
  beforeSettle(tx: Tx, message: MessageRow, leadId: number): Promise<void>;
  /** Records the vendor's outcome. A certain rejection is `refused` if it may pass, `refusedForGood` if not. */
  afterSettle(
    tx: Tx,
    message: MessageRow,
    settled: { leadId: number; outcome: 'accepted' | 'unknown' | 'refused' | 'refusedForGood' },
  ): Promise<void>;
  /**
   * Runs when the vendor accepted a message and later found no recipient; runs after `beforeSettle`, with the message
   * in `error`.
   */
  recipientNotFound(tx: Tx, message: MessageRow, leadId: number): Promise<void>;
  /** Whether a message claimed by a dead instance may be sent again. */
  canRepeat(tx: Tx, message: MessageRow): Promise<boolean>;
}
