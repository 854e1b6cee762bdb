/** Data that the parts of a simulated month share, and the world it runs in: in memory, or the engine with a database. */
import type { Rehearsal } from '../../outreach/rehearse.ts';
import type { Random } from '../../sandbox/random.ts';
import type { Era, SimulatedSettings } from './product.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const formatTime = (at: number): string => new Date(at).toISOString();

export interface Month {
  readonly seed: number;
  readonly leads: number;
  readonly days: number;
  /** No vendor fails: for a comparison, since pauses before a retry run on the real clock. */
  readonly steady?: boolean;
}

/** An event planned for an instant of the domain clock, in milliseconds. */
export interface PlannedEvent {
  readonly at: number;
  readonly what: string;
  run(): Promise<void>;
}

export const FAULTS = [
  'wazzup24.rate_limited',
  'wazzup24.fail_before',
  'wazzup24.lose_answer',
  'wazzup24.fail_after',
] as const;
export type Fault = (typeof FAULTS)[number];

type Messenger = 'whatsapp' | 'telegram';

export interface Arrival {
  readonly name: string;
  readonly messenger: Messenger;
  readonly zone: string | null;
  /** Another lead that is the same person. */
  readonly twinOf: number | null;
}

/** A message of the bot that left. */
export interface Row {
  readonly id: number;
  readonly lead: number;
  readonly dialogue: number;
  readonly type: Messenger;
  readonly origin: 'first' | 'ping' | null;
  readonly step: number | null;
  readonly anchor: number | null;
  readonly anchor_at: number | null;
  /** Creation time of its dialogue. */
  readonly begun_at: number;
  readonly at: number;
  readonly address: string;
}

/** A message of either side, in the order of the thread. */
export interface ThreadRow {
  readonly dialogue: number;
  readonly lead: number;
  readonly isFollowUp: boolean;
  readonly side: 'user' | 'bot';
  readonly at: number;
}

/** The present state of an active lead that outreach may concern. */
export interface LeadState {
  readonly lead: number;
  readonly stage: string;
  /** Whether there is any message. */
  readonly written: boolean;
  /** Whether the same person was written to as another lead. */
  readonly other: boolean;
  readonly eligible: number;
  readonly last_ours: boolean | null;
  readonly last_at: number | null;
  readonly last_status: string | null;
  readonly waiting: boolean;
  readonly human: boolean;
  readonly user_at: number | null;
  /** When the lead's last message was answered: our last message after it that is no follow-up. */
  readonly answered_at: number | null;
  readonly begun_at: number | null;
  readonly steps: number;
  /** When the last of these steps was sent. */
  readonly step_at: number | null;
  readonly why: string | null;
}

/** What actors do in a world, and what checks read of it. Leads are known by their ids. */
export interface SimulatedWorld {
  /** The domain clock, milliseconds since 1970. */
  now(): Promise<number>;
  /** The next due instant before `to`; null if there is none. */
  nextDue(to: number): Promise<number | null>;
  /** Move the clock to an instant. */
  jumpTo(at: number): Promise<void>;
  /** Process everything that is due. */
  settle(): Promise<void>;
  change(settings: SimulatedSettings): Promise<void>;
  arrive(arrival: Arrival): Promise<number>;
  write(lead: number, text: string): Promise<void>;
  /** Returns whether it was possible. */
  setOwner(lead: number, owner: 'bot' | 'human'): Promise<boolean>;
  deactivate(lead: number): Promise<boolean>;
  /** Let the vendor fail at the next sends. */
  fail(kind: Fault, times: number): Promise<void>;
  setChannelActive(type: Messenger, isActive: boolean): Promise<void>;
  /** Kill the worker at any point of its work and start another. */
  kill(): Promise<void>;
  /** Messages that have left since the last call. */
  newlySent(): Promise<readonly { readonly lead: number; readonly at: number }[]>;
  rows(): Promise<readonly Row[]>;
  thread(): Promise<readonly ThreadRow[]>;
  leadStates(): Promise<readonly LeadState[]>;
  /** How many messages of ours each phone has, and how many of them we know of, by address. */
  phones(): Promise<ReadonlyMap<string, { readonly onPhone: number; readonly stored: number }>>;
  /** Leads that have expired, and when. */
  expired(): Promise<readonly { readonly lead: number; readonly at: number }[]>;
  /** Rows of the ledger of outcomes that a recount has otherwise. */
  findLedgerDifferences(): Promise<readonly string[]>;
  rehearse(days: number): Promise<{ readonly from: number; readonly rehearsal: Rehearsal }>;
}

export interface Simulation {
  readonly world: SimulatedWorld;
  readonly random: Random;
  /** The product's own time zone, in which its days are counted. */
  readonly zone: string;
  readonly settings: SimulatedSettings;
  /** Settings with the instant each applies from. */
  readonly eras: Era[];
  readonly from: number;
  readonly to: number;
  readonly plan: (planned: PlannedEvent) => void;
}
