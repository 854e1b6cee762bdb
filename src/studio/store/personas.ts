/** SQL of personas, and of the dialogues that they are made of and compared with. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { PRODUCT_SCOPE } from '../../products/product.ts';
import { type Persona, SMALL_SAMPLE } from '../personaContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    studio_personas: Row<'studio_personas', Pick<Persona, 'questions' | 'objections' | 'requirements'>>;
  }
}

export const PERSONA_SOURCE = {
  table: 'studio_personas',
  from: 'studio_personas t',
  select: {
    id: 't.id',
    product_id: 't.product_id',
    name: 't.name',
    style: 't.style',
    language: 't.language',
    goal: 't.goal',
    questions: 't.questions',
    objections: 't.objections',
    ending: 't.ending',
    requirements: 't.requirements',
    is_derived: 't.derived_from is not null',
    derived_from: 't.derived_from',
    is_small_sample: `coalesce(t.derived_from < ${SMALL_SAMPLE}, false)`,
    author: 't.author',
    created_at: 't.created_at',
    version: 't.revision',
  },
  search: ['t.name', 't.goal'],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

const COLUMNS = sql.raw(
  Object.entries(PERSONA_SOURCE.select)
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', '),
);

/** Read personas of a product by their ids, or all of them, in the order of their ids. */
export async function readPersonas(
  reader: Reader,
  { productId, ids, limit }: { productId: number; ids: readonly number[] | null; limit: number },
): Promise<Persona[]> {
  const { rows } = await sql<Persona>`
    select ${COLUMNS} from studio_personas t
     where t.product_id = ${productId} and (${ids}::bigint[] is null or t.id = any(${ids}::bigint[]))
     order by t.id limit ${limit}`.execute(reader);
  return rows;
}

export type NewPersona = Pick<Persona, 'name' | 'style' | 'language' | 'goal' | 'questions' | 'objections' | 'ending'>;

/** Store personas that were made of so many dialogues. */
export async function insertDerivedPersonas(
  tx: Tx,
  personas: readonly NewPersona[],
  { productId, dialogues, author }: { productId: number; dialogues: number; author: string },
): Promise<Persona[]> {
  const { rows } = await sql<Persona>`
    with t as (
      insert into studio_personas (product_id, name, style, language, goal, questions, objections, ending, derived_from, author)
      select ${productId}, p.name, p.style, p.language, p.goal, p.questions, p.objections, p.ending, ${dialogues}, ${author}
        from jsonb_to_recordset(${JSON.stringify(personas)}::jsonb) as p (
               name text, style text, language text, goal text, questions jsonb, objections jsonb, ending text)
      returning *)
    select ${COLUMNS} from t order by t.id`.execute(tx);
  return rows;
}

interface DialogueToLearnFrom {
  /** The lead's name and its address, which must not be kept. */
  readonly names: readonly string[];
  readonly messages: readonly { readonly side: 'user' | 'bot'; readonly text: string }[];
}

/** Turns of a lead from which on a dialogue says how somebody talks. */
const FEWEST_TURNS = 2;
const MESSAGES_OF_DIALOGUE = 24;
const LENGTH_OF_MESSAGE = 400;

/**
 * One dialogue in three is held out of the sample that personas are made of, for the comparison with simulated talks.
 * By the id, so that a dialogue is always on the same side.
 */
const HELD_OUT = sql`d.id % 3 = 0`;

/** Read a product's newest dialogues with several turns: those that personas are made of. */
export async function readDialoguesToLearnFrom(
  reader: Reader,
  productId: number,
  limit: number,
): Promise<DialogueToLearnFrom[]> {
  const { rows } = await sql<DialogueToLearnFrom>`
    select json_build_array(l.name, c.contact) as names,
           (select json_agg(json_build_object('side', m.side, 'text', left(m.message, ${LENGTH_OF_MESSAGE})) order by m.thread_at, m.id)
              from (select id, side, message, thread_at from messages
                     where dialogue_id = d.id and kind = 'text' and removed_at is null and deleted_at is null
                       and status in ('inbound', 'sent', 'delivered', 'read')
                     order by thread_at, id limit ${MESSAGES_OF_DIALOGUE}) as m) as messages
      from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
     where d.product_id = ${productId} and d.turn >= ${FEWEST_TURNS} and not (${HELD_OUT})
       and exists (select from messages m where m.dialogue_id = d.id and m.side = 'user' and m.kind = 'text' and m.removed_at is null and m.deleted_at is null)
     order by d.last_msg_created_at desc nulls last, d.id desc limit ${limit}`.execute(reader);
  return rows;
}

/** Read what leads wrote in the newest dialogues that are held out, a list for each. */
export async function readHeldOutTalks(reader: Reader, productId: number, limit: number): Promise<string[][]> {
  const { rows } = await sql<{ texts: string[] }>`
    select array(select left(m.message, ${LENGTH_OF_MESSAGE}) from messages m
                  where m.dialogue_id = d.id and m.side = 'user' and m.kind = 'text' and m.removed_at is null and m.deleted_at is null
                  order by m.thread_at, m.id limit ${MESSAGES_OF_DIALOGUE}) as texts
      from dialogues d
     where d.product_id = ${productId} and d.turn >= ${FEWEST_TURNS} and ${HELD_OUT}
     order by d.last_msg_created_at desc nulls last, d.id desc limit ${limit}`.execute(reader);
  return rows.map(({ texts }) => texts);
}

/** The words of a product's own prompts: what is an ordinary word there is not removed as somebody's name. */
export async function readWordsOfPrompts(reader: Reader, productId: number): Promise<string> {
  const { rows } = await sql<{ words: string | null }>`
    select string_agg(left(text, 20000), E'\n') as words from (
      select text from prompts where product_id = ${productId} order by id desc limit 20) as newest`.execute(reader);
  return rows[0]?.words ?? '';
}
