/** The API's columns of dialogues and messages, shared by lists, threads and the live stream. */
import { OWNER_REASONS } from '../../leads/lead.ts';

export const MESSAGE_COLUMNS: Readonly<Record<string, string>> = {
  id: 't.id',
  product_id: 't.product_id',
  contact_id: 't.contact_id',
  dialogue_id: 't.dialogue_id',
  // A subquery instead of a join: it runs for the rows of the page only, and order, limit and count read messages
  // alone.
  lead_name: '(select l.name from contacts c join leads l on l.id = c.lead_id where c.id = t.contact_id)',
  message: 't.message',
  side: 't.side',
  author: 't.author',
  operator: 't.operator',
  status: 't.status',
  sent: "(t.status in ('sent', 'delivered', 'read'))",
  is_failed: "(t.status = 'error')",
  reason: 't.reason',
  error_code: 't.error_code',
  created_at: 't.created_at',
  thread_at: 't.thread_at',
  scheduled_at: 't.scheduled_at',
  sent_at: 't.sent_at',
  sent_confirmation_at: 't.sent_confirmation_at',
  read_at: 't.read_at',
  retry_count: 't.retry_count',
  ext_id: 't.ext_id',
  client_key: 't.client_key',
  prompt_id: 't.prompt_id',
  prompt_name: 't.prompt_name',
  prompt_version: 't.prompt_version',
  model_vendor: 't.model_vendor',
  model_name: 't.model_name',
  prepared_message_id: 't.prepared_message_id',
  ping_config_id: 't.ping_config_id',
  ping_step_number: 't.ping_step_number',
  origin: 't.origin',
  reply_on_msg_id: 't.reply_on_msg_id',
  rendered_prompt: 't.rendered_prompt',
  kind: 't.kind',
  media_url: 't.media_url',
  edited_at: 't.edited_at',
  earlier_texts: 't.earlier_texts',
  deleted_at: 't.deleted_at',
  refers_to: `case when t.refers_to_ext_id is not null then (
    select json_build_object('id', q.id, 'text', left(q.message, 140)) from messages q
     where q.channel_id = t.channel_id and q.ext_id = t.refers_to_ext_id and q.dialogue_id = t.dialogue_id and q.removed_at is null) end`,
  trace: 't.trace',
};

