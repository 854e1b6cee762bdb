/** SQL of what is replayed: the answers of the bot in real dialogues, and dialogues with a known outcome. */
import { sql } from 'kysely';
import { CLASSIFIED_BY } from '../../conversations/classifyTurn.ts';
import type { Reader } from '../../platform/db.ts';

/** Statuses of messages that a model sees, as in `findHistory`. */
const SEEN = sql.raw(
  `m.status in ('inbound', 'sending', 'sent', 'delivered', 'read', 'unconfirmed') and m.deleted_at is null`,
);
/** An answer of the bot: neither a first message, a follow-up nor the sentence of a hand-over. */
const IS_ANSWER = sql.raw(`m.author = 'bot' and m.prompt_id is not null and m.origin is null`);

/** A message of a replayed dialogue. */
export interface ReplayedMessage {
  readonly id: number;
  readonly dialogue_id: number;
  readonly lead_id: number;
  readonly lead_name: string;
  readonly side: 'user' | 'bot';
  readonly text: string;
  readonly kind: string;
  /** Messages of one answer have the same; null: it is the only one. */
  readonly part_group: string | null;
  /** A prompt has written it as an answer to the lead. */
  readonly is_answer: boolean;
  /** The prompt that is replayed has, with the text that is live now and the same model. */
  readonly is_of_live: boolean;
}

interface Replayed {
  readonly promptId: number | null;
  readonly liveText: string | null;
  readonly model: { readonly vendor: string; readonly model: string };
}

/** Find the newest dialogues of a product with answers of a prompt; with answers of any, if it has none. */
export async function findDialoguesToReplay(
  reader: Reader,
  { productId, promptId, limit }: { productId: number; promptId: number | null; limit: number },
): Promise<number[]> {
  const find = async (condition: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ id: number }>`
      select d.id from dialogues d
       where d.product_id = ${productId}
         and exists (select from messages m where m.dialogue_id = d.id and ${SEEN} and ${IS_ANSWER} and ${condition})
       order by d.last_msg_created_at desc nulls last, d.id desc limit ${limit}`.execute(reader);
    return rows.map(({ id }) => id);
  };
  const own = await find(sql`m.prompt_id = ${promptId}`);
  return own.length > 0 ? own : find(sql`true`);
}

/** Return which of these dialogues are the product's. */
export async function findOwnDialogues(reader: Reader, productId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await reader
    .selectFrom('dialogues')
    .select('id')
    .where('product_id', '=', productId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Read the messages of dialogues as models see them, each dialogue in its order. */
export async function readReplayedMessages(
  reader: Reader,
  { promptId, liveText, model }: Replayed,
  dialogueIds: readonly number[],
): Promise<ReplayedMessage[]> {
  const { rows } = await sql<ReplayedMessage>`
    select m.id, m.dialogue_id, l.id as lead_id, l.name as lead_name, m.side, m.message as text, m.kind, m.part_group,
           ${IS_ANSWER} as is_answer,
           coalesce(m.prompt_id = ${promptId} and v.text = ${liveText} and m.model_vendor = ${model.vendor}
                    and m.model_name = ${model.model}, false) as is_of_live
      from messages m
      join contacts c on c.id = m.contact_id
      join leads l on l.id = c.lead_id
      left join prompt_versions v on v.prompt_id = m.prompt_id and v.version = m.prompt_version
     where m.dialogue_id = any(${[...dialogueIds]}::bigint[]) and ${SEEN}
     order by m.dialogue_id, m.thread_at, m.id`.execute(reader);
  return rows;
}

/** A dialogue whose lead has reached a final stage. */
export interface DialogueWithOutcome {
  readonly id: number;
  readonly lead_id: number;
  readonly lead_name: string;
  /** The newest message, from whose time the lead's facts are taken. */
  readonly last_message_id: number;
  readonly outcome: 'success' | 'refused' | 'failed';
  /** Whether stage detection has set it, so that agreeing with it proves nothing. */
  readonly is_detected: boolean;
}

/**
 * Find dialogues whose lead's newest attempt has ended in success, refusal or failure: those given, or the newest. Outcomes
 * that people or the CRM have set come first.
 */
export async function findDialoguesWithOutcome(
  reader: Reader,
  { productId, ids, limit }: { productId: number; ids: readonly number[] | null; limit: number },
): Promise<DialogueWithOutcome[]> {
  const { rows } = await sql<DialogueWithOutcome>`
    select d.id, l.id as lead_id, l.name as lead_name, m.id as last_message_id, o.outcome,
           coalesce(o.ended_by = ${CLASSIFIED_BY}, false) as is_detected
      from dialogues d
      join contacts c on c.id = d.contact_id
      join leads l on l.id = c.lead_id
      join lateral (select outcome, ended_by from outcomes where lead_id = l.id order by attempt desc limit 1) o on true
      join lateral (select m.id from messages m where m.dialogue_id = d.id and ${SEEN} order by m.thread_at desc, m.id desc limit 1) m
        on true
     where d.product_id = ${productId} and d.last_user_msg_id is not null and o.outcome in ('success', 'refused', 'failed')
       and ${ids === null ? sql`true` : sql`d.id = any(${[...ids]}::bigint[])`}
     order by is_detected, d.last_msg_created_at desc nulls last, d.id desc limit ${limit}`.execute(reader);
  return rows;
}
