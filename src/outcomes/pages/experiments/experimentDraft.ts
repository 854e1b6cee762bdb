/** The draft of an experiment on the page, and its conversion to and from the contract's form. */
import { z } from 'zod';
import { DEFAULT_TEMPERATURE, llmVendors } from '../../../products/contract.ts';
import type { DocumentField } from '../../../ui/documentField.ts';
import { t } from '../../../ui/i18n.ts';
import { plainDraftCodec } from '../../../ui/useDraft.tsx';
import {
  type ArmContent,
  type Experiment,
  experiment,
  experiments,
  MAX_ARMS,
  sourcesOfKind,
} from '../../experimentContract.ts';
import { documentSource, preparedSource, promptSource } from './armSources.ts';
import { kindLabel, metricLabel } from './experimentLabels.ts';

const shape = experiment.shape;

const armDraft = z.object({
  /** Identifies the arm while its position changes. */
  key: z.number(),
  name: z.string(),
  weight: z.number(),
  source: z.enum(['current', 'text', 'prepared_message', 'document_prompt', 'prompt', 'model']),
  text: z.string(),
  prepared_message_id: z.number().nullable(),
  document_prompt_id: z.number().nullable(),
  prompt_id: z.number().nullable(),
  prompt_version: z.number().nullable(),
  vendor: z.enum(llmVendors).nullable(),
  model: z.string().nullable(),
  temperature: z.number(),
});
export type ArmDraft = z.output<typeof armDraft>;

const experimentDraft = z.object({
  name: z.string(),
  kind: shape.kind,
  metric: shape.metric,
  days: z.number(),
  part: z.number(),
  /** Null: that of the last 90 days. */
  base_rate: z.number().nullable(),
  difference: z.number(),
  guards: shape.guards,
  arms: z.array(armDraft),
});
export type ExperimentDraft = z.output<typeof experimentDraft>;

export const DRAFT = plainDraftCodec<ExperimentDraft>(experimentDraft);

type Source = ArmDraft['source'];

/** Create an arm named by its place: A is the control. */
export function newArm(arms: readonly ArmDraft[], source: Source): ArmDraft {
  const taken = new Set(arms.map(({ name }) => name));
  const names = ['A', 'B', 'C', 'D', 'E'].filter((name) => !taken.has(name));
  return {
    key: Math.max(0, ...arms.map(({ key }) => key)) + 1,
    name: names[0] ?? '',
    weight: 1,
    source,
    text: '',
    prepared_message_id: null,
    document_prompt_id: null,
    prompt_id: null,
    prompt_version: null,
    vendor: null,
    model: null,
    temperature: DEFAULT_TEMPERATURE,
  };
}

/** The source of a new variant: the first that is not what the product uses now. */
export const variantSource = (kind: Experiment['kind']): Source => sourcesOfKind[kind][1] ?? 'current';

function newDraft(): ExperimentDraft {
  const control = newArm([], 'current');
  return {
    name: '',
    kind: 'first_text',
    metric: 'qualified',
    days: 7,
    part: 1,
    base_rate: null,
    difference: 0.1,
    guards: { opt_outs: 0.02, refusals: 0.05, cost: 0.05 },
    arms: [control, newArm([control], variantSource('first_text'))],
  };
}

type StoredSettings = Pick<
  Experiment,
  'name' | 'kind' | 'metric' | 'days' | 'part' | 'base_rate' | 'difference' | 'guards' | 'arms'
>;

/** Return the draft of a stored experiment; of a new one without. */
export function draftOf(stored: StoredSettings | null): ExperimentDraft {
  if (stored === null) return newDraft();
  const { name, kind, metric, days, part, base_rate, difference, guards } = stored;
  const arms = stored.arms.reduce<ArmDraft[]>(
    (before, arm) => [...before, { ...newArm(before, 'current'), name: arm.name, weight: arm.weight, ...arm.content }],
    [],
  );
  return { name, kind, metric, days, part, base_rate, difference, guards, arms };
}

/** Change the kind: contents that it does not allow become the first that it does. */
export function withKind(draft: ExperimentDraft, kind: Experiment['kind']): ExperimentDraft {
  const arms = draft.arms.map((arm) =>
    sourcesOfKind[kind].includes(arm.source) ? arm : { ...arm, source: variantSource(kind) },
  );
  const metric = kind !== 'first_text' && draft.metric === 'answered' ? 'qualified' : draft.metric;
  // Another kind has other leads, so the base rate is estimated anew.
  return { ...draft, kind, metric, arms, base_rate: kind === draft.kind ? draft.base_rate : null };
}

