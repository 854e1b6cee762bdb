/** SQL of experiments: their rows, what their arms have reached, and the record of their analyses. */
import { sql } from 'kysely';
import type { ExperimentKind, FrozenContent } from '../../experiments/contract.ts';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import type { ProductConfig } from '../../products/contract.ts';
import { PRODUCT_SCOPE } from '../../products/product.ts';
import type { ArmState, Experiment, ExperimentAnalysis, ExperimentEnd } from '../experimentContract.ts';
import type { ArmCount, Decision } from '../experimentStatistics.ts';
import { COUNTS, HAS_SUCCEEDED, IS_FINISHED } from './experimentConditions.ts';

const own = (fields: readonly string[]): Record<string, string> =>
  Object.fromEntries(fields.map((field) => [field, `t.${field}`]));

export const EXPERIMENT_SOURCE = {
  table: 'experiments',
  from: 'experiments t',
  select: {
    ...own(['id', 'product_id', 'name', 'kind', 'metric', 'days', 'part', 'base_rate', 'difference', 'guards', 'arms']),
    ...own(['analyses', 'per_arm', 'state', 'arm_states', 'started_at', 'started_by', 'stopped_at', 'stopped_by']),
    end: 't.ended_by',
    ...own(['conclusion', 'applied_arm', 'applied_at', 'applied_by', 'created_at']),
    version: 't.revision',
  },
  search: ['t.name'],
  nullable: ['started_at'],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

const COLUMNS = sql.raw(
  Object.entries(EXPERIMENT_SOURCE.select)
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', '),
);

/** Lock an experiment until the transaction ends; undefined if there is none. */
export async function lockExperimentRow(tx: Tx, id: number): Promise<Experiment | undefined> {
  await sql`select 1 from experiments where id = ${id} for update`.execute(tx);
  return readExperiment(tx, id);
}

export async function readExperiment(reader: Reader, id: number): Promise<Experiment | undefined> {
  const { rows } = await sql<Experiment>`select ${COLUMNS} from experiments t where id = ${id}`.execute(reader);
  return rows[0];
}

/** Lock the product of experiments that are started: one at a time. Returns the one of a kind that runs. */
export async function lockStarting(
  tx: Tx,
  { productId, kind }: { productId: number; kind: ExperimentKind },
): Promise<{ name: string } | undefined> {
  await sql`select 1 from products where id = ${productId} for no key update`.execute(tx);
  const { rows } = await sql<{ name: string }>`
    select name from experiments where product_id = ${productId} and kind = ${kind} and state = 'running'`.execute(tx);
  return rows[0];
}

export async function setStarted(
  tx: Tx,
  { id, by, contents }: { id: number; by: string; contents: readonly FrozenContent[] },
): Promise<void> {
  const states = contents.map((content): ArmState => ({ content, stopped_at: null, stopped_reason: null }));
  await sql`
    update experiments set state = 'running', started_at = domain_now(), started_by = ${by}, check_at = domain_now(),
           arm_states = ${JSON.stringify(states)}::jsonb where id = ${id}`.execute(tx);
}

export async function setStopped(
  tx: Tx,
  { id, by, end, conclusion }: { id: number; by: string | null; end: ExperimentEnd; conclusion: string },
): Promise<void> {
  await sql`
    update experiments set state = 'stopped', stopped_at = domain_now(), stopped_by = ${by}, ended_by = ${end},
           conclusion = ${conclusion}, check_at = null where id = ${id}`.execute(tx);
}

export async function setApplied(
  tx: Tx,
  { id, arm, by, before }: { id: number; arm: number; by: string; before: unknown },
): Promise<void> {
  await sql`
    update experiments set applied_arm = ${arm}, applied_at = domain_now(), applied_by = ${by},
           applied_before = ${JSON.stringify(before)}::jsonb where id = ${id}`.execute(tx);
}

/** Stop variants of a running experiment, each for a reason. */
export async function stopArms(
  tx: Tx,
  id: number,
  stopped: readonly { readonly arm: number; readonly reason: string }[],
): Promise<void> {
  for (const { arm, reason } of stopped)
    await sql`
      update experiments set arm_states = jsonb_set(jsonb_set(arm_states, array[${String(arm)}, 'stopped_reason'], to_jsonb(${reason}::text)),
             array[${String(arm)}, 'stopped_at'], to_jsonb(to_char(domain_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
       where id = ${id}`.execute(tx);
}

/** The settings of a product that experiments change. */
export interface ProductSettings {
  readonly id: number;
  readonly company_id: number;
  readonly config: ProductConfig;
  readonly version: number;
}

export async function lockProductSettings(tx: Tx, id: number): Promise<ProductSettings | undefined> {
  const { rows } = await sql<ProductSettings>`
    select id, company_id, config, revision as version from products where id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function updateProductConfig(tx: Tx, id: number, config: ProductConfig): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    update products set config = ${JSON.stringify(config)}::jsonb where id = ${id} returning revision as version`.execute(
    tx,
  );
  return rows[0]?.version ?? 0;
}

