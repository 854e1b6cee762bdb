/** SQL of ignored items. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import { wakeSweep } from '../../platform/notifications.ts';
import { adoptableReasons, type IgnoredItem } from '../ignoredContract.ts';
import { INBOX_SWEEP } from './items.ts';

/** Longest excerpt of a text, characters. */
const EXCERPT = 200;

/** Read what was ignored on a channel, the newest first; nothing of one that is not of these companies (null: any). */
export async function readIgnoredItems(
  reader: Reader,
  query: {
    readonly channelId: number;
    readonly companies: readonly number[] | null;
    readonly reason: string | null;
    readonly before: number | null;
    readonly limit: number;
  },
): Promise<IgnoredItem[]> {
  const { rows } = await sql<IgnoredItem>`
    select i.id, i.channel_id, i.note as reason, i.chat_id, i.item->>'name' as sender_name, i.item->>'address' as address,
           coalesce(i.item->>'mediaKind', 'text') as kind, left(coalesce(i.item->>'text', ''), ${EXCERPT}::int) as text,
           i.note = any(${[...adoptableReasons]}::text[]) as can_become_lead, i.received_at
      from inbox i join channels h on h.id = i.channel_id
     where i.channel_id = ${query.channelId} and i.ignored_at is not null
       and (${query.companies === null} or h.company_id = any(${[...(query.companies ?? [])]}::bigint[]))
       and (${query.reason}::text is null or i.note = ${query.reason}) and (${query.before}::bigint is null or i.id < ${query.before})
     order by i.id desc limit ${query.limit}`.execute(reader);
  return rows;
}

/** Lock an ignored item. Returns its channel and reason; null if it is not ignored any more. */
export async function lockIgnoredItem(tx: Tx, id: number): Promise<{ channel_id: number; reason: string } | null> {
  const { rows } = await sql<{ channel_id: number; reason: string }>`
    select channel_id, note as reason from inbox where id = ${id} and ignored_at is not null for update`.execute(tx);
  return rows[0] ?? null;
}

/** Have an ignored item processed as a person's message. */
export async function adoptItem(tx: Tx, id: number): Promise<void> {
  wakeSweep(tx, INBOX_SWEEP);
  await sql`
    update inbox set item = item || '{"notPerson": null}', state = 'new', note = null, ignored_at = null, attempts = 0, retry_at = null
     where id = ${id}`.execute(tx);
}
