/** Every SQL statement about credentials and runs. */
import { sql } from 'kysely';
import type { Reader, Row, Tables, Tx } from '../platform/db.ts';
import type { LlmVendor } from '../products/contract.ts';
import type { CredentialTest } from './contract.ts';
import { COST, countRuns } from './store/budget.ts';
import { settled } from './store/reservations.ts';

/** What servers refuse, in their words: by model and parameter. */
export type Refused = Readonly<Record<string, Readonly<Record<string, string>>>>;

declare module '../platform/db.ts' {
  interface Tables {
    company_llms: Row<
      'company_llms',
      { vendor: LlmVendor; config: { base_url?: string }; refused: Refused; test: string }
    >;
    llm_runs: Row<'llm_runs', { metadata: string }>;
  }
}

export function activeCredential(
  reader: Reader,
  companyId: number,
  vendor: LlmVendor,
): Promise<{ id: number; api_key_sealed: string; config: { base_url?: string } } | undefined> {
  return reader
    .selectFrom('company_llms')
    .select(['id', 'api_key_sealed', 'config'])
    .where('company_id', '=', companyId)
    .where('vendor', '=', vendor)
    .where('is_active', '=', true)
    .executeTakeFirst();
}

/** List the base URLs that companies have entered, with the number of credentials of each. */
export async function listBaseUrls(reader: Reader): Promise<{ base_url: string; credentials: number }[]> {
  const { rows } = await sql<{ base_url: string; credentials: number }>`
    select config->>'base_url' as base_url, count(*)::int as credentials from company_llms
     where config->>'base_url' is not null group by 1 order by 1`.execute(reader);
  return rows;
}

export function credentialById(
  reader: Reader,
  id: number,
): Promise<
  | {
      id: number;
      company_id: number;
      vendor: LlmVendor;
      api_key_sealed: string;
      config: { base_url?: string };
      refused: Refused;
      revision: number;
    }
  | undefined
