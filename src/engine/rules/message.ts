/**
 * A message of ours as a value. Instants are milliseconds since 1970: on the domain clock, or on the real clock where a
 * comment says so.
 */

export type DeliveryStatus =
  | 'scheduled'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'read'
  | 'error'
  | 'cancelled'
  | 'unconfirmed';

/** A message of ours, by the names of its columns. */
export interface Delivery {
  readonly status: DeliveryStatus;
  readonly origin: 'first' | 'ping' | 'hand_over' | null;
  readonly author: string;
  /** The parts of one text have the same. */
  readonly part_group: string | null;
  /** Its first line, as lists show it. */
  readonly preview: string;
  readonly created_at: number;
  readonly thread_at: number;
  readonly scheduled_at: number | null;
  /** When it was to leave before it was moved to other hours. */
  readonly originally_scheduled_at: number | null;
  readonly sent_at: number | null;
  readonly sent_confirmation_at: number | null;
  readonly read_at: number | null;
  readonly removed_at: number | null;
  readonly reason: string | null;
  readonly error_code: string | null;
  /** The vendor's id of the present try, and those of tries before it. */
  readonly ext_id: string | null;
  readonly previous_ext_ids: readonly string[];
  readonly send_key: string;
  /** Real clock, like all times of sending below. */
  readonly send_key_used_at: number | null;
  readonly attempts: number;
  readonly retry_count: number;
  readonly retry_at: number | null;
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
  /** When everything was last checked that it depends on. */
  readonly claimed_at: number | null;
  /** Since when nobody knows whether a try has arrived. It may be scheduled again. */
  readonly unconfirmed_at: number | null;
  /** When the vendor is asked for the status. */
  readonly status_due_at: number | null;
  /** The vendor found nobody at the address, which is not settled yet. */
  readonly recipient_not_found: boolean;
  /** Whether it keeps to the hours of its product. */
  readonly schedule_enabled: boolean;
  readonly debounce_guard: boolean;
  /** What it answers, and which step of a sequence it is. */
  readonly reply_on_msg_id: number | null;
  readonly ping_step_number: number | null;
  readonly turn: number | null;
}

/** Milliseconds since 1970 on both clocks. */
export interface Now {
  readonly domain: number;
  readonly real: number;
}

/** What has happened to a message. */
export type DeliveryFact =
  | 'left'
  | 'confirmed'
  | 'failed'
  | 'lost'
  | 'postponed'
  | 'identified'
  | 'requeued'
  | 'claimed'
  | 'moved'
  | 'noted'
  | 'cancelled'
  | 'removed';

/** Why an event changes nothing: the message is in a state in which it means nothing, or another instance sends it. */
export type DeliveryRefusal = 'no_change' | 'not_ours';

export type DeliveryDecision =
  | { readonly fact: DeliveryFact; readonly changes: Partial<Delivery> }
  | { readonly refused: DeliveryRefusal };

/**
 * Whether nobody knows yet if a try has arrived: it is under way, or its answer was lost. It may have been scheduled again
 * under the same key.
 */
export function mayHaveArrived({
  status,
  unconfirmed_at: since,
}: Pick<Delivery, 'status' | 'unconfirmed_at'>): boolean {
  return status === 'sending' || status === 'unconfirmed' || (status === 'scheduled' && since !== null);
}

/** Whether the vendor has it. */
export const hasLeft = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'sent' || status === 'delivered' || status === 'read';
