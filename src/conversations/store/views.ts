/** Reads for the chat page and the live stream. */
import type pg from 'pg';
import { driverOf } from '../../channels/drivers.ts';
import type { Lead } from '../../leads/contract.ts';
import type { LlmRun } from '../../llm/contract.ts';
import type { ListQuery } from '../../platform/crud.ts';
import { readList } from '../../platform/http/listQuery.ts';
import { prepared } from '../../platform/statements.ts';
import type { Dialogue, DialogueView, Message } from '../contract.ts';
import { DIALOGUE_COLUMNS, DIALOGUE_TABLES, MESSAGE_COLUMNS, selectList } from './columns.ts';

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

/** Return one page of a thread that ends before the message `before`, oldest first. */
export async function readThreadPage(
  pool: pg.Pool,
  { dialogueId, before, limit }: { dialogueId: number; before: number | undefined; limit: number },
): Promise<{ items: Message[]; has_more: boolean }> {
  const columns = selectList(MESSAGE_COLUMNS);
  const pageCondition =
    before === undefined
      ? ''
      : ' and (t.thread_at, t.id) < (select thread_at, id from messages where id = $3 and dialogue_id = $1)';
  const { rows } = await pool.query<Message>({
    ...prepared(
      `select ${columns} from messages t where t.dialogue_id = $1 and t.removed_at is null and t.status <> 'scheduled'${pageCondition}
        order by t.thread_at desc, t.id desc limit $2`,
    ),
    values: before === undefined ? [dialogueId, limit + 1] : [dialogueId, limit + 1, before],
  });
  const items = rows.slice(0, limit).reverse();
  if (before === undefined) {
    // Scheduled messages come last, whatever their time.
    const waiting = await pool.query<Message>({
      ...prepared(
        `select ${columns} from messages t where t.dialogue_id = $1 and t.removed_at is null and t.status = 'scheduled' order by t.scheduled_at, t.id limit 200`,
      ),
      values: [dialogueId],
    });
    items.push(...waiting.rows);
  }
  return { items, has_more: rows.length > limit };
}

/** Return the lead of a dialogue as the API shows it. */
export async function readLeadOfDialogue(pool: pg.Pool, dialogueId: number): Promise<Lead | null> {
  const { rows } = await pool.query<Lead>({
    ...prepared(
      `select l.id, l.product_id, l.name, l.crm_id, l.crm_fields, l.created_at, l.updated_at, l.recognized_deactivation_request,
              l.timezone, l.status, l.stage, l.is_active, l.crm_pending, l.revision as version
         from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id where d.id = $1`,
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
    channel: Omit<DialogueView['channel'], 'reports_read' | 'text_limit'>;
    lead_timezone: string;
  }>({
    ...prepared(
      `select jsonb_build_object('id', c.id, 'contact', c.contact, 'contact_type', c.contact_type) as contact,
              jsonb_build_object('id', h.id, 'name', h.name, 'vendor', h.vendor, 'channel_type', h.channel_type,
                                 'is_session_active', h.is_session_active, 'state', coalesce(a.key_rejected_reason, h.pause_reason, h.state)) as channel,
              coalesce((select l.timezone from leads l where l.id = c.lead_id),
                       (select s.timezone from schedules s where s.product_id = d.product_id), 'UTC') as lead_timezone
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
    },
    lead_timezone: around.lead_timezone,
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
