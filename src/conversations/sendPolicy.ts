/** Outreach's decision about messages that are about to leave. The app injects the policy. */
import { type Delivery, type DeliveryFact, hasLeft } from '../engine/rules/message.ts';
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
  readonly message: Pick<MessageRow, 'id' | 'product_id' | 'origin'>;
  /** Whether it may take a place in the day's quota, or give it back. */
  readonly changesQuota: boolean;
}

/** The vendor's outcome of a message. A certain rejection is `refused` if it may pass, `refusedForGood` if not. */
export type SettledOutcome = 'accepted' | 'unknown' | 'refused' | 'refusedForGood';

/** What became of a message by its last fact, for outreach. Of one that reports settled before, nobody knows whether its quota is used. */
export function settledAs(fact: DeliveryFact | undefined, after: Pick<Delivery, 'status'>): SettledOutcome {
  if (fact === 'postponed') return 'refused';
  if (fact === 'failed') return 'refusedForGood';
  return hasLeft(after) ? 'accepted' : 'unknown';
}

interface SettledMessage {
  readonly message: MessageRow;
  readonly outcome: SettledOutcome;
}

export interface SendPolicy {
  /** Load what the messages of these products are checked against. Runs in the claiming transaction. */
  loadCheck(tx: Tx, productIds: readonly number[]): Promise<SendCheck>;
  /**
   * Take a place in the day's quota for a first message that was refused temporarily, with its queue locked.
   * Null: it has one, and may leave.
   */
  reserveQuota(tx: Tx, message: MessageRow, leadId: number): Promise<SendBlock | null>;
  /** Lock the queues of products that messages share with others, before their leads and dialogues are locked. */
  lockQueues(tx: Tx, messages: readonly UnsettledMessage[]): Promise<void>;
  /** Record the vendors' outcomes of messages. The plans of their leads are evaluated afterwards. */
  afterSettle(tx: Tx, settled: readonly SettledMessage[]): Promise<void>;
  /**
   * Runs when the vendor accepted a message and later found no recipient; runs with the queue, the lead and the dialogue
   * locked, and the message in `error`.
   */
  recipientNotFound(tx: Tx, message: MessageRow, leadId: number): Promise<void>;
  /** Return which messages whose claims have ended may be sent again. */
  findRepeatable(tx: Tx, messages: readonly MessageRow[]): Promise<ReadonlySet<number>>;
}
