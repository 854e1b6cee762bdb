/** SQL of the rows of the ledger and of their counts: one list, one set of filters. */
import type pg from 'pg';
import { MAX_STEPS } from '../../outreach/sequence.ts';
import { offsetPeriods } from '../../platform/days.ts';
import { type FilterValues, type Listing, readGroups } from '../../platform/http/listQuery.ts';
import { prepared } from '../../platform/statements.ts';
import { PRODUCT_SCOPE } from '../../products/product.ts';
import { type OutcomeFilter, type Reached, reachable } from '../outcomeContract.ts';
import { COUNTS, HAS_SUCCEEDED, IS_FINISHED } from './experimentConditions.ts';
import { bitOf, HAS_RUN, OPTED_OUT, REFUSED, RESPONDER, RESPONSE } from './facts.ts';

const leadField = (field: string): string => `(select ${field} from leads l where l.id = t.lead_id)`;

/** Attempts whose bits of follow-ups have all of these. A number holds those of the longest sequence exactly. */
const stepsIn =
  (column: string) =>
  ({ values, bind }: FilterValues): string => {
    const steps = values.map(Number);
    if (steps.some((step) => step > MAX_STEPS)) return 'false';
    const bits = `${bind(steps.reduce((sum, step) => sum + 2 ** (step - 1), 0))}::bigint`;
    return `c.${column} & ${bits} = ${bits}`;
  };

/** The version of a prompt: 0 where there is a prompt whose version is not recorded. */
export function versionOf(prompt: 'text_prompt' | 'prompt' | 'last_prompt'): string {
  const column = `${prompt === 'text_prompt' ? 'o' : 'c'}.${prompt}`;
  return `(case when ${column}_id is not null then coalesce(${column}_version, 0) end)`;
}

/** A Monday, from which weekdays are counted: `date_part('isodow', …)` takes a fifth longer. */
const MONDAY = "date '0001-01-01'";

const instant = (at: number): string => `timestamptz '${new Date(at).toISOString()}'`;
const interval = (offset: number): string => `interval '${offset / 1000} seconds'`;

/** For how long the offsets of a zone are compared one by one. */
const RECENT_MS = 400 * 86_400_000;

/**
 * Return an SQL expression of a row's hour, or of its weekday (Monday is 1), on the clock of a time zone. A fixed offset
 * takes PostgreSQL a fraction of the time that a zone takes it, and comparing with the recent changes of the clock a third
 * of a search among all. `extract` would compute with `numeric`.
 */
export function localTime(field: 'hour' | 'weekday', zone: string, bind: Bind): string {
  const periods = offsetPeriods(zone);
  const now = Date.now();
  const recent = periods
    .filter(({ from, to }) => from < now && to > now - RECENT_MS)
    .map(({ from, to, offset }) => {
      const bounds = [
        Number.isFinite(from) ? `t.started_at >= ${instant(from)}` : '',
        Number.isFinite(to) ? `t.started_at < ${instant(to)}` : '',
      ].filter((bound) => bound !== '');
      return `when ${bounds.join(' and ') || 'true'} then ${interval(offset)}`;
    });
  const offsets = `(${bind(periods.map(({ offset }) => `${offset / 1000} seconds`))}::interval[])`;
  const period = `width_bucket(t.started_at, ${bind(periods.map(({ from }) => (Number.isFinite(from) ? new Date(from).toISOString() : '-infinity')))}::timestamptz[])`;
  const local = `(t.started_at at time zone case ${recent.toReversed().join(' ')} else ${offsets}[${period}] end)`;
  return field === 'hour' ? `date_part('hour', ${local})::int` : `((${local}::date - ${MONDAY}) % 7 + 1)`;
}

/** What is asked about one assignment of an attempt. */
interface ExperimentFilter {
  readonly experiments: readonly number[] | undefined;
  readonly arms: readonly number[] | undefined;
  readonly results: OutcomeFilter['experiment_result'];
}

/** Return the conditions of an assignment `x` of the attempt, with its experiment `e`. */
function assignmentConditions({ experiments, arms, results }: ExperimentFilter, bind: FilterValues['bind']): string {
  return [
    COUNTS,
    experiments ? `x.experiment_id = any(${bind(experiments)}::bigint[])` : '',
    arms ? `x.arm = any(${bind(arms)}::int[])` : '',
    results?.includes('finished') ? IS_FINISHED : '',
    results?.includes('succeeded') ? HAS_SUCCEEDED : '',
  ]
    .filter((condition) => condition !== '')
    .join(' and ');
}

const ASSIGNMENTS = 'experiment_assignments x join experiments e on e.id = x.experiment_id';

