/** What the list of leads shows of their conversations, and filters by. The lead is `t`. */
import type { LeadListParts } from '../../leads/listing.ts';

const DIALOGUES = `from contacts c join dialogues d on d.contact_id = c.id
  where c.lead_id = t.id and c.product_id = t.product_id and d.product_id = t.product_id and d.last_msg_created_at is not null`;

/** Select from the dialogue with the newest message. */
const newest = (column: string): string =>
  `(select ${column} ${DIALOGUES} order by d.last_msg_created_at desc, d.id desc limit 1)`;

/** The newest message in any dialogue of the lead. */
export const LAST_MESSAGE = {
  last_message: newest("coalesce(d.last_message, '')"),
  last_message_at: newest('d.last_msg_created_at'),
  last_message_by: newest("case when d.last_user_msg_at = d.last_msg_created_at then 'lead' else 'us' end"),
};

/** In each of these forms PostgreSQL reads the dialogues of a product once, not those of each lead. */
const withDialogue = (condition: string): string => `exists (select 1 ${DIALOGUES} and ${condition})`;
const BY: Readonly<Record<string, string>> = {
  lead: withDialogue('d.last_user_msg_at = d.last_msg_created_at'),
  us: withDialogue('d.last_user_msg_at is distinct from d.last_msg_created_at'),
  none: `not ${withDialogue('true')}`,
};

/** Filters by the last message: who wrote it in one of the lead's dialogues, and when. */
export const lastMessageConditions: LeadListParts['conditionsOf'] = {
  last_message_by: ({ values }) => `(${values.map((value) => BY[String(value)] ?? 'false').join(' or ')})`,
  last_message_from: ({ values: [day], bind, dayStart }) =>
    withDialogue(`d.last_msg_created_at >= to_timestamp(${bind(dayStart(String(day), 0))}::float8)`),
  last_message_to: ({ values: [day], bind, dayStart }) =>
    withDialogue(`d.last_msg_created_at < to_timestamp(${bind(dayStart(String(day), 1))}::float8)`),
};
