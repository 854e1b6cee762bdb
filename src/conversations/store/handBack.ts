/** SQL of what the bot finds in a dialogue that it gets back. */
import { sql } from 'kysely';
import { kindsOfRole } from '../../channels/messageKindContract.ts';
import type { Stage } from '../../leads/contract.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import type { SilentCode } from '../noAnswer.ts';

/**
 * The lead's newest message in dialogue `d` that has no answer and is younger than 24 hours. What people have closed needs
 * none.
 */
const UNANSWERED = sql`
  select m.message from messages m
   where m.dialogue_id = d.id and m.side = 'user' and m.thread_at > domain_now() - interval '24 hours'
     and m.id > coalesce(d.closed_msg_id, 0)
     and m.kind <> 'system' and not m.is_sign and m.deleted_at is null
     and not exists (
       select 1 from messages o
        where o.dialogue_id = m.dialogue_id and o.side = 'bot' and o.thread_at > coalesce(m.restated_at, m.thread_at)
          and o.origin is distinct from 'hand_over'
          and o.status in ('sending', 'sent', 'delivered', 'read', 'unconfirmed', 'scheduled'))
   order by m.thread_at desc, m.id desc limit 1`;

/** Roles of kinds that only a human can see to, which are codes of `no_answer`. */
const SILENT_ROLES = ['call', 'order', 'payment', 'unreadable'] as const;

/** Why the bot does not answer the last message `m` of a lead who still waits. */
const SILENT = sql`case ${sql.join(
  SILENT_ROLES.map((role) => sql`when m.kind = any(${kindsOfRole(role)}::text[]) then ${sql.lit(role)}`),
  sql` `,
)} else 'late' end`;

/** Whether the last message is the lead's and younger than 24 hours. */
export async function isUnanswered(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select exists (${UNANSWERED}) as open from dialogues d where d.id = ${dialogueId}`.execute(tx);
  return rows[0]?.open ?? false;
}

/** Return why the bot does not answer the last message of a lead; null: it has written none. */
export async function readSilent(tx: Tx, dialogueId: number): Promise<SilentCode | null> {
  const { rows } = await sql<{ why: SilentCode }>`
    select ${SILENT} as why from dialogues d join messages m on m.id = d.last_user_msg_id where d.id = ${dialogueId}`.execute(
    tx,
  );
  return rows[0]?.why ?? null;
}

/** What decides what the bot does with a dialogue that it gets back. Instants are ms since 1970. */
export interface HandBackFacts {
  readonly product_id: number;
  /** What it would answer; null: nothing. */
  readonly unanswered: string | null;
  /** What the lead waits with and the bot does not answer, and why; null: nothing. */
  readonly silent: { readonly message: string; readonly why: SilentCode } | null;
  readonly lead: {
    readonly is_active: boolean;
    readonly recognized_deactivation_request: boolean;
    readonly stage: Stage;
    readonly timezone: string | null;
  };
  readonly now: number;
}

export async function readHandBackFacts(reader: Reader, dialogueId: number): Promise<HandBackFacts | null> {
  const { rows } = await sql<HandBackFacts>`
    select d.product_id, (${UNANSWERED}) as unanswered,
           (select jsonb_build_object('message', m.message, 'why', ${SILENT}) from messages m
             where m.id = d.last_user_msg_id and d.waiting_since is not null) as silent,
           jsonb_build_object('is_active', l.is_active, 'recognized_deactivation_request', l.recognized_deactivation_request,
                              'stage', l.stage, 'timezone', l.timezone) as lead,
           (extract(epoch from domain_now()) * 1000)::float8 as now
      from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
     where d.id = ${dialogueId}`.execute(reader);
  return rows[0] ?? null;
}