const inExperiment = (filter: ExperimentFilter, bind: FilterValues['bind']): string =>
  `exists (select from ${ASSIGNMENTS} where ${assignmentConditions(filter, bind)})`;

/**
 * Join the assignments of attempts that a filter speaks of, by default all: an attempt in two experiments is in an arm of
 * each. Ids are numbers, so they need not be bound.
 */
export function joinAssignments({
  experiment_id: experiments,
  arm: arms,
  experiment_result: results,
}: OutcomeFilter): string {
  const literal = (value: unknown): string => `'{${(value as readonly number[]).map(Number).join()}}'`;
  return ` left join (${ASSIGNMENTS}) on ${assignmentConditions({ experiments, arms, results }, literal)}`;
}

const startedAfter =
  (comparison: '>=' | '<', more: number) =>
  ({ values: [day], bind, dayStart }: FilterValues): string =>
    `t.started_at ${comparison} to_timestamp(${bind(dayStart(String(day), more))}::float8)`;

/** The columns that are null in rows without a value. */
const MISSING: Readonly<Record<string, string>> = {
  import: 'o.import_id is null',
  first_text: 'o.prepared_message_id is null and o.text_prompt_id is null',
  prompt_version: 'c.prompt_id is null',
  last_prompt_version: 'c.last_prompt_id is null',
  model: 'c.model is null',
  language: 'c.language is null',
  operator: 'c.operator is null',
  outcome: 'c.outcome is null',
  ended_by: 'c.ended_by is null',
  refusal_reason: 't.refusal_reason is null',
  arm: `not exists (select from experiment_assignments x where ${COUNTS})`,
};

/** Return the bits of `reached`. */
const bitsOf = (names: readonly unknown[]): number =>
  reachable.reduce((bits, name) => bits + (names.includes(name) ? bitOf(name) : 0), 0);

/** Whether an attempt with these bits has reached something. */
export const hasReached = (bits: number, name: Reached): boolean => (bits & bitOf(name)) !== 0;

const fieldsOf = (alias: 't' | 'o' | 'c', fields: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((field) => [field, `${alias}.${field}`]));

const DIALOGUE = '(select m.dialogue_id from messages m where m.id = t.first_message_id)';
const MESSENGER = '(select h.channel_type from channels h where h.id = o.channel_id)';

/**
 * The rows of attempts that have begun: `t` with its origin `o` and its course `c`, of which PostgreSQL reads those that a
 * statement names. Their values are columns of `t` too, but not in the index that figures are read from.
 */
export const OUTCOME_LISTING: Listing = {
  from: 'outcomes t left join outcome_origins o on o.id = t.origin_id left join outcome_courses c on c.id = t.course_id',
  select: {
    ...fieldsOf('t', ['id', 'lead_id', 'attempt', 'product_id', 'started_at']),
    ...fieldsOf('o', ['channel_id', 'started_by']),
    language: 'c.language',
    // Subqueries instead of joins: they run only for the rows of the page.
    lead_name: leadField('l.name'),
    dialogue_id: DIALOGUE,
    messenger: MESSENGER,
    ...fieldsOf('o', ['source', 'import_id']),
    ...fieldsOf('t', ['first_message_id', 'last_at', 'last_message_id', 'last_author', 'sent', 'received']),
    ...fieldsOf('t', [
      'written_at',
      'delivered_at',
      'read_at',
      'answered_at',
      'qualified_at',
      'replied_at',
      'opted_out_at',
    ]),
    ...fieldsOf('t', ['handed_over_at', 'ended_at', 'text_message_id']),
    ...fieldsOf('c', ['outcome', 'ended_by', 'operator']),
    ...fieldsOf('o', ['prepared_message_id', 'text_prompt_id', 'text_prompt_version']),
    ...fieldsOf('c', ['prompt_id', 'prompt_version', 'model', 'last_prompt_id', 'last_prompt_version']),
    ...fieldsOf('t', [
      'answer_message_id',
      'last_answer_message_id',
      'last_model',
      'answers',
      'steps',
      'last_step_message_id',
    ]),
    cost: 't.cost::float8',
  },
  conditions: {
    // The lead of a dialogue or of a message is in an index, the message of an attempt is not.
    dialogue_id: `t.first_message_id in (select m.id from messages m where m.dialogue_id = $)
      and t.lead_id in (select c.lead_id from dialogues d join contacts c on c.id = d.contact_id where d.id = $)`,
    ...Object.fromEntries(
      ['first_', 'last_', 'text_', 'answer_', 'last_answer_', 'last_step_'].map((prefix) => [
        `${prefix}message_id`,
        `t.${prefix}message_id = $ and t.lead_id in (select c.lead_id from messages m join contacts c on c.id = m.contact_id where m.id = $)`,
      ]),
    ),
    messenger: 'o.channel_id in (select h.id from channels h where h.channel_type = $)',
    text_prompt_version: `${versionOf('text_prompt')} = $`,
    prompt_version: `${versionOf('prompt')} = $`,
    last_prompt_version: `${versionOf('last_prompt')} = $`,
    refusal_reason: 't.refusal_reason = $',
    response: `${RESPONSE} = $`,
    responder: `${RESPONDER} = $`,
    run: HAS_RUN,
  },
  conditionsOf: {
    hour: ({ values, bind, timezone }) => `${localTime('hour', timezone, bind)} = any(${bind(values)}::int[])`,
    weekday: ({ values, bind, timezone }) => `${localTime('weekday', timezone, bind)} = any(${bind(values)}::int[])`,
    step: stepsIn('steps_sent'),
    step_answered: stepsIn('steps_answered'),
    step_opted_out: stepsIn('steps_opted_out'),
    started_from: startedAfter('>=', 0),
    started_to: startedAfter('<', 1),
    reached: ({ values, bind }) => {
      const bits = bind(bitsOf(values));
      return `t.reached & ${bits}::int = ${bits}::int`;
    },
    refusal: ({ values }) => `(${values.map((value) => (value === 'opted_out' ? OPTED_OUT : REFUSED)).join(' or ')})`,
    experiment: ({ values: [wanted], bind }) => inExperiment(wanted as ExperimentFilter, bind),
    without: ({ values }) => values.map((name) => `(${MISSING[String(name)]})`).join(' and '),
  },
  search: [],
  ...PRODUCT_SCOPE,
  where: 't.started_at is not null',
  id: 't.id',
};

