/** The settings of a product's integration as edited on the page. Pure. */
import { z } from 'zod';
import { type Stage, stages } from '../../leads/contract.ts';
import { stageLabel } from '../../leads/pages/shared/stage.tsx';
import type { DocumentField } from '../../ui/documentField.ts';
import { t } from '../../ui/i18n.ts';
import type { DraftCodec } from '../../ui/useDraft.tsx';
import type { crmDirectory } from '../amocrmContract.ts';
import { type IntegrationConfig, productIntegrations } from '../contract.ts';

export type Directory = z.output<typeof crmDirectory>;
type PipelineConfig = IntegrationConfig['pipelines'][number];

export interface PipelineOnPage extends PipelineConfig {
  /** Identifies the card while others are added and removed. */
  readonly key: number;
}

export interface IntegrationDraft extends Omit<IntegrationConfig, 'pipelines'> {
  readonly pipelines: readonly PipelineOnPage[];
}

export type FieldNameKey = 'tg_contact_custom_field_name' | 'whatsapp_contact_custom_field_name';

/** The maximum that the contract allows. */
export const MAX_PIPELINES = 100;

let keys = 0;
export function withKey(pipeline: PipelineConfig): PipelineOnPage {
  keys += 1;
  return { ...pipeline, key: keys };
}

const parseBody = (config: unknown) =>
  // Placeholders: the ids are set when the settings are stored.
  productIntegrations.create.body.safeParse({ product_id: 1, crm_integration_id: 1, config });

/**
 * Convert stored settings to a draft. A product that does not use the integration yet starts with the contract's
 * defaults.
 */
export function draftFromStored(stored: IntegrationConfig | null): IntegrationDraft {
  const config = stored ?? parseBody({}).data?.config;
  if (!config) throw new Error('The defaults of the settings are invalid');
  return { ...config, pipelines: config.pipelines.map(withKey) };
}

/** Convert the settings to the form of the API. */
export function toConfig({ pipelines, ...rest }: IntegrationDraft): IntegrationConfig {
  return { ...rest, pipelines: pipelines.map(({ key: _key, ...pipeline }) => pipeline) };
}

/** The stored form of a draft, without the contract's limits, since a draft may still have faults. */
export const INTEGRATION_DRAFT: DraftCodec<IntegrationDraft, IntegrationConfig> = {
  schema: z.object({
    import_enabled: z.boolean(),
    tg_contact_custom_field_name: z.string(),
    whatsapp_contact_custom_field_name: z.string(),
    pipelines: z.array(
      z.object({ is_active: z.boolean(), pipeline_id: z.number(), steps: z.record(z.enum(stages), z.number()) }),
    ),
  }),
  serialize: toConfig,
  deserialize: (config) => draftFromStored(config),
};

/** List the settings, named as on the page; without a directory, pipelines and steps are shown by their ids. */
export function describeIntegration(draft: IntegrationDraft, directory: Directory | undefined): DocumentField[] {
  const onOff = (isOn: boolean) => (isOn ? t('On') : t('Off'));
  return [
    { label: t('Import cards'), value: onOff(draft.import_enabled) },
    ...fieldNames.map((name) => ({ label: fieldLabel(name), value: draft[name] })),
    ...draft.pipelines.flatMap(({ is_active: isActive, pipeline_id: id, steps }, index) => {
      const accountPipeline = directory?.pipelines.find((one) => one.id === id);
      const label = (field: string) => t('Pipeline {{number}} · {{field}}', { number: index + 1, field });
      const stepName = (step: number) =>
        step === 0 ? t('Not mapped') : (accountPipeline?.steps.find((one) => one.id === step)?.name ?? `#${step}`);
      return [
        { label: label(t('Active')), value: onOff(isActive) },
        { label: label(t('Pipeline in amoCRM')), value: id === 0 ? '' : (accountPipeline?.name ?? `#${id}`) },
        ...stages.map((stage) => ({
          label: label(t('Step for {{stage}}', { stage: stageLabel(stage) })),
          value: stepName(steps[stage]),
        })),
      ];
    }),
  ];
}