/** What an arm uses, in the contract's form; ids that are not chosen yet are null and refused by the contract. */
function contentOf(arm: ArmDraft): Record<string, unknown> & Pick<ArmContent, 'source'> {
  const { source } = arm;
  switch (source) {
    case 'current':
      return { source };
    case 'text':
      return { source, text: arm.text };
    case 'prepared_message':
      return { source, prepared_message_id: arm.prepared_message_id };
    case 'document_prompt':
      return { source, document_prompt_id: arm.document_prompt_id };
    case 'prompt':
      return { source, prompt_id: arm.prompt_id, prompt_version: arm.prompt_version };
    case 'model':
      return { source, vendor: arm.vendor, model: arm.model, temperature: arm.temperature };
    default:
      return source satisfies never;
  }
}

/** Build the body of a request. `baseRate` stands in for one that was not entered. */
export function bodyOf({ arms, base_rate, ...rest }: ExperimentDraft, productId: number, baseRate: number | null) {
  return {
    ...rest,
    product_id: productId,
    base_rate: base_rate ?? baseRate,
    arms: arms.map((arm) => ({ name: arm.name, weight: arm.weight, content: contentOf(arm) })),
  };
}

/** The part of a draft that counts as a change: what an arm does not use, does not. */
export const comparedPart = (draft: ExperimentDraft) => bodyOf(draft, 0, null);

/** Return the faults of a draft by the path of their field: `arms.1.content`. */
export function faultsOf(body: ReturnType<typeof bodyOf>): ReadonlyMap<string, string> {
  const read = experiments.create.body.safeParse(body);
  if (read.success) return new Map();
  return new Map(
    read.error.issues.map(({ path, message }) => {
      const [field, index, part] = path;
      if (field !== 'arms' || typeof index !== 'number') return [path.join('.'), message];
      const { source } = body.arms[index]?.content ?? { source: 'current' };
      const isMissing = part === 'content' && path.length > 3;
      return [`arms.${index}.${String(part)}`, isMissing ? t(MISSING[source]) : message];
    }),
  );
}

const MISSING: Readonly<Record<Source, string>> = {
  current: '',
  text: 'Write the text',
  prepared_message: 'Choose a prepared message',
  document_prompt: 'Choose a document prompt',
  prompt: 'Choose a prompt and its version',
  model: 'Choose a vendor and a model',
};

export const sourceLabels: Readonly<Record<Source, string>> = {
  current: 'What the product uses now',
  text: 'Text',
  prepared_message: 'Prepared message',
  document_prompt: 'Document prompt',
  prompt: 'Prompt version',
  model: 'Model',
};

const percent = (value: number | null): string => (value === null ? '' : `${+(value * 100).toFixed(2)} %`);

/** List the fields of a draft, named as on the page, for comparing two versions. */
export function describeDraft(draft: ExperimentDraft, productId: number): DocumentField[] {
  return [
    { label: t('Name'), value: draft.name },
    { label: t('Kind'), value: kindLabel(draft.kind) },
    ...draft.arms.flatMap((arm, index) => describeArm(arm, index, productId)),
    { label: t('Share of new leads'), value: percent(draft.part) },
    { label: t('Metric'), value: metricLabel(draft.metric) },
    { label: t('Days'), value: String(draft.days) },
    { label: t('Smallest difference'), value: percent(draft.difference) },
    { label: t('Base rate'), value: percent(draft.base_rate) },
    { label: t('Opt-outs'), value: percent(draft.guards.opt_outs) },
    { label: t('Refusals'), value: percent(draft.guards.refusals) },
    { label: t('Cost'), value: String(draft.guards.cost ?? '') },
  ];
}

function describeArm(arm: ArmDraft, index: number, productId: number): DocumentField[] {
  const label = (field: string) => t('Arm {{number}} · {{field}}', { number: index + 1, field });
  const id = (value: number | null) => String(value ?? '');
  const content: Readonly<Record<Source, DocumentField[]>> = {
    current: [],
    text: [{ label: label(t('Text')), value: arm.text, isText: true }],
    prepared_message: [
      { label: label(t('Prepared message')), value: id(arm.prepared_message_id), source: preparedSource(productId) },
    ],
    document_prompt: [
      { label: label(t('Document prompt')), value: id(arm.document_prompt_id), source: documentSource(productId) },
    ],
    prompt: [
      { label: label(t('Prompt')), value: id(arm.prompt_id), source: promptSource(productId) },
      { label: label(t('Version')), value: id(arm.prompt_version) },
    ],
    model: [
      { label: label(t('Model')), value: [arm.vendor, arm.model].filter(Boolean).join(' ') },
      { label: label(t('Temperature')), value: String(arm.temperature) },
    ],
  };
  return [
    { label: label(t('Name')), value: arm.name },
    { label: label(t('Weight')), value: String(arm.weight) },
    { label: label(t('Uses')), value: t(sourceLabels[arm.source]) },
    ...content[arm.source],
  ];
}

export const mayAddArm = (draft: ExperimentDraft): boolean => draft.arms.length < MAX_ARMS;