/** Return a request's filters as the list takes them; days are those of the zone. */
export function listFilter<F extends OutcomeFilter>(filter: F, zone: string) {
  const {
    product_id: productId,
    started_from: from,
    started_to: to,
    experiment_id: experiments,
    arm: arms,
    experiment_result: results,
    ...rest
  } = filter;
  // One condition: they speak of the same assignment.
  const experiment: ExperimentFilter = { experiments, arms, results };
  return {
    ...rest,
    experiment: experiments || arms || results ? [experiment] : [],
    product_id: [productId],
    started_from: from === undefined ? [] : [from],
    started_to: to === undefined ? [] : [to],
    created_timezone: zone,
  };
}

type Bind = FilterValues['bind'];
type Column = string | ((bind: Bind) => string);

/** Rows that agree in the columns of a dimension, in what they have reached, and in the period. */
export interface OutcomeGroup {
  readonly values: readonly (string | number | null)[];
  readonly reached: number;
  readonly isCurrent: boolean;
  readonly count: number;
  readonly cost: number;
}

export interface OutcomeGrouping {
  /** Expressions whose values make the dimension. */
  readonly columns: readonly Column[];
  /** Tables that they need besides. */
  readonly join?: string;
  /** The dictionary that has all columns, if one does: rows are grouped by their number in it first. */
  readonly of?: keyof typeof DICTIONARIES;
  /** First day of the current period: what began earlier is of the previous one. Null: all rows are current. */
  readonly currentFrom: ((bind: Bind) => string) | null;
}

/** The tables that attempts refer to by numbers, for groups `g` of attempts with one `number`. */
const DICTIONARIES = {
  origin: { number: 't.origin_id', join: 'left join outcome_origins o on o.id = g.number' },
  course: { number: 't.course_id', join: 'left join outcome_courses c on c.id = g.number' },
};

/** Count the rows that match. One scan, however many figures are made of it. */
export async function countOutcomes(
  pool: pg.Pool,
  query: ReturnType<typeof listFilter>,
  { columns, join = '', of, currentFrom }: OutcomeGrouping,
): Promise<OutcomeGroup[]> {
  const named: Record<string, Column> = Object.fromEntries(columns.map((column, place) => [`value${place}`, column]));
  const own: Record<string, Column> = {
    ...(of === undefined ? named : { number: DICTIONARIES[of].number }),
    reached: 't.reached',
    ...(currentFrom === null ? {} : { is_current: currentFrom }),
  };
  const others = { reached: 'g.reached', ...(currentFrom === null ? {} : { is_current: 'g.is_current' }) };
  const rows = await readGroups<Record<string, string | number | boolean | null>>(pool, {
    listing: { ...OUTCOME_LISTING, from: OUTCOME_LISTING.from + join },
    query,
    columns: { ...own, cost: of === undefined ? 'sum(t.cost)::float8' : 'sum(t.cost)' },
    by: Object.keys(own),
    ...(of === undefined
      ? {}
      : {
          regrouped: {
            join: DICTIONARIES[of].join,
            columns: { ...(named as Record<string, string>), ...others, cost: 'sum(g.cost)::float8' },
            by: [...Object.keys(named), ...Object.keys(others)],
          },
        }),
  });
  return rows.map((row) => ({
    values: columns.map((_column, place) => row[`value${place}`] as string | number | null),
    reached: Number(row['reached']),
    isCurrent: row['is_current'] !== false,
    count: Number(row['count']),
    cost: Number(row['cost']),
  }));
}