/**
 * Parse a pipeline card. Missing fields get defaults: active, with nothing mapped. Returns the reasons if the input is
 * invalid.
 */
export function readPipeline(input: unknown): { pipeline: PipelineConfig } | { reasons: string[] } {
  const read = parseBody({ pipelines: [input] });
  if (!read.success) return { reasons: read.error.issues.map(({ message }) => message) };
  const [pipeline] = read.data.config.pipelines;
  return pipeline ? { pipeline } : { reasons: [] };
}

/** Faults by the path of their field in the body. */
export type Faults = Readonly<Record<string, string>>;

/** Find required fields that are empty. */
export function requiredFaults(draft: IntegrationDraft): Faults {
  const missing: Record<string, string> = {};
  for (const name of fieldNames)
    if (draft[name].trim() === '') missing[`config.${name}`] = t('{{label}} is required', { label: fieldLabel(name) });
  return missing;
}

export const fieldNames: readonly FieldNameKey[] = [
  'tg_contact_custom_field_name',
  'whatsapp_contact_custom_field_name',
];

export function fieldLabel(name: FieldNameKey): string {
  return name === 'tg_contact_custom_field_name'
    ? t('Custom field with the Telegram address')
    : t('Custom field with the WhatsApp number');
}

/** Choose another pipeline of the CRM. Steps that it does not have become unmapped. */
export function setPipeline(previous: PipelineOnPage, id: number, directory: Directory | undefined): PipelineOnPage {
  const steps = directory?.pipelines.find((one) => one.id === id)?.steps;
  const newSteps = { ...previous.steps };
  if (steps) for (const stage of stages) if (!steps.some((one) => one.id === newSteps[stage])) newSteps[stage] = 0;
  return { ...previous, pipeline_id: id, steps: newSteps };
}

export const setStep = (previous: PipelineOnPage, stage: Stage, step: number): PipelineOnPage => ({
  ...previous,
  steps: { ...previous.steps, [stage]: step },
});

/** Describe what a pipeline's card does not do although it may seem to. Warnings do not prevent saving. */
export function findWarnings(
  pipeline: PipelineOnPage,
  { draft, directory }: { draft: IntegrationDraft; directory: Directory | undefined },
): string[] {
  if (!pipeline.is_active) return [t('Inactive: its cards are neither imported nor moved.')];
  if (pipeline.pipeline_id === 0) return [t('No pipeline is chosen, so nothing happens.')];
  const first = draft.pipelines.find((one) => one.is_active && one.pipeline_id === pipeline.pipeline_id);
  const accountPipeline = directory?.pipelines.find((one) => one.id === pipeline.pipeline_id);
  const missingStages =
    directory && accountPipeline
      ? stages.filter((stage) => isMissing(pipeline.steps[stage], accountPipeline.steps))
      : [];
  return [
    ...(first !== undefined && first.key !== pipeline.key
      ? [t('This pipeline is also above. Where both map a stage, the upper one applies.')]
      : []),
    ...(directory && !accountPipeline ? [t('This pipeline is no longer in amoCRM.')] : []),
    ...(missingStages.length > 0
      ? [
          t('These stages are mapped to steps that are no longer in amoCRM: {{stages}}.', {
            stages: missingStages.join(', '),
          }),
        ]
      : []),
    ...(pipeline.steps.initial === 0 && draft.import_enabled
      ? [t('No step is mapped to Initial, so none of its cards are imported.')]
      : []),
  ];
}

const isMissing = (step: number, steps: readonly { id: number }[]): boolean =>
  step !== 0 && !steps.some((one) => one.id === step);

/**
 * Group the stages that share a step. A card moved there keeps its current stage if it is one of them, else takes the
 * first.
 */
export function sharedSteps({ steps }: PipelineOnPage): Stage[][] {
  const byStep = new Map<number, Stage[]>();
  for (const stage of stages)
    if (steps[stage] !== 0) byStep.set(steps[stage], [...(byStep.get(steps[stage]) ?? []), stage]);
  return [...byStep.values()].filter((sharing) => sharing.length > 1);
}
