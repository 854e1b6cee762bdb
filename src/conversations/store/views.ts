/** Reads for the chat page and the live stream. */
import type pg from 'pg';
import { driverOf } from '../../channels/drivers.ts';
import type { Lead } from '../../leads/contract.ts';
import { leadListing } from '../../leads/listing.ts';
import type { LlmRun } from '../../llm/contract.ts';
import type { ListQuery } from '../../platform/crud.ts';
import { readList } from '../../platform/http/listQuery.ts';
import { prepared } from '../../platform/statements.ts';
import type { Dialogue, DialogueView, Message, ThreadPage } from '../contract.ts';
import { DIALOGUE_COLUMNS, DIALOGUE_TABLES, MESSAGE_COLUMNS, selectList } from './columns.ts';
import { readNewestHandOver } from './handOvers.ts';

/** Return messages by id as the API shows them, in the order of the conversation. */
export async function messagesByIds(pool: pg.Pool, ids: readonly number[]): Promise<Message[]> {
  const { rows } = await pool.query<Message>({
    ...prepared(
      `select ${selectList(MESSAGE_COLUMNS)} from messages t where t.id = any($1::bigint[]) and t.removed_at is null order by t.thread_at, t.id`,
    ),
    values: [ids],
  });
  return rows;
}

export async function dialoguesByIds(pool: pg.Pool, ids: readonly number[]): Promise<Dialogue[]> {
  const { rows } = await pool.query<Dialogue>({
    ...prepared(`select ${selectList(DIALOGUE_COLUMNS)} from ${DIALOGUE_TABLES} where t.id = any($1::bigint[])`),
    values: [ids],
  });
  return rows;
}

interface ThreadQuery {
  dialogueId: number;
  limit: number;
  before?: number | undefined;
  after?: number | undefined;
  around?: number | undefined;
}

/** Return one page of a thread, oldest first; null if the dialogue has no message `around`. */
export async function readThreadPage(
  pool: pg.Pool,
  { dialogueId, limit, before, after, around }: ThreadQuery,
): Promise<ThreadPage | null> {
  if (before !== undefined) {
    const { items, has_more } = await readOlder(pool, { dialogueId, before, limit });
    return { items, has_more, has_newer: true };
  }
  if (after !== undefined) {
    const { items, has_newer } = await readNewer(pool, { dialogueId, after, limit });
    return { items, has_more: true, has_newer };
  }
  const middle = around === undefined ? undefined : await findThreadMessage(pool, dialogueId, around);
  if (around !== undefined && middle === undefined) return null;
  // A scheduled message has no place among the others yet: it is read with the newest ones.
  if (middle === undefined || middle.status === 'scheduled') {
    const [{ items, has_more }, waiting] = await Promise.all([
      readOlder(pool, { dialogueId, before: undefined, limit }),
      readWaiting(pool, dialogueId),
    ]);
    return { items: [...items, ...waiting], has_more, has_newer: false };
  }
  const olderLimit = Math.floor(limit / 2);
  const [older, newer, waiting] = await Promise.all([
    readOlder(pool, { dialogueId, before: middle.id, limit: olderLimit }),
    readNewer(pool, { dialogueId, after: middle.id, limit: limit - olderLimit - 1 }),
    readWaiting(pool, dialogueId),
  ]);
  return {
    items: [...older.items, middle, ...newer.items, ...waiting],
    has_more: older.has_more,
    has_newer: newer.has_newer,
  };
}

const THREAD_MESSAGES = `select ${selectList(MESSAGE_COLUMNS)} from messages t where t.dialogue_id = $1 and t.removed_at is null`;
/** The place of the message $3. */
const PLACE = '(select thread_at, id from messages where id = $3 and dialogue_id = $1)';

async function readOlder(
  pool: pg.Pool,
  { dialogueId, before, limit }: { dialogueId: number; before: number | undefined; limit: number },
): Promise<{ items: Message[]; has_more: boolean }> {
  const condition = before === undefined ? '' : `and (t.thread_at, t.id) < ${PLACE}`;
  const { rows } = await pool.query<Message>({
    ...prepared(
      `${THREAD_MESSAGES} and t.status <> 'scheduled' ${condition} order by t.thread_at desc, t.id desc limit $2`,
    ),
    values: before === undefined ? [dialogueId, limit + 1] : [dialogueId, limit + 1, before],
  });
  return { items: rows.slice(0, limit).reverse(), has_more: rows.length > limit };
}

async function readNewer(
  pool: pg.Pool,
  { dialogueId, after, limit }: { dialogueId: number; after: number; limit: number },
): Promise<{ items: Message[]; has_newer: boolean }> {
  const { rows } = await pool.query<Message>({
    ...prepared(
      `${THREAD_MESSAGES} and t.status <> 'scheduled' and (t.thread_at, t.id) > ${PLACE} order by t.thread_at, t.id limit $2`,
    ),
    values: [dialogueId, limit + 1, after],
  });
  return { items: rows.slice(0, limit), has_newer: rows.length > limit };
}