/** Read the version of what `apply` changes: of the product, or of its prompt; null if it has none. */
export async function readTargetVersion(
  reader: Reader,
  target: { readonly noun: 'product' | 'prompt'; readonly id: number },
): Promise<number | null> {
  const { rows } = await sql<{ version: number }>`
    select revision as version from ${sql.table(`${target.noun}s`)} where id = ${target.id}`.execute(reader);
  return rows[0]?.version ?? null;
}

/** What the leads of an arm have reached. */
export interface ArmTotals {
  readonly arm: number;
  readonly assigned: number;
  readonly finished: number;
  readonly successes: number;
  readonly opt_outs: number;
  readonly refusals: number;
  readonly cost: number;
  /** Sum of the squares of the attempts' costs. */
  readonly cost_squares: number;
}

/** Read the totals of all arms, the control first, and how many assigned leads do not count. */
export async function readArmTotals(
  reader: Reader,
  { id, arms }: Pick<Experiment, 'id' | 'arms'>,
): Promise<{ totals: ArmTotals[]; excluded: number }> {
  const { rows } = await sql<ArmTotals>`
    select x.arm, count(*) as assigned, count(*) filter (where ${sql.raw(IS_FINISHED)}) as finished,
           count(*) filter (where ${sql.raw(HAS_SUCCEEDED)}) as successes,
           count(*) filter (where t.opted_out_at is not null) as opt_outs, count(*) filter (where t.outcome = 'refused') as refusals,
           sum(t.cost)::float8 as cost, sum(t.cost::float8 * t.cost::float8) as cost_squares
      from experiment_assignments x join experiments e on e.id = x.experiment_id join outcomes t on ${sql.raw(COUNTS)}
     where e.id = ${id} and t.started_at is not null group by x.arm`.execute(reader);
  const excluded = await sql<{ count: number }>`
    select count(*) from experiment_assignments where experiment_id = ${id} and excluded is not null and arm is not null`.execute(
    reader,
  );
  const byArm = new Map(rows.map((row) => [row.arm, row]));
  const none = { assigned: 0, finished: 0, successes: 0, opt_outs: 0, refusals: 0, cost: 0, cost_squares: 0 };
  return {
    totals: arms.map((_arm, arm) => byArm.get(arm) ?? { arm, ...none }),
    excluded: excluded.rows[0]?.count ?? 0,
  };
}

export async function insertAnalysis(
  tx: Tx,
  experiment: Pick<Experiment, 'id' | 'product_id'>,
  record: { analysis: number; arms: readonly ArmCount[]; decision: Decision; sentence: string },
): Promise<void> {
  await sql`
    insert into experiment_analyses (experiment_id, product_id, analysis, arms, decision, sentence)
    values (${experiment.id}, ${experiment.product_id}, ${record.analysis}, ${JSON.stringify(record.arms)}::jsonb,
            ${JSON.stringify(record.decision)}::jsonb, ${record.sentence})`.execute(tx);
}

/** Read the analyses that were made, the first one first. */
export async function readAnalyses(reader: Reader, id: number): Promise<ExperimentAnalysis[]> {
  const { rows } = await sql<ExperimentAnalysis>`
    select analysis, at, (select json_agg(json_build_object('n', a->'n', 'successes', a->'successes') order by place)
                            from jsonb_array_elements(arms) with ordinality as a (a, place)) as arms,
           decision->>'kind' as decision, sentence
      from experiment_analyses where experiment_id = ${id} order by analysis`.execute(reader);
  return rows;
}

/** A running experiment is to be looked at. */
export const CHECK_DUE_IN = dueIf(sql`exists (select from experiments where check_at <= domain_now())`);

/** Lock an experiment that is to be looked at, and set when it is next; undefined if there is none. */
export async function claimCheck(
  tx: Tx,
  everySeconds: number,
): Promise<{ id: number; guard_look: number } | undefined> {
  const { rows } = await sql<{ id: number; guard_look: number }>`
    update experiments set check_at = domain_now() + make_interval(secs => ${everySeconds})
     where id = (select id from experiments where check_at <= domain_now() order by check_at limit 1 for update skip locked)
    returning id, guard_look`.execute(tx);
  return rows[0];
}

export async function setGuardLook(tx: Tx, id: number, look: number): Promise<void> {
  await sql`update experiments set guard_look = ${look} where id = ${id}`.execute(tx);
}

/** Read the leads that nobody has exchanged a message with, the oldest ones first. */
export async function readNextLeads(
  reader: Reader,
  productId: number,
  limit: number,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select l.id, l.name from leads l join outcomes o on o.lead_id = l.id and o.attempt = 1
     where l.product_id = ${productId} and l.attempt = 1 and l.is_active and not l.recognized_deactivation_request
       and o.started_at is null and not o.is_stale
     order by l.id limit ${limit}`.execute(reader);
  return rows;
}
