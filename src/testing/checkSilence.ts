/** The invariants that the bot is silent after a hand-over, a deactivation or an opt-out. */
import type pg from 'pg';

interface SentMessage {
  readonly id: number;
  readonly dialogue_id: number;
  readonly message: string;
  readonly author: string;
  readonly origin: string | null;
  readonly created: number;
  readonly claimed: number | null;
  /** Whether it answers a message of the lead. */
  readonly answers: boolean;
}

interface Silence {
  readonly dialogue_id: number;
  /** Milliseconds since 1970, domain clock. */
  readonly at: number;
}

export interface Silences {
  readonly deactivations: readonly Silence[];
  /** When people asked for no more messages, in each dialogue that the company has with them. */
  readonly optOuts: readonly Silence[];
}

interface SilenceFacts extends Silences {
  readonly messages: readonly SentMessage[];
  readonly dialogues: readonly { readonly id: number; readonly owner: string; readonly owner_since: number | null }[];
}

const MS = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** Load when the bot was silenced. */
export async function loadSilences(pool: pg.Pool | pg.PoolClient): Promise<Silences> {
  const deactivations = await pool.query<Silence>(`
      select d.id::int as dialogue_id, max(${MS('e.created_at')}) as at
        from lead_events e join leads l on l.id = e.lead_id and not l.is_active
        join contacts c on c.lead_id = l.id join dialogues d on d.contact_id = c.id
       where e.event_type = 'deactivated'
         -- The answer in which the bot promises silence leaves after it.
         and e.event_data->>'opt_out' is distinct from 'promise' group by d.id`);
  const optOuts = await pool.query<Silence>(`
      select d.id::int as dialogue_id, max(${MS('o.since')}) as at
        from opt_outs o join contacts mine on mine.lead_id = o.lead_id
        join contacts c on c.address = mine.address join products p on p.id = c.product_id and p.company_id = o.company_id
        join dialogues d on d.contact_id = c.id
       where o.state = 'certain' and o.ended_at is null group by d.id`);
  return { deactivations: deactivations.rows, optOuts: optOuts.rows };
}

/**
 * 5: no message of the bot is claimed after a human took over the dialogue or the lead was deactivated. The sentence of
 * the bot's own hand-over is, as long as no human has written since.
 */
export function checkNothingSentAfterHandOver({ messages, dialogues, deactivations }: SilenceFacts): string[] {
  const since = new Map<number, number>();
  for (const one of dialogues)
    if (one.owner === 'human' && one.owner_since !== null) since.set(one.id, one.owner_since);
  const silencedAt = new Map<number, number>();
  for (const { dialogue_id, at } of deactivations) silencedAt.set(dialogue_id, at);
  const isByHuman = ({ author }: SentMessage) => author === 'operator' || author === 'phone';
  const endOf = (one: SentMessage): number => {
    const deactivatedAt = silencedAt.get(one.dialogue_id) ?? Number.POSITIVE_INFINITY;
    if (one.origin !== 'hand_over')
      return Math.min(deactivatedAt, since.get(one.dialogue_id) ?? Number.POSITIVE_INFINITY);
    const answers = messages.filter(
      (other) => other.dialogue_id === one.dialogue_id && isByHuman(other) && other.created > one.created,
    );
    return Math.min(deactivatedAt, ...answers.map(({ created }) => created));
  };
  return messages
    .filter((one) => one.author === 'bot' && (one.claimed ?? 0) > endOf(one))
    .map((one) => `5: message ${one.id} "${one.message}" was claimed after the bot had been silenced`);
}

/** 35: no message that answers nothing is claimed for a person who has asked for no more, in any product of the company. */
export function checkNothingUnsolicitedAfterOptOut({ messages, optOuts }: SilenceFacts): string[] {
  const since = new Map(optOuts.map(({ dialogue_id: id, at }) => [id, at]));
  return messages
    .filter(
      ({ author, answers, claimed, dialogue_id: id }) =>
        author === 'bot' && !answers && (claimed ?? 0) > (since.get(id) ?? Number.POSITIVE_INFINITY),
    )
    .map(({ id, message }) => `35: message ${id} "${message}" was claimed for a person who had asked for no more`);
}