/** An instant inside JSON, as the API writes instants. */
const isoText = (expression: string): string =>
  `to_char((${expression}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Select a column of the last message that failed, for dialogues in which nothing was sent or received yet. */
const lastFailedMessage = (column: string): string =>
  `(select ${column} from messages m where m.dialogue_id = t.id and m.removed_at is null
      and m.status in ('error', 'unconfirmed') order by m.thread_at desc, m.id desc limit 1)`;

/** The sentence for why a turn could not be answered. */
const NO_ANSWER = `case t.no_answer
  when 'no_prompt' then 'No answer: the product has no prompt'
  when 'template' then 'No answer: the prompt cannot be rendered: ' || t.no_answer_detail
  when 'budget' then 'No answer: ' || t.no_answer_detail
  when 'model' then 'No answer: ' || t.no_answer_detail
  when 'inactive' then 'No answer: the lead was deactivated'
  when 'opted_out' then 'No answer: the lead had opted out'
  when 'product_off' then 'No answer: the product was switched off'
  when 'late' then 'No answer: the message is more than a day old'
  when 'call' then 'No answer: the lead called'
  when 'order' then 'No answer: the lead placed an order'
  when 'payment' then 'No answer: the lead sent a payment'
  when 'unreadable' then 'No answer: the message cannot be shown here. Look at the phone'
  when 'stage' then 'No answer: the lead was in stage ' || t.no_answer_detail end`;

/** The sentence for why the lead's last message needs no answer, while nothing of ours has come after it. */
const QUIET_REASON = `case when t.turn_due_at is null and not coalesce(
    (select b.thread_at > t.last_user_msg_at from messages b where b.id = t.last_bot_msg_id), false) then case t.quiet_reason
  when 'closing' then 'No answer needed: the lead only ended the conversation politely'
  when 'reaction' then 'No answer needed: the lead only reacted'
  when 'deleted' then 'No answer needed: the lead deleted the message' end end`;

const OWNER_REASON = `case t.owner_reason ${Object.entries(OWNER_REASONS)
  .map(([code, text]) => `when '${code}' then replace('${text}', '{detail}', coalesce(t.owner_reason_detail, ''))`)
  .join(' ')} end`;

export const DIALOGUE_COLUMNS: Readonly<Record<string, string>> = {
  id: 't.id',
  product_id: 't.product_id',
  contact_id: 't.contact_id',
  channel_id: 't.channel_id',
  chat_id: 't.chat_id',
  last_user_msg_id: 't.last_user_msg_id',
  last_user_msg_at: 't.last_user_msg_at',
  last_bot_msg_id: 't.last_bot_msg_id',
  last_msg_created_at: 't.last_msg_created_at',
  skip_ping_for_msg_id: 't.skip_ping_for_msg_id',
  is_main: 't.is_main',
  created_at: 't.created_at',
  version: 't.revision',
  owner: 't.owner',
  owner_reason: OWNER_REASON,
  owner_reason_code: 't.owner_reason',
  owner_since: 't.owner_since',
  turn_due_at: 't.turn_due_at',
  no_answer: NO_ANSWER,
  quiet_reason: QUIET_REASON,
  lead_id: 'c.lead_id',
  lead_name: 'l.name',
  lead_stage: 'l.stage',
  lead_is_active: 'l.is_active',
  contact: 'c.contact',
  channel_name: 'h.name',
  last_message: `coalesce(t.last_message, ${lastFailedMessage("left(split_part(btrim(m.message, E' \\n\\r\\t'), E'\\n', 1), 140)")})`,
  last_message_trouble: `case when t.last_message is null then ${lastFailedMessage('m.status')} end`,
  attention: `case when t.attention is not null then json_build_object('state', t.attention, 'since', ${isoText('t.attention_since')},
    'due_at', ${isoText('t.attention_since + (select make_interval(mins => p.target_minutes) from products p where p.id = t.product_id)')}) end`,
  inbox_state: 't.inbox_state',
  inbox_at: 't.inbox_at',
  assignee_id: 't.assignee_id',
  assignee: '(select o.login from operators o where o.id = t.assignee_id)',
  snoozed_until: 't.snoozed_until',
  snoozed_until_reply: 't.snoozed_until_reply',
  done_at: 't.done_at',
  return_at: `case when t.owner = 'human' then t.human_at + make_interval(hours => nullif(
    coalesce(t.return_hours, (select p.return_to_bot_hours from products p where p.id = t.product_id)), 0)) end`,
};

export const DIALOGUE_TABLES =
  'dialogues t join contacts c on c.id = t.contact_id join leads l on l.id = c.lead_id join channels h on h.id = t.channel_id';

/** Build `expression as "field"` for each field. */
export const selectList = (select: Readonly<Record<string, string>>): string =>
  Object.entries(select)
    .map(([field, expression]) => `${expression} as "${field}"`)
    .join(', ');

/** The search text as words; the last one matches as a prefix, since it may still be being typed. */
const SEARCH_QUERY = "(nullif(plainto_tsquery('simple', $)::text, '') || ':*')::tsquery";
/** Messages on their way are left out: each change of their status would write their words to the index again. */
const MESSAGE_MATCHES = `to_tsvector('simple', m.message) @@ ${SEARCH_QUERY} and m.removed_at is null
  and m.status not in ('scheduled', 'sending')`;

/**
 * Matches dialogues with a message that has the words. Not correlated, so PostgreSQL reads it once, from its index.
 */
export const SEARCH_CONDITION = `t.id in (select m.dialogue_id from messages m where ${MESSAGE_MATCHES})`;

/** The newest matching message, cut to the words around the match. */
export const SEARCH_SNIPPET = `(select ts_headline('simple', m.message, ${SEARCH_QUERY}, 'StartSel="", StopSel="", MaxWords=16, MinWords=8')
   from messages m where m.dialogue_id = t.id and ${MESSAGE_MATCHES} order by m.thread_at desc, m.id desc limit 1)`;
