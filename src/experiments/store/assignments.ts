/** SQL of the arms of leads: what is running, what was decided about a person, and what is decided now. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import type { ProductFacts } from '../../products/product.ts';
import type { ExperimentKind, FrozenContent } from '../contract.ts';
import type { ArmFacts, Assignment } from '../decideArm.ts';

/** A running experiment, with what its arms use. */
export interface RunningExperiment {
  readonly id: number;
  readonly name: string;
  readonly kind: ExperimentKind;
  readonly part: number;
  /** The control first. */
  readonly arms: readonly {
    readonly name: string;
    readonly weight: number;
    readonly content: FrozenContent;
    readonly isStopped: boolean;
  }[];
}

const RUNNING = sql`
  e.id, e.name, e.kind, e.part,
  (select json_agg(json_build_object('name', a.arm->'name', 'weight', a.arm->'weight', 'content', s.state->'content',
                                     'isStopped', s.state->>'stopped_at' is not null) order by a.place)
     from jsonb_array_elements(e.arms) with ordinality as a (arm, place)
     join jsonb_array_elements(e.arm_states) with ordinality as s (state, place) using (place)) as arms`;

/** Read the experiments of these kinds that run on a product. */
export async function readRunning(
  reader: Reader,
  productId: number,
  kinds: readonly ExperimentKind[],
): Promise<RunningExperiment[]> {
  const { rows } = await sql<RunningExperiment>`
    select ${RUNNING} from experiments e
     where e.product_id = ${productId} and e.state = 'running' and e.kind = any(${[...kinds]}::text[]) order by e.id`.execute(
    reader,
  );
  return rows;
}

/** Whether an experiment with prompts or models runs on a product, for statements that read more. */
export const isAnswerTested = (productId: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from experiments e where e.product_id = ${productId} and e.state = 'running' and e.kind in ('prompt', 'model'))`;

/** Read a product with the experiment that runs with its first texts, if there is one. */
export async function findProductWithFirstTexts(
  reader: Reader,
  id: number,
): Promise<(ProductFacts & { experiment: RunningExperiment | null }) | undefined> {
  const { rows } = await sql<ProductFacts & { experiment: RunningExperiment | null }>`
    select p.id, p.company_id, o.name as company_name, p.name, p.is_active, p.timezone, p.config,
           (select row_to_json(x) from (select ${RUNNING} from experiments e
             where e.product_id = p.id and e.state = 'running' and e.kind = 'first_text') as x) as experiment
      from products p join companies o on o.id = p.company_id where p.id = ${id}`.execute(reader);
  return rows[0];
}

/**
 * Lock those of the experiments that are still running: nobody else assigns or stops until the transaction ends. Comes
 * after all other locks but those of messages; one that has ended is not waited for, since applying it locks the product.
 */
export async function lockRunning(tx: Tx, ids: readonly number[]): Promise<RunningExperiment[]> {
  await sql`
    select 1 from experiments where id = any(${idList(ids)}) and state = 'running' order by id for no key update`.execute(
    tx,
  );
  const { rows } = await sql<RunningExperiment>`
    select ${RUNNING} from experiments e where e.id = any(${idList(ids)}) and e.state = 'running' order by e.id`.execute(
    tx,
  );
  return rows;
}

/**
 * Leads of the same person: they share an address, on whichever messenger, or are joined by others that do.
 * `roots` selects the leads in question.
 */
const personsOf = (roots: ReturnType<typeof sql>) => sql`
  person (root, lead_id) as (
    select id, id from (${roots}) as roots (id)
    union
    select p.root, other.lead_id from person p join contacts own on own.lead_id = p.lead_id
      join contacts other on person_key(other.address) = person_key(own.address) and other.product_id = own.product_id
  )`;

/** Read what decides about the arms of leads. */
export async function readArmFacts(
  reader: Reader,
  experimentId: number,
  leadIds: readonly number[],
): Promise<ArmFacts[]> {
  const { rows } = await sql<ArmFacts>`
    with recursive ${personsOf(sql`select unnest(${idList(leadIds)})`)}
    select p.root as "leadId",
           (array_agg(json_build_object('id', x.id, 'arm', x.arm, 'excluded', x.excluded)) filter (where x.lead_id = p.root))[1] as own,
           coalesce(json_agg(json_build_object('id', x.id, 'arm', x.arm, 'excluded', x.excluded) order by x.id)
                      filter (where x.lead_id <> p.root), '[]') as others,
           coalesce(bool_or(o.is_stale or o.started_at < coalesce(e.started_at, 'infinity')), false) as "isKnown"
      from person p join experiments e on e.id = ${experimentId}
      left join experiment_assignments x on x.experiment_id = e.id and x.lead_id = p.lead_id
      left join outcomes o on o.lead_id = p.lead_id and o.attempt = 1
     group by p.root`.execute(reader);
  return rows;
}

/** What is decided about leads. `attempt` is the lead's own now. */
export interface NewAssignment {
  readonly experimentId: number;
  readonly leadId: number;
  readonly arm: number | null;
  readonly excluded: Assignment['excluded'];
}

export async function insertAssignments(tx: Tx, assignments: readonly NewAssignment[]): Promise<void> {
  if (assignments.length === 0) return;
  await sql`
    insert into experiment_assignments (experiment_id, product_id, lead_id, attempt, arm, excluded)
    select g."experimentId", l.product_id, l.id, l.attempt, g.arm, g.excluded
      from jsonb_to_recordset(${JSON.stringify(assignments)}::jsonb)
             as g ("experimentId" bigint, "leadId" bigint, arm smallint, excluded text)
      join leads l on l.id = g."leadId"
    on conflict (experiment_id, lead_id) do nothing`.execute(tx);
}

export async function excludeAssignments(
  tx: Tx,
  exclusions: readonly { readonly id: number; readonly excluded: Assignment['excluded'] }[],
): Promise<void> {
  if (exclusions.length === 0) return;
  await sql`
    update experiment_assignments x set excluded = g.excluded
      from jsonb_to_recordset(${JSON.stringify(exclusions)}::jsonb) as g (id bigint, excluded text) where x.id = g.id`.execute(
    tx,
  );
}

/** Read the assigned leads that are the same person as others, which were assigned too. */
export async function readUnited(
  reader: Reader,
  experimentId: number,
): Promise<{ readonly own: Assignment; readonly others: readonly Assignment[] }[]> {
  const { rows } = await sql<{ own: Assignment; others: Assignment[] }>`
    with recursive ${personsOf(sql`select lead_id from experiment_assignments where experiment_id = ${experimentId}`)}
    select json_build_object('id', own.id, 'arm', own.arm, 'excluded', own.excluded) as own,
           json_agg(json_build_object('id', x.id, 'arm', x.arm, 'excluded', x.excluded) order by x.id) as others
      from person p
      join experiment_assignments own on own.experiment_id = ${experimentId} and own.lead_id = p.root
      join experiment_assignments x on x.experiment_id = ${experimentId} and x.lead_id = p.lead_id and x.id <> own.id
     group by own.id order by own.id`.execute(reader);
  return rows;
}
