/** The first texts of a queue's head: of each lead, from what its product uses or from its arm of an experiment. */
import { type LeadArm, lockExperiment, type RunningExperiment, readArms } from '../experiments/assign.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { FirstDecision } from './decideFirstMessages.ts';
import {
  type FirstText,
  type FirstTextSource,
  type FirstTextSources,
  makeFirstTexts,
  sourceOf,
  type Variant,
} from './messageText.ts';

/** Texts by lead. */
export type Texts = ReadonlyMap<number, FirstText>;

/** Whether a model writes first messages: those of the product, or those of an arm. */
export const hasDocuments = ({ base, experiment }: FirstTextSources): boolean =>
  base.kind === 'document' || (experiment?.arms.some(({ content }) => content.kind === 'document') ?? false);

/** Decide about the arms of leads as of now; an empty map without an experiment. */
export async function armsOf(
  reader: Reader,
  experiment: RunningExperiment | null,
  firsts: readonly FirstDecision[],
): Promise<Map<number, LeadArm>> {
  const leadIds = firsts.map(({ leadId }) => leadId);
  return experiment ? readArms(reader, experiment, leadIds) : new Map<number, LeadArm>();
}

/**
 * Make the texts of leads that may be claimed. An experiment stays locked until the transaction ends, so that its arms are
 * those that are stored. A document that was made for another arm is left out.
 */
export async function makeTexts(
  context: AppContext,
  tx: Tx,
  {
    sources: { base, experiment },
    documents,
    firsts,
  }: {
    readonly sources: FirstTextSources;
    readonly documents: Texts;
    readonly firsts: readonly FirstDecision[];
  },
): Promise<{ readonly texts: Texts; readonly arms: ReadonlyMap<number, LeadArm> }> {
  const arms = await armsOf(tx, experiment && (await lockExperiment(tx, experiment.id)), firsts);
  const texts = new Map<number, FirstText>();
  const templates = new Map<string, { source: FirstTextSource; targets: FirstDecision[] }>();
  for (const first of firsts) {
    const source = sourceOf(base, arms.get(first.leadId));
    if (source.kind === 'document') {
      const text = documents.get(first.leadId);
      if (text && keyOf(text.variant) === keyOf(source.variant)) texts.set(first.leadId, text);
      continue;
    }
    const group = templates.get(keyOf(source.variant)) ?? { source, targets: [] };
    group.targets.push(first);
    templates.set(keyOf(source.variant), group);
  }
  for (const { source, targets } of templates.values())
    for (const [leadId, text] of await makeFirstTexts(context, { reader: tx, source, targets }))
      texts.set(leadId, text);
  if (templates.size > 0 && texts.size > 0) failpoint('first.afterText');
  return { texts, arms };
}

const keyOf = (variant: Variant | null): string => (variant ? `${variant.experimentId}/${variant.arm}` : '');
