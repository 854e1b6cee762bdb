/**
 * Assigns leads to the arms of experiments at the moment when they are exposed first, and says what their arm uses.
 * Why so: docs/decisions/0040-experiments.md.
 */
import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { FrozenContent } from './contract.ts';
import { type ArmDecision, decideArm, exclusionOf } from './decideArm.ts';
import {
  excludeAssignments,
  insertAssignments,
  lockRunning,
  type RunningExperiment,
  readArmFacts,
  readRunning,
  readUnited,
} from './store/assignments.ts';

export type { RunningExperiment };

/** What was decided about a lead, and the arm whose content it gets. */
export interface LeadArm extends ArmDecision {
  readonly experimentId: number;
  /** The arm's content; null: what the product uses, because the lead does not take part or the variant was stopped. */
  readonly content: FrozenContent | null;
}

/** Decide about leads as of now, without storing anything. */
export async function readArms(
  reader: Reader,
  experiment: RunningExperiment,
  leadIds: readonly number[],
): Promise<Map<number, LeadArm>> {
  if (leadIds.length === 0) return new Map();
  const { id, part, arms } = experiment;
  const weights = arms.map(({ weight, isStopped }) => (isStopped ? 0 : weight));
  const facts = await readArmFacts(reader, id, leadIds);
  return new Map(
    facts.map((one) => {
      const decision = decideArm({ id, part, weights }, one);
      const arm = decision.arm === null ? undefined : arms[decision.arm];
      const content = arm && !arm.isStopped ? arm.content : null;
      return [one.leadId, { ...decision, experimentId: id, content }];
    }),
  );
}

/** Store what was decided about leads by `readArms`, in the transaction that has locked the experiment. */
export async function storeArms(tx: Tx, decided: ReadonlyMap<number, LeadArm>): Promise<void> {
  const changes = [...decided].flatMap(([leadId, { experimentId, change }]) =>
    change === null ? [] : [{ leadId, experimentId, change }],
  );
  await insertAssignments(
    tx,
    changes.flatMap(({ change, ...rest }) =>
      change.kind === 'assign' ? [{ ...rest, arm: change.arm, excluded: change.excluded }] : [],
    ),
  );
  await excludeAssignments(
    tx,
    changes.flatMap(({ change }) => (change.kind === 'exclude' ? [change] : [])),
  );
}

/** Lock an experiment, so that nobody else assigns or stops it; null if it has ended meanwhile. */
export async function lockExperiment(tx: Tx, id: number): Promise<RunningExperiment | null> {
  return (await lockRunning(tx, [id]))[0] ?? null;
}

/** What the experiments of a product have for the next answer to a lead; null: it gets what the product uses. */
interface AnswerVariants {
  readonly prompt: {
    readonly id: number;
    readonly name: string;
    readonly text: string;
    readonly version: number;
  } | null;
  readonly model: Omit<Extract<FrozenContent, { kind: 'model' }>, 'kind'> | null;
}

export const NO_VARIANTS: AnswerVariants = { prompt: null, model: null };

/**
 * Return what the bot is to answer a lead with. A lead that the bot is about to answer for the first time is assigned
 * now, before a model is asked: one that then fails to answer counts for the arm whose model has failed.
 */
export async function variantsOfAnswer(
  context: AppContext,
  { productId, leadId }: { readonly productId: number; readonly leadId: number },
): Promise<AnswerVariants> {
  let variants = NO_VARIANTS;
  for (const experiment of await readRunning(context.reader, productId, ['prompt', 'model']))
    variants = { ...variants, ...toVariant(await contentOf(context, experiment, leadId)) };
  return variants;
}

/** Return what the bot would answer a lead with that is assigned already. Assigns nobody. */
export async function readVariants(
  reader: Reader,
  { productId, leadId }: { readonly productId: number; readonly leadId: number },
): Promise<AnswerVariants> {
  let variants = NO_VARIANTS;
  for (const experiment of await readRunning(reader, productId, ['prompt', 'model'])) {
    const existing = (await readArms(reader, experiment, [leadId])).get(leadId);
    if (existing?.change?.kind !== 'assign') variants = { ...variants, ...toVariant(existing?.content ?? null) };
  }
  return variants;
}

function toVariant(content: FrozenContent | null): Partial<AnswerVariants> {
  if (content?.kind === 'prompt') {
    const { prompt_id: id, prompt_version: version, name, text } = content;
    return { prompt: { id, name, text, version } };
  }
  if (content?.kind !== 'model') return {};
  const { vendor, model, temperature } = content;
  return { model: { vendor, model, temperature } };
}

async function contentOf(
  context: AppContext,
  experiment: RunningExperiment,
  leadId: number,
): Promise<FrozenContent | null> {
  const existing = (await readArms(context.reader, experiment, [leadId])).get(leadId);
  if (!existing || existing.change === null) return existing?.content ?? null;
  return context.transact(async (tx) => {
    const locked = await lockExperiment(tx, experiment.id);
    if (!locked) return null;
    const decided = await readArms(tx, locked, [leadId]);
    await storeArms(tx, decided);
    return decided.get(leadId)?.content ?? null;
  });
}

/** Exclude the leads of an experiment that have turned out to be a person who was assigned before. */
export async function excludeUnited(tx: Tx, experimentId: number): Promise<void> {
  const states = new Map<number, ReturnType<typeof exclusionOf>>();
  const changes: Parameters<typeof excludeAssignments>[1][number][] = [];
  for (const { own, others } of await readUnited(tx, experimentId)) {
    // What was decided about earlier ones of the person counts for the later ones.
    const now = others.map((other) => ({ ...other, excluded: states.get(other.id) ?? other.excluded }));
    const excluded = exclusionOf(own, now);
    states.set(own.id, excluded);
    if (excluded !== null && excluded !== own.excluded) changes.push({ id: own.id, excluded });
  }
  await excludeAssignments(tx, changes);
}
