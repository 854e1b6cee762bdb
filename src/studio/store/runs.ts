/** SQL of runs of the studio, and of what they found. */
import { sql } from 'kysely';
import { IS_BUDGET_NEARLY_SPENT } from '../../llm/store/withinBudget.ts';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { PRODUCT_SCOPE } from '../../products/product.ts';
import type { PromptType } from '../../prompts/contract.ts';
import type { FinishedSubject, PlannedSubject, RunFacts, RunSettings, StoredResult, SubjectResult } from '../run.ts';
import type { RunKind, RunState, StudioResult, StudioRun } from '../runContract.ts';
import { insertSamples, type PricedSample } from './samples.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    studio_runs: Row<'studio_runs', { kind: RunKind; state: RunState; prompt_type: PromptType; settings: RunSettings }>;
    studio_subjects: Row<'studio_subjects', { kind: StudioResult['subject']['kind']; state: StudioResult['state'] }>;
  }
}

const own = (fields: readonly string[]): Record<string, string> =>
  Object.fromEntries(fields.map((field) => [field, `t.${field}`]));

const countSamples = (condition: string) =>
  `(select count(*) from studio_samples s where s.run_id = t.id and ${condition})`;

/** Why an open run makes no progress for now. */
const PAUSED = `case when t.finished_at is null and ${IS_BUDGET_NEARLY_SPENT}
  then 'Most of today’s model budget is spent. The run continues tomorrow.' end`;

/** Columns of a run as the API shows it, but its verdict, which is completed from its subjects. */
export const RUN_SOURCE = {
  table: 'studio_runs',
  from: 'studio_runs t join products p on p.id = t.product_id join companies c on c.id = p.company_id',
  select: {
    ...own(['id', 'product_id', 'kind', 'prompt_id', 'prompt_name', 'version', 'text', 'live_version', 'live_text']),
    model: `json_build_object('vendor', t.model_vendor, 'model', t.model_name, 'temperature', t.temperature)`,
    ...own(['repeats', 'with_judge', 'state', 'budget', 'spent', 'verdict', 'author', 'created_at', 'started_at']),
    reason: `coalesce(t.reason, ${PAUSED})`,
    progress: `json_build_object('done', ${countSamples("s.state = 'done'")}, 'failed', ${countSamples("s.state = 'failed'")},
                                 'total', ${countSamples("s.state <> 'skipped'")})`,
    estimate: `json_build_object('calls', t.estimated_calls, 'cost', t.estimated_cost,
                                 'subjects', (select count(*) from studio_subjects x where x.run_id = t.id))`,
    finished_at: 't.finished_at',
  },
  search: [],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

const COLUMNS = sql.raw(
  Object.entries(RUN_SOURCE.select)
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', '),
);

/** A run with its verdict as it is stored. */
export type StoredRun = Omit<StudioRun, 'verdict'> & { readonly verdict: unknown };

export async function readRun(reader: Reader, id: number): Promise<StoredRun | undefined> {
  const { rows } = await sql<StoredRun>`
    select ${COLUMNS} from ${sql.raw(RUN_SOURCE.from)} where t.id = ${id}`.execute(reader);
  return rows[0];
}

/** What a new run is stored with beside its facts. */
export interface NewRun {
  readonly facts: RunFacts;
  readonly version: number | null;
  readonly liveVersion: number | null;
  readonly budget: number;
  readonly estimate: StudioRun['estimate'];
  readonly author: string;
}