async function readWaiting(pool: pg.Pool, dialogueId: number): Promise<Message[]> {
  const { rows } = await pool.query<Message>({
    ...prepared(`${THREAD_MESSAGES} and t.status = 'scheduled' order by t.scheduled_at, t.id limit 200`),
    values: [dialogueId],
  });
  return rows;
}

async function findThreadMessage(pool: pg.Pool, dialogueId: number, id: number): Promise<Message | undefined> {
  const { rows } = await pool.query<Message>({
    ...prepared(`${THREAD_MESSAGES} and t.id = $2`),
    values: [dialogueId, id],
  });
  return rows[0];
}

/** Return the lead of a dialogue as the API shows it. */
export async function readLeadOfDialogue(pool: pg.Pool, dialogueId: number): Promise<Lead | null> {
  const { rows } = await pool.query<Lead>({
    ...prepared(
      `select ${selectList(leadListing.select)}
         from dialogues d join contacts c on c.id = d.contact_id join leads t on t.id = c.lead_id where d.id = $1`,
    ),
    values: [dialogueId],
  });
  return rows[0] ?? null;
}

/** Return everything the chat page shows around the thread. */
export async function readDialogueView(pool: pg.Pool, dialogueId: number): Promise<DialogueView | null> {
  const [dialogue] = await dialoguesByIds(pool, [dialogueId]);
  const lead = await readLeadOfDialogue(pool, dialogueId);
  const { rows } = await pool.query<{
    contact: DialogueView['contact'];
    channel: Omit<DialogueView['channel'], 'reports_read' | 'text_limit' | 'markup'>;
    lead_timezone: string;
    bot_reads_notes: boolean;
  }>({
    ...prepared(
      `select jsonb_build_object('id', c.id, 'contact', c.contact, 'contact_type', c.contact_type) as contact,
              jsonb_build_object('id', h.id, 'name', h.name, 'vendor', h.vendor, 'channel_type', h.channel_type,
                                 'is_session_active', h.is_session_active, 'state', coalesce(a.key_rejected_reason, h.pause_reason, h.state)) as channel,
              coalesce((select l.timezone from leads l where l.id = c.lead_id),
                       (select s.timezone from schedules s where s.product_id = d.product_id), 'UTC') as lead_timezone,
              (select p.bot_reads_notes from products p where p.id = d.product_id) as bot_reads_notes
         from dialogues d join contacts c on c.id = d.contact_id join channels h on h.id = d.channel_id
         join vendor_accounts a on a.id = h.account_id where d.id = $1`,
    ),
    values: [dialogueId],
  });
  const [around] = rows;
  if (!dialogue || !lead || !around) return null;
  const driver = driverOf(around.channel.vendor);
  return {
    dialogue,
    lead,
    contact: around.contact,
    channel: {
      ...around.channel,
      reports_read: driver.reportsRead,
      text_limit: driver.textLimit(around.channel.channel_type),
      markup: driver.markupOf(around.channel.channel_type),
    },
    lead_timezone: around.lead_timezone,
    bot_reads_notes: around.bot_reads_notes,
    hand_over: await readNewestHandOver(pool, dialogueId),
  };
}

/** Return the model runs behind a message. */
export function readRunsOfMessage(
  pool: pg.Pool,
  messageId: number,
  query: ListQuery,
): Promise<{ items: LlmRun[]; total: number | null }> {
  return readList<LlmRun>(pool, {
    listing: {
      from: 'llm_runs t',
      select: {
        id: 't.id',
        created_at: 't.created_at',
        product_id: 't.product_id',
        message_id: 't.message_id',
        name: 't.name',
        model_name: 't.model_name',
        model_vendor: 't.model_vendor',
        execution_ms: 't.execution_ms',
        token_input_usage: 't.token_input_usage',
        token_output_usage: 't.token_output_usage',
        metadata: 't.metadata',
        error: 't.error',
        cost: 't.cost',
      },
      search: [],
      scopeCondition: null,
      id: 't.id',
    },
    query: { ...query, message_id: [messageId] },
    companies: null,
  });
}

/** Return the dialogue of a message, hidden or not; 0 if the row is gone. */
export async function findDialogueOfMessage(pool: pg.Pool, messageId: number): Promise<number> {
  const { rows } = await pool.query<{ dialogue_id: number }>({
    ...prepared('select dialogue_id from messages where id = $1'),
    values: [messageId],
  });
  return rows[0]?.dialogue_id ?? 0;
}
