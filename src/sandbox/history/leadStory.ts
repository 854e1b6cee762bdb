/** Everything that has happened to a lead of the demo's history. */
import type { ContactType, Stage } from '../../leads/contract.ts';
import type { Instant } from '../demoLeads/timeline.ts';
import type { Exposure } from './experiment.ts';
import type { Person } from './people.ts';
import type * as rates from './rates.ts';

export interface HistoryMessage {
  readonly at: Instant;
  readonly text: string;
  readonly author: 'lead' | 'bot' | 'operator';
  readonly operator: string | null;
  readonly origin: 'first' | 'ping' | 'hand_over' | null;
  readonly step: number | null;
  /** The prompt's version behind an answer of the bot. */
  readonly version: number | null;
  readonly status: 'inbound' | 'sent' | 'delivered' | 'read';
}

export interface HistoryEvent {
  readonly at: Instant;
  readonly type: 'stage_changed' | 'deactivated' | 'handed_over';
  readonly data: Readonly<Record<string, string>>;
}

export interface HistoryRun {
  readonly at: Instant;
  readonly purpose: 'chatbot' | 'classification' | 'ping';
  readonly model: (typeof rates.MODELS)[number];
}

export interface LeadStory {
  readonly person: Person;
  readonly messenger: ContactType;
  readonly source: rates.Source;
  /** The text that it was written to with first; null: it wrote first. */
  readonly text: rates.FirstText | null;
  readonly exposures: readonly Exposure[];
  readonly request: string;
  readonly createdAt: Instant;
  readonly stage: Stage;
  readonly hasOptedOut: boolean;
  readonly messages: readonly HistoryMessage[];
  readonly events: readonly HistoryEvent[];
  readonly runs: readonly HistoryRun[];
  readonly handOver: { readonly at: Instant; readonly reason: 'agrees_to_buy' | 'asked_for_human' } | null;
}
