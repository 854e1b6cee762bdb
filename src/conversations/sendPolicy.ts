/** Outreach's decision about messages that are about to leave. The app injects the policy. */
import type { LeadRow } from '../leads/store.ts';
import type { Tx } from '../platform/db.ts';
import type { MessageRow } from './store/tables.ts';

export type SendBlock =
  | { readonly kind: 'cancel'; readonly reason: string }
  /** `until`: ISO instant on the domain clock. */
  | { readonly kind: 'wait'; readonly until: string; readonly reason: string };

/**
 * Return why a message must not leave now; null lets it leave. `quota`: a first message that must take its place in the
 * day's quota again, by `reserveQuota`.
 */
export type SendCheck = (due: SendFacts) => SendBlock | 'quota' | null;

/** What outreach's decision about a message depends on. */
export interface SendFacts {
  readonly message: Pick<
    MessageRow,
    'product_id' | 'author' | 'origin' | 'ping_step_number' | 'reply_on_msg_id' | 'schedule_enabled'
  >;
  readonly lead: Pick<LeadRow, 'stage' | 'timezone'>;
  /** The domain clock, milliseconds since 1970. */
  readonly now: number;
}

interface UnsettledMessage {
  readonly message: Pick<MessageRow, 'id' | 'product_id' | 'dialogue_id' | 'origin'>;
  readonly leadId: number;
  /** Whether it may take a place in the day's quota, or give it back. */
  readonly changesQuota: boolean;
}

/** The vendor's outcome of a message. A certain rejection is `refused` if it may pass, `refusedForGood` if not. */
export type SettledOutcome = 'accepted' | 'unknown' | 'refused' | 'refusedForGood';

/** What is locked to settle messages. */
export interface SettlementLocks {
  readonly leads: ReadonlyMap<number, LeadRow>;
  readonly dialogueIds: ReadonlySet<number>;
}

interface SettledMessage {
  readonly message: MessageRow;
  /** As it was locked by `beforeSettle`. */
  readonly lead: LeadRow | undefined;
  readonly outcome: SettledOutcome;
}

export interface SendPolicy {
  /** Load what the messages of these products are checked against. Runs in the claiming transaction. */
  loadCheck(tx: Tx, productIds: readonly number[]): Promise<SendCheck>;
  /**
   * Take a place in the day's quota for a first message that was refused temporarily, with the locks of `beforeSettle`.
   * Null: it has one, and may leave.
   */
  reserveQuota(tx: Tx, message: MessageRow, leadId: number): Promise<SendBlock | null>;
  /**
   * Lock the rows that messages share with others, then their leads, then their dialogues, before they are settled. Code
   * that holds these locks updates the leads' plans afterwards, so any other order can deadlock. With `skipsLocked`,
   * leads and dialogues that another transaction has locked are left out.
   */
  beforeSettle(
    tx: Tx,
    messages: readonly UnsettledMessage[],
    options?: { readonly skipsLocked: boolean },
  ): Promise<SettlementLocks>;
  /** Record the vendors' outcomes of messages, and have the plans of their leads evaluated. */
  afterSettle(tx: Tx, settled: readonly SettledMessage[]): Promise<void>;
  /**
   * Runs when the vendor accepted a message and later found no recipient; runs after `beforeSettle`, with the message
   * in `error`.
   */
  recipientNotFound(tx: Tx, message: MessageRow, leadId: number): Promise<void>;
  /** Return which messages whose claims have ended may be sent again. */
  findRepeatable(tx: Tx, messages: readonly MessageRow[]): Promise<ReadonlySet<number>>;
}
