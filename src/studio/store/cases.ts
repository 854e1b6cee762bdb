/** SQL of test cases, and of what is known about a conversation at an earlier time. */
import { sql } from 'kysely';
import type { Reader, Row, Tables } from '../../platform/db.ts';
import { PRODUCT_SCOPE } from '../../products/product.ts';
import type { CaseFacts, CaseSource, Requirement, StudioCase } from '../caseContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    studio_cases: Row<
      'studio_cases',
      {
        prompt_type: StudioCase['prompt_type'];
        source: CaseSource;
        history: StudioCase['history'];
        facts: CaseFacts;
        requirements: Requirement[];
      }
    >;
  }
}

const own = (fields: readonly (keyof Tables['studio_cases'])[]): Record<string, string> =>
  Object.fromEntries(fields.map((field) => [field, `t.${field}`]));

export const CASE_SOURCE = {
  table: 'studio_cases',
  from: 'studio_cases t',
  select: {
    message_id: '(select m.id from messages m where m.id = t.message_id)',
    ...own(['id', 'product_id', 'prompt_id', 'prompt_type', 'name', 'source', 'dialogue_id', 'lead_id']),
    ...own(['history', 'facts', 'answer', 'requirements', 'rubric', 'is_enabled', 'author', 'created_at']),
    version: 't.revision',
  },
  search: ['t.name', 't.answer', 't.rubric'],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

const COLUMNS = sql.raw(
  Object.entries(CASE_SOURCE.select)
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', '),
);

/** Read the cases that a gate of a prompt runs: these, of the same type, or all that are enabled for it; by their ids. */
export async function readCasesOfPrompt(
  reader: Reader,
  prompt: { productId: number; id: number | null; type: string },
  ids: readonly number[] | null,
): Promise<StudioCase[]> {
  const { rows } = await sql<StudioCase>`
    select ${COLUMNS} from studio_cases t
     where t.product_id = ${prompt.productId} and t.prompt_type = ${prompt.type}
       and ${ids === null ? sql`t.is_enabled and (t.prompt_id is null or t.prompt_id = ${prompt.id})` : sql`t.id = any(${[...ids]}::bigint[])`}
     order by t.id`.execute(reader);
  return rows;
}

/** What is known about the time when a message was written. */
interface EarlierFacts {
  readonly lead_name: string;
  readonly crm_fields: CaseFacts['lead']['crm_fields'];
  /** By the events of the lead. */
  readonly stage: CaseFacts['lead']['stage'];
  readonly contact: string;
  readonly contact_type: CaseFacts['contact']['type'];
  /** The newest of each type at that time. */
  readonly documents: Readonly<Record<string, string>> | null;
  /** A document of that time was changed since. */
  readonly documents_changed: boolean;
  readonly texts: CaseFacts['texts'] | null;
  /** Name, group or description of a text were changed, maybe since. */
  readonly texts_changed: boolean;
  /** Those that the product lets its models read. */
  readonly notes: CaseFacts['notes'] | null;
  readonly may_hand_over: boolean;
}

/** Longest text of a document that a template gets, as for `readNewestDocuments`. */
const MAX_DOCUMENT = 50_000;

/** Read what is known about the time of a message: documents, texts and notes that existed, and the stage by its events. */
export async function readEarlierFacts(reader: Reader, messageId: number): Promise<EarlierFacts | undefined> {
  const { rows } = await sql<EarlierFacts>`
    with asked as (
      select m.id, m.product_id, m.dialogue_id, m.turn, m.origin, m.created_at as at, c.lead_id, c.contact, c.contact_type
        from messages m join contacts c on c.id = m.contact_id where m.id = ${messageId}
    ), documents as (
      select distinct on (d.type) d.type, left(d.document->>'text_data', ${MAX_DOCUMENT}) as text, d.revision
        from lead_documents d join asked on asked.lead_id = d.lead_id where d.created_at <= asked.at order by d.type, d.id desc
    ), texts as (
      select p.id, p.name, v.version, p.rag_description as description, v.text, p.revision <> p.version as is_changed
        from asked join prompts p on p.product_id = asked.product_id
        join lateral (select version, text from prompt_versions v where v.prompt_id = p.id and v.created_at <= asked.at
                       order by version desc limit 1) v on true
       where p.group_id is not null and btrim(p.rag_description) <> ''
    )
    select l.name as lead_name, l.crm_fields, asked.contact, asked.contact_type,
           coalesce((select e.event_data->>'to' from lead_events e where e.lead_id = l.id and e.event_type = 'stage_changed'
                        and e.created_at <= asked.at order by e.id desc limit 1),
                    (select e.event_data->>'from' from lead_events e where e.lead_id = l.id and e.event_type = 'stage_changed'
                        and e.created_at > asked.at order by e.id limit 1), l.stage) as stage,
           (select json_object_agg(type, text) from documents) as documents,
           coalesce((select bool_or(revision > 1) from documents), false) as documents_changed,
           (select json_agg(json_build_object('id', id, 'name', name, 'version', version, 'description', description, 'text', text) order by id)
              from texts) as texts,
           coalesce((select bool_or(is_changed) from texts), false) as texts_changed,
           case when p.bot_reads_notes then
             (select json_agg(json_build_object('operator', n.operator, 'text', n.text) order by n.id)
                from dialogue_notes n where n.dialogue_id = asked.dialogue_id and n.created_at <= asked.at) end as notes,
           -- The sentence of a hand-over is stored with it: the model could hand over, since it did.
           p.hand_over and (asked.origin = 'hand_over' or not exists (
             select from hand_overs h where h.dialogue_id = asked.dialogue_id and h.turn = asked.turn
                and h.created_at <= asked.at)) as may_hand_over
      from asked join leads l on l.id = asked.lead_id join products p on p.id = asked.product_id`.execute(reader);
  return rows[0];
}
