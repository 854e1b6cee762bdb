/** Inserts the experiments of the simulated history, as the product itself would have stored them. */
import { sql } from 'kysely';
import type { FrozenContent } from '../../experiments/contract.ts';
import type { ArmContent } from '../../outcomes/experimentContract.ts';
import type { Tx } from '../../platform/db.ts';
import { COMPANY } from '../demoContent.ts';
import type { Instant } from '../demoLeads/timeline.ts';
import type { ProductRows } from '../demoProducts.ts';
import { insertRow, insertRows, iso, type Row } from '../demoTables.ts';
import { appliedAt, type SimulatedExperiment } from './experiment.ts';
import type { LeadStory } from './leadStory.ts';
import * as rates from './rates.ts';
import type { WalkWorld } from './walk.ts';

const HOUR_MS = 3_600_000;

interface ExperimentHistory {
  readonly product: ProductRows;
  readonly experiments: WalkWorld['experiments'];
  readonly hours: WalkWorld['hours'];
  readonly stories: readonly LeadStory[];
  /** The leads of the stories. */
  readonly leadIds: readonly number[];
  readonly now: Instant;
}

/** What an arm was set to, and the copy of it that was taken at the start. */
interface Content {
  readonly content: ArmContent;
  readonly frozen: FrozenContent;
}

export async function insertExperiments(tx: Tx, history: ExperimentHistory): Promise<void> {
  const { product, experiments, hours } = history;
  const { firstText, prompt } = experiments;
  const texts = firstTexts(product);
  const applied = appliedAt(firstText, hours);
  const record = { applied_arm: 1, applied_at: applied && iso(applied), applied_by: COMPANY.colleagues[0] };
  const id = await insertExperiment(tx, history, {
    experiment: firstText,
    contents: texts,
    row: { kind: 'first_text', ...(applied === null ? {} : record) },
  });
  // What the product used until then: the settings are those after it.
  const former = texts[0]?.frozen.kind === 'text' ? texts[0].frozen.prepared_message_id : null;
  await sql`
    update experiments set applied_before = (
             select p.config->'messaging_config' || jsonb_build_object('initial_message_prepared_message_id', ${former}::bigint)
               from products p where p.id = experiments.product_id)
     where id = ${id} and applied_at is not null`.execute(tx);
  await insertExperiment(tx, history, {
    experiment: prompt,
    contents: promptVersions(product),
    row: { kind: 'prompt' },
  });
}

function firstTexts({ outreach, content: { outreach: texts } }: ProductRows): Content[] {
  const copyOf = (text: string | undefined, id: number | null | undefined): FrozenContent => {
    if (text === undefined || id == null) throw new Error('The product has both first texts');
    return { kind: 'text', text, prepared_message_id: id };
  };
  const former = copyOf(texts?.former?.text, outreach?.formerId);
  const first = copyOf(texts?.first.text, outreach?.firstId);
  const chosen: ArmContent = { source: 'prepared_message', prepared_message_id: outreach?.firstId ?? 0 };
  return [
    { content: { source: 'current' }, frozen: former },
    { content: chosen, frozen: first },
  ];
}

function promptVersions({ prompt: { id: prompt_id, name, versions } }: ProductRows): Content[] {
  return rates.PROMPT_ARMS.map((prompt_version, arm) => {
    const text = versions.find(({ version }) => version === prompt_version)?.text;
    if (text === undefined) throw new Error(`The prompt has no version ${prompt_version}`);
    return {
      content: arm === 0 ? { source: 'current' } : { source: 'prompt', prompt_id, prompt_version },
      frozen: { kind: 'prompt', prompt_id, prompt_version, name, text },
    };
  });
}

/** Insert an experiment with its assignments and analyses. Returns its id. */
async function insertExperiment(
  tx: Tx,
  { product, stories, leadIds, now }: ExperimentHistory,
  {
    experiment,
    contents,
    row,
  }: { readonly experiment: SimulatedExperiment; readonly contents: readonly Content[]; readonly row: Row },
): Promise<number> {
  const { settings, plan, startedAt, end, guardLook } = experiment;
  const { arms, startedBy, startedDaysAgo: _days, ...planned } = settings;
  const stopped = end && {
    stopped_at: iso(end.at),
    ended_by: end.by,
    conclusion: end.conclusion,
  };
  const id = await insertRow(tx, 'experiments', {
    ...row,
    ...planned,
    product_id: product.id,
    arms: plan.arms.map((arm, index) => ({ ...arm, name: arms[index], content: contents[index]?.content })),
    analyses: plan.analyses,
    per_arm: plan.per_arm,
    arm_states: contents.map(({ frozen: content }) => ({ content, stopped_at: null, stopped_reason: null })),
    created_at: iso(startedAt - HOUR_MS),
    started_at: iso(startedAt),
    started_by: startedBy,
    guard_look: guardLook,
    ...(stopped
      ? { state: 'stopped', ...stopped }
      : { state: 'running', check_at: iso(experiment.lookAfter(now + 1)) }),
  });
  const common = { experiment_id: id, product_id: product.id };
  const assignments = stories
    .flatMap(({ exposures }, index) =>
      exposures.filter((one) => one.experiment === experiment).map((one) => ({ ...one, leadId: leadIds[index] })),
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ arm, at, leadId }) => ({ ...common, lead_id: leadId, attempt: 1, arm, assigned_at: iso(at) }));
  await insertRows(tx, 'experiment_assignments', assignments);
  await insertRows(
    tx,
    'experiment_analyses',
    experiment.analyses.map(({ at, ...analysis }) => ({ ...common, ...analysis, at: iso(at) })),
  );
  return id;
}

/**
 * Keep the demo's own leads that the bot has answered out of the running experiment: they are among those that do not
 * take part, since they were answered by the product's prompt.
 */
export async function keepOutOfExperiment(tx: Tx, productId: number): Promise<void> {
  await sql`
    insert into experiment_assignments (experiment_id, product_id, lead_id, attempt, arm, assigned_at)
    select e.id, e.product_id, c.lead_id, 1, null, min(m.created_at)
      from experiments e join messages m on m.product_id = e.product_id and m.prompt_version is not null and m.turn is not null
      join contacts c on c.id = m.contact_id
     where e.product_id = ${productId} and e.state = 'running' and e.kind = 'prompt'
       and not exists (select from messages b where b.contact_id = c.id and b.created_at < e.started_at)
     group by e.id, c.lead_id
    on conflict do nothing`.execute(tx);
}