/** Store a run that waits to be started. Returns its id. */
export async function insertRun(
  tx: Tx,
  { facts, version, liveVersion, budget, estimate, author }: NewRun,
): Promise<number> {
  const { id } = await tx
    .insertInto('studio_runs')
    .values({
      product_id: facts.product.id,
      kind: facts.kind,
      prompt_id: facts.prompt.id,
      prompt_name: facts.prompt.name,
      prompt_type: facts.prompt.type,
      version,
      text: facts.text,
      live_version: liveVersion,
      live_text: facts.liveText,
      model_vendor: facts.model.vendor,
      model_name: facts.model.model,
      temperature: facts.model.temperature,
      repeats: facts.repeats,
      with_judge: facts.withJudge,
      settings: sql`${JSON.stringify(facts.settings)}::jsonb`,
      budget,
      estimated_calls: estimate.calls,
      estimated_cost: estimate.cost,
      author,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Store what a run tries, with the first samples of each. */
export async function insertSubjects(
  tx: Tx,
  { runId, productId }: { runId: number; productId: number },
  subjects: readonly (Omit<PlannedSubject, 'samples'> & { readonly samples: readonly PricedSample[] })[],
): Promise<void> {
  const planned = subjects.map(({ key, subject, history, real, input }) => ({ key, ...subject, history, real, input }));
  const { rows } = await sql<{ id: number; key: string }>`
    insert into studio_subjects (run_id, product_id, key, kind, name, case_id, dialogue_id, lead_id, message_id, persona_id,
                                 history, real, input)
    select ${runId}, ${productId}, key, kind, name, case_id, dialogue_id, lead_id, message_id, persona_id, history, real, input
      from rows from (jsonb_to_recordset(${JSON.stringify(planned)}::jsonb)
             as (key text, kind text, name text, case_id bigint, dialogue_id bigint, lead_id bigint, message_id bigint,
                 persona_id bigint, history jsonb, real text, input jsonb)) with ordinality
     order by ordinality
    returning id, key`.execute(tx);
  const idOf = new Map(rows.map(({ id, key }) => [key, id]));
  await insertSamples(
    tx,
    runId,
    subjects.flatMap(({ key, samples }) => samples.map((sample) => ({ ...sample, subjectId: idOf.get(key) ?? 0 }))),
  );
}

/** An open run that is locked until the transaction ends. */
export interface LockedRun {
  readonly id: number;
  readonly product_id: number;
  readonly round: number;
}

/** Lock an open run; undefined if it has ended, or another instance works on it. */
export async function lockOpenRun(tx: Tx, id: number): Promise<LockedRun | undefined> {
  const { rows } = await sql<LockedRun>`
    select id, product_id, round from studio_runs where id = ${id} and finished_at is null for update`.execute(tx);
  return rows[0];
}

/** Lock a run without open samples that is to be concluded; undefined if there is none that nobody works on. */
export async function lockUnconcludedRun(tx: Tx): Promise<LockedRun | undefined> {
  const { rows } = await sql<LockedRun>`
    select r.id, r.product_id, r.round from studio_runs r
     where r.finished_at is null and not exists (select from studio_samples s where s.run_id = r.id and s.state = 'open')
     order by r.id limit 1 for update skip locked`.execute(tx);
  return rows[0];
}

/** Read what the kind of a run needs to know of it; undefined if it is gone. */
export async function readRunFacts(reader: Reader, id: number): Promise<RunFacts | undefined> {
  const { rows } = await sql<RunFacts>`
    select r.kind,
           json_build_object('id', p.id, 'company_id', p.company_id, 'name', p.name, 'company_name', o.name,
                             'timezone', p.timezone, 'config', p.config) as product,
           json_build_object('id', r.prompt_id, 'name', r.prompt_name, 'type', r.prompt_type) as prompt,
           r.text, r.live_text as "liveText",
           json_build_object('vendor', r.model_vendor, 'model', r.model_name, 'temperature', r.temperature) as model,
           r.repeats, r.with_judge as "withJudge", r.settings
      from studio_runs r join products p on p.id = r.product_id join companies o on o.id = p.company_id
     where r.id = ${id}`.execute(reader);
  return rows[0];
}

const SUBJECT = sql`json_build_object('kind', x.kind, 'name', x.name, 'case_id', x.case_id, 'dialogue_id', x.dialogue_id,
  'lead_id', x.lead_id, 'message_id', x.message_id, 'persona_id', x.persona_id)`;

/** Read the subjects of a run with their ended samples, in the order in which they were planned. */
export async function readFinishedSubjects(reader: Reader, runId: number): Promise<FinishedSubject[]> {
  const { rows } = await sql<FinishedSubject>`
    select x.id, ${SUBJECT} as subject, x.input,
           coalesce((select json_agg(json_build_object('arm', s.arm, 'repeat', s.repeat, 'state', s.state, 'output', s.output,
                                                       'error', s.error, 'violations', s.violations) order by s.arm, s.repeat)
                       from studio_samples s where s.subject_id = x.id and s.state <> 'open'), '[]') as samples
      from studio_subjects x where x.run_id = ${runId} order by x.id`.execute(reader);
  return rows;
}

/** Read what was found of each subject of runs. */
export async function readStoredResults(
  reader: Reader,
  runIds: readonly number[],
): Promise<(StoredResult & { readonly run_id: number })[]> {
  const { rows } = await sql<StoredResult & { run_id: number }>`
    select x.run_id, ${SUBJECT} as subject, x.state, x.result
      from studio_subjects x where x.run_id = any(${[...runIds]}::bigint[]) order by x.rank desc, x.id`.execute(reader);
  return rows;
}

export async function storeResults(tx: Tx, results: readonly SubjectResult[]): Promise<void> {
  await sql`
    update studio_subjects x set state = g.state, rank = g.rank, result = g.result
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
             as g ("subjectId" bigint, state text, rank float8, result jsonb) where x.id = g."subjectId"`.execute(tx);
}

/** Show a subject as red before its run ends. */
export async function markRed(tx: Tx, subjectId: number): Promise<void> {
  await sql`update studio_subjects set state = 'red', rank = 1 where id = ${subjectId}`.execute(tx);
}

export async function finishRun(
  tx: Tx,
  id: number,
  { state, reason, verdict }: { state: RunState; reason: string | null; verdict: unknown },
): Promise<void> {
  await sql`
    update studio_runs set state = ${state}, reason = ${reason}, verdict = ${verdict === null ? null : JSON.stringify(verdict)}::jsonb,
           finished_at = domain_now(), started_at = coalesce(started_at, domain_now())
     where id = ${id}`.execute(tx);
}

export async function startNextRound(tx: Tx, id: number): Promise<void> {
  await sql`update studio_runs set round = round + 1 where id = ${id}`.execute(tx);
}

/** A subject with all its samples, as results show it. */
export interface ResultRow extends StoredResult {
  readonly id: number;
  readonly history: StudioResult['history'];
  readonly real: string | null;
  /** Of a test case; null in other runs, and in older ones. */
  readonly source: string | null;
  readonly samples: readonly {
    readonly arm: string;
    readonly repeat: number;
    readonly output: unknown;
    readonly error: string | null;
    readonly violations: { kind: string; detail: string }[];
  }[];
}

export async function readResultRows(
  reader: Reader,
  runId: number,
  { state, limit, page }: { state: string | null; limit: number; page: number },
): Promise<{ items: ResultRow[]; total: number }> {
  const inRun = sql`x.run_id = ${runId} and (${state}::text is null or x.state = ${state})`;
  const { rows } = await sql<ResultRow>`
    select x.id, ${SUBJECT} as subject, x.history, x.real, x.input ->> 'source' as source, x.state, x.result,
           coalesce((select json_agg(json_build_object('arm', s.arm, 'repeat', s.repeat, 'output', s.output, 'error', s.error,
                                                       'violations', s.violations) order by s.repeat)
                       from studio_samples s where s.subject_id = x.id and s.state in ('done', 'failed')), '[]') as samples
      from studio_subjects x where ${inRun}
     order by x.rank desc, x.id limit ${limit} offset ${(page - 1) * limit}`.execute(reader);
  const { rows: counts } = await sql<{ total: number }>`
    select count(*) as total from studio_subjects x where ${inRun}`.execute(reader);
  return { items: rows, total: counts[0]?.total ?? 0 };
}