/** Without the null values, which are not counted either, fewer rows are sorted. */
const median = (seconds: string): string =>
  `percentile_disc(0.5) within group (order by ${seconds}) filter (where ${seconds} is not null)`;

/** Read the median seconds from our first message to the lead's first answer, and from that to our next message. */
export async function readMedians(
  pool: pg.Pool,
  query: ReturnType<typeof listFilter>,
): Promise<{ answer: number | null; reply: number | null }> {
  const [row] = await readGroups<{ answer: number | null; reply: number | null }>(pool, {
    listing: { ...OUTCOME_LISTING, where: `${OUTCOME_LISTING.where} and t.reached & ${bitsOf(['answered'])} <> 0` },
    query,
    columns: { answer: median('t.seconds_to_answer'), reply: median('t.seconds_to_reply') },
    by: [],
  });
  return { answer: row?.answer ?? null, reply: row?.reply ?? null };
}

export interface StepCount {
  readonly step: number;
  readonly answered: number;
  readonly opted_out: number;
  readonly count: number;
}

/** Count the attempts in which each follow-up was sent, was answered, and led to an opt-out: once, however often it was sent. */
export async function countSteps(pool: pg.Pool, query: ReturnType<typeof listFilter>): Promise<StepCount[]> {
  const columns = { sent: 'c.steps_sent', answered: 'c.steps_answered', opted_out: 'c.steps_opted_out' };
  const groups = await readGroups<Record<'sent' | 'answered' | 'opted_out' | 'count', number>>(pool, {
    listing: OUTCOME_LISTING,
    query,
    columns: { number: DICTIONARIES.course.number },
    by: ['number'],
    regrouped: { join: DICTIONARIES.course.join, where: 'c.steps_sent <> 0', columns, by: Object.keys(columns) },
  });
  return Array.from({ length: MAX_STEPS }, (_none, place) => {
    const count = (key: keyof typeof columns): number =>
      groups.reduce((sum, group) => sum + (Math.floor(group[key] / 2 ** place) % 2) * group.count, 0);
    return { step: place + 1, answered: count('answered'), opted_out: count('opted_out'), count: count('sent') };
  }).filter((step) => step.count > 0);
}

/** Read when the first attempt of a product began, and the last one, in milliseconds since 1970; null without any. */
export async function readStartRange(
  pool: pg.Pool,
  productId: number,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const text = `select extract(epoch from min(started_at))::float8 * 1000 as first, extract(epoch from max(started_at))::float8 * 1000 as last
    from outcomes where product_id = $1 and started_at is not null`;
  const { rows } = await pool.query<{ first: number | null; last: number | null }>({
    ...prepared(text),
    values: [productId],
  });
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? null : { first, last };
}

/** Read the names of rows by id, for labels. */
export async function readNames(
  pool: pg.Pool,
  table: 'prompts' | 'prepared_messages' | 'channels' | 'lead_imports' | 'experiments',
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<{ id: number; name: string }>({
    ...prepared(`select id, name from ${table} where id = any($1::bigint[])`),
    values: [[...ids]],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Read the names of experiments' arms, by experiment and place: `7:1`. */
export async function readArmNames(pool: pg.Pool, ids: readonly number[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<{ id: number; names: string[] }>({
    ...prepared(
      `select e.id, array(select a->>'name' from jsonb_array_elements(e.arms) with ordinality as x (a, place) order by place) as names
         from experiments e where e.id = any($1::bigint[])`,
    ),
    values: [[...ids]],
  });
  return new Map(rows.flatMap(({ id, names }) => names.map((name, place) => [`${id}:${place}`, name] as const)));
}

/** Read the messengers of channels. */
export async function readMessengers(pool: pg.Pool, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; messenger: string }>({
    ...prepared('select id, channel_type as messenger from channels where id = any($1::bigint[])'),
    values: [[...ids]],
  });
  return new Map(rows.map(({ id, messenger }) => [id, messenger]));
}