> {
  return reader
    .selectFrom('company_llms')
    .select(['id', 'company_id', 'vendor', 'api_key_sealed', 'config', 'refused', 'revision'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Store a credential; the key is encrypted bound to the row's own id. */
export async function insertCredential(
  tx: Tx,
  credential: { companyId: number; vendor: LlmVendor; config: { base_url?: string }; keyMask: string },
  encryptFor: (id: number) => string,
): Promise<number> {
  const id = await nextCredentialId(tx);
  await sql`insert into company_llms (id, company_id, vendor, api_key_sealed, key_mask, config) overriding system value
            values (${id}, ${credential.companyId}, ${credential.vendor}, ${encryptFor(id)}, ${credential.keyMask}, ${JSON.stringify(credential.config)})`.execute(
    tx,
  );
  return id;
}

/**
 * Store the result of a test, unless key, address or state were changed meanwhile. After a success, the trigger
 * `reevaluate` on this table replans outreach that waits for a working key.
 */
export async function saveTest(
  tx: Tx,
  { id, revision, test }: { id: number; revision: number; test: CredentialTest },
): Promise<void> {
  await sql`
    update company_llms set test = ${JSON.stringify(test)}::jsonb, tested_at = domain_now(),
                            worked_at = case when ${test.ok} then domain_now() else worked_at end
     where id = ${id} and revision = ${revision}`.execute(tx);
}

/** Forget what servers have refused under a credential: they may have changed. */
export async function clearRefused(tx: Tx, id: number): Promise<void> {
  await sql`update company_llms set refused = '{}' where id = ${id}`.execute(tx);
}

/** Remember which parameters of a model's requests its server refuses, beside those that are known. */
export async function saveRefused(
  reader: Reader,
  { id, model, refused }: { id: number; model: string; refused: Readonly<Record<string, string>> },
): Promise<void> {
  await sql`
    update company_llms
       set refused = refused || jsonb_build_object(${model}::text,
             coalesce(refused -> ${model}::text, '{}') || ${JSON.stringify(refused)}::jsonb)
     where id = ${id}`.execute(reader);
}

export type RunRow = Omit<Tables['llm_runs'], 'id' | 'created_at' | 'metadata' | 'cost' | 'lead_id' | 'attempt'> & {
  metadata: Record<string, unknown>;
  /** Reserved before the call, so that a run that may have been stored can be stored again; default: the next id. */
  id?: number;
  /** Default: the lead of the dialogue. */
  lead_id?: number | null;
  /** The budget that its call has reserved, to be settled with it. */
  reservations?: readonly number[];
};

export interface StoredRun {
  readonly id: number;
  /** US dollars; null: not known. */
  readonly cost: number | null;
}

/** The id of the next run, reserved: a row of its own is never given the same one. */
export const NEXT_RUN_ID = sql<number>`nextval(pg_get_serial_sequence('llm_runs', 'id'))`;

export async function nextRunId(reader: Reader): Promise<number> {
  const { rows } = await sql<{ id: number }>`select ${NEXT_RUN_ID} as id`.execute(reader);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('No id');
  return id;
}

/** Read a run that was stored before. */
export const readStoredRun = (reader: Reader, id: number): Promise<StoredRun> =>
  reader.selectFrom('llm_runs').select(['id', 'cost']).where('id', '=', id).executeTakeFirstOrThrow();

/**
 * Store runs with their costs, add them to their companies' spending of today, and settle what they had reserved, in one
 * statement. A run whose id is stored already is left out, and not counted again. Returns those that were stored.
 */
export async function insertRuns(tx: Reader, runs: readonly RunRow[]): Promise<StoredRun[]> {
  const reservations = runs.flatMap((run) => run.reservations ?? []);
  const { rows } = await sql<StoredRun>`
    with ${reservations.length === 0 ? sql`` : sql`${settled(reservations)},`} r as (
      select * from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb)
        as t (id bigint, product_id bigint, dialogue_id bigint, lead_id bigint, message_id bigint, purpose text, name text,
              model_vendor text, model_name text, execution_ms int, token_input_usage int, token_output_usage int,
              metadata jsonb, error text)
    ), made as (
      insert into llm_runs (id, product_id, dialogue_id, lead_id, message_id, purpose, name, model_vendor, model_name,
                            execution_ms, token_input_usage, token_output_usage, metadata, error, cost)
      overriding system value
      select coalesce(r.id, ${NEXT_RUN_ID}), r.product_id, r.dialogue_id, coalesce(r.lead_id, (
               select c.lead_id from dialogues d join contacts c on c.id = d.contact_id where d.id = r.dialogue_id)),
             r.message_id, r.purpose, r.name, r.model_vendor, r.model_name, r.execution_ms, r.token_input_usage,
             r.token_output_usage, r.metadata, r.error, ${COST} from r
      on conflict (id) do nothing returning *
    ), counted as (${countRuns('made')})
    select id, cost from made`.execute(tx);
  return rows;
}

export async function linkRun(tx: Tx, runId: number, messageId: number): Promise<void> {
  await sql`
    update llm_runs r set message_id = m.id, dialogue_id = coalesce(r.dialogue_id, m.dialogue_id),
           lead_id = coalesce(r.lead_id, c.lead_id)
      from messages m join contacts c on c.id = m.contact_id
     where r.id = ${runId} and m.id = ${messageId}`.execute(tx);
}

/** A run that wrote a text, with the prompt behind it. */
export interface WritingRun {
  readonly name: string;
  readonly model_vendor: string;
  readonly model_name: string;
  readonly prompt_id: number | null;
  readonly prompt_version: number | null;
  /** A message has come from it already. */
  readonly is_used: boolean;
}

/** Read a run of a dialogue that wrote a text; undefined if there is none. */
export async function readWritingRun(
  reader: Reader,
  { runId, dialogueId }: { runId: number; dialogueId: number },
): Promise<WritingRun | undefined> {
  const { rows } = await sql<WritingRun>`
    select r.name, r.model_vendor, r.model_name, p.id as prompt_id, (r.metadata ->> 'prompt_version')::int as prompt_version,
           r.message_id is not null as is_used
      from llm_runs r left join prompts p on p.id = (r.metadata ->> 'prompt_id')::bigint and p.product_id = r.product_id
     where r.id = ${runId} and r.dialogue_id = ${dialogueId} and r.purpose = 'chatbot' and r.error is null`.execute(
    reader,
  );
  return rows[0];
}

/** Reserve the id of the next credential: its key is encrypted bound to it before the insert. */
export async function nextCredentialId(tx: Tx): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`select nextval(pg_get_serial_sequence('company_llms', 'id')) as id`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('No id');
  return id;
}

/** Check whether another credential of the company and vendor is active. */
export async function hasActiveCredential(
  tx: Tx,
  { companyId, vendor, self }: { companyId: number; vendor: string; self: number | null },
): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from company_llms where company_id = ${companyId} and vendor = ${vendor} and is_active
                      and id is distinct from ${self}::bigint) as there`.execute(tx);
  return rows[0]?.there ?? false;
}
