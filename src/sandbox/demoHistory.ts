/** A demo lead with its messages and the ids of its rows; and the rows of all leads by table. */
import type { DemoLead } from './demoContent.ts';
import type { StoryEvent } from './demoLeads/story.ts';
import type { DemoMessage, Instant } from './demoLeads/timeline.ts';
import type { ProductRows } from './demoProducts.ts';
import type { Row } from './demoTables.ts';

type Table =
  | 'leads'
  | 'contacts'
  | 'dialogues'
  | 'messages'
  | 'lead_events'
  | 'classification_results'
  | 'lead_documents'
  | 'hand_overs'
  | 'dialogue_notes';
/** Rows by table. */
export type Rows = Readonly<Record<Table, Row[]>>;

export interface LeadHistory {
  readonly product: ProductRows;
  readonly lead: DemoLead;
  readonly address: string;
  readonly messages: readonly DemoMessage[];
  readonly events: readonly StoryEvent[];
  readonly since: Instant;
  readonly now: Instant;
  readonly ids: { readonly lead: number; readonly contact: number; readonly dialogue: number };
  readonly messageIds: ReadonlyMap<DemoMessage, number>;
}

/** Return whether the message is part of the history: the lead's messages, and ours that were accepted. */
export function isInHistory({ status }: DemoMessage): boolean {
  return status === 'sent' || status === 'delivered' || status === 'read';
}

export const isOfLead = ({ who }: DemoMessage): boolean => who === 'lead';
