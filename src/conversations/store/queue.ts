/** SQL of texts that enter the outbox, many at once. */
import { type RawBuilder, sql } from 'kysely';
import type { ChannelType, ChannelVendor } from '../../channels/contract.ts';
import type { Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import type { MessageRow } from './tables.ts';

/** What the parts of a text and their times depend on. */
export interface QueueFacts {
  readonly product_id: number;
  readonly contact_id: number;
  readonly channel_id: number;
  readonly vendor: ChannelVendor;
  readonly channel_type: ChannelType;
  readonly delay_messages_symbols_per_second: number | null;
  readonly delay_messages_seconds: number | null;
  /**
   * The earliest time the text may leave: not before `notBefore`, and not between the parts of another text that has
   * begun to leave by then. Parts deferred to working hours do not count.
   */
  readonly start: string;
}

/** The facts of dialogue `d` for a text that leaves at `notBefore` or later, as JSON. */
export const queueFacts = (notBefore: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select json_build_object('product_id', d.product_id, 'contact_id', d.contact_id, 'channel_id', d.channel_id,
           'vendor', h.vendor, 'channel_type', h.channel_type,
           'delay_messages_symbols_per_second', l.delay_messages_symbols_per_second,
           'delay_messages_seconds', l.delay_messages_seconds,
           'start', greatest(s.at, (
             select max(w.scheduled_at) from messages w
              where w.dialogue_id = d.id and w.status = 'scheduled' and w.part_group is not null and w.originally_scheduled_at is null
                and (w.part_group = (select part_group from messages where id = d.last_bot_msg_id)
                     or exists (select 1 from messages b
                                 where b.dialogue_id = d.id and b.part_group = w.part_group
                                   and (b.status = 'sending'
                                        or (b.status = 'scheduled' and b.originally_scheduled_at is null and b.scheduled_at <= s.at)))))))
    from (select greatest(domain_now(), ${notBefore}::timestamptz) as at) as s
    join channels h on h.id = d.channel_id
    left join product_channels l on l.product_id = d.product_id and l.channel_id = d.channel_id)`;

/** Load the facts of texts, in their order. `notBefore`: ISO instant or null. */
export async function loadQueueFacts(
  tx: Tx,
  texts: readonly { readonly dialogueId: number; readonly notBefore: string | null }[],
): Promise<QueueFacts[]> {
  const { rows } = await sql<{ facts: QueueFacts }>`
    select ${queueFacts(sql`g.not_before`)} as facts
      from unnest(${idList(texts.map((one) => one.dialogueId))}, ${texts.map((one) => one.notBefore)}::timestamptz[])
             with ordinality as g (dialogue, not_before, position)
      join dialogues d on d.id = g.dialogue order by g.position`.execute(tx);
  if (rows.length < texts.length) throw new Error('A dialogue is gone');
  return rows.map(({ facts }) => facts);
}

/** Columns of a message that its caller chooses. */
const COLUMNS = `product_id bigint, contact_id bigint, dialogue_id bigint, channel_id bigint, message text, author text, operator text,
  client_key text, prompt_id bigint, prompt_name text, prompt_version int, model_vendor text, model_name text,
  prepared_message_id bigint, ping_config_id bigint, ping_step_number int, origin text, follow_up_anchor_id bigint,
  reply_on_msg_id bigint, rendered_prompt text, schedule_enabled boolean, debounce_guard boolean, turn int, part_group uuid,
  trace uuid, claimed_by uuid`;
const NAMES = COLUMNS.split(',')
  .map((column) => column.trim().split(' ')[0])
  .join(', ');

/** A part of a text. With `claimed_by`, that instance sends it at once. */
export type QueuedPart = Pick<
  MessageRow,
  | 'product_id'
  | 'contact_id'
  | 'dialogue_id'
  | 'channel_id'
  | 'message'
  | 'author'
  | 'operator'
  | 'client_key'
  | 'prompt_id'
  | 'prompt_name'
  | 'prompt_version'
  | 'model_vendor'
  | 'model_name'
  | 'prepared_message_id'
  | 'ping_config_id'
  | 'ping_step_number'
  | 'origin'
  | 'follow_up_anchor_id'
  | 'reply_on_msg_id'
  | 'rendered_prompt'
  | 'schedule_enabled'
  | 'debounce_guard'
  | 'turn'
  | 'part_group'
  | 'trace'
  | 'claimed_by'
> & { readonly start: string; readonly delay_seconds: number; readonly lease_seconds: number | null };

/** Store messages of ours and return their ids, in order. */
export async function insertQueuedParts(tx: Tx, parts: readonly QueuedPart[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with given as materialized (
      select nextval(pg_get_serial_sequence('messages', 'id')) as id, g.*
        from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb)
               as g (${sql.raw(COLUMNS)}, start timestamptz, delay_seconds float8, lease_seconds float8)
    ), inserted as (
      insert into messages (id, ${sql.raw(NAMES)}, side, status, scheduled_at, claimed_until, claimed_at, send_key_used_at, attempts)
      overriding system value
      select id, ${sql.raw(NAMES)}, 'bot', case when claimed_by is null then 'scheduled' else 'sending' end,
             start + make_interval(secs => delay_seconds), clock_timestamp() + make_interval(secs => lease_seconds),
             case when claimed_by is not null then clock_timestamp() end,
             case when claimed_by is not null then clock_timestamp() end, case when claimed_by is null then 0 else 1 end
        from given order by id
    )
    select id from given order by id`.execute(tx);
  return rows.map(({ id }) => id);
}
