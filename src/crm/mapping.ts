/** Stages of leads and steps of the CRM: what stands for what, by a product's settings. Pure. */
import { type Stage, stages } from '../leads/contract.ts';
import type { IntegrationConfig } from './contract.ts';

type Mapped = Pick<IntegrationConfig, 'pipelines'>;

const activePipelines = (config: Mapped, pipelineId: number) =>
  config.pipelines.filter((one) => one.is_active && one.pipeline_id === pipelineId);

/** The step a card of this pipeline stands in when its lead is in `stage`; null: the stage is not mapped. */
export function stepForStage(config: Mapped, pipelineId: number, stage: Stage): number | null {
  for (const { steps } of activePipelines(config, pipelineId)) if (steps[stage] !== 0) return steps[stage];
  return null;
}

/**
 * The stage of a lead whose card was put into a step. A step shared by several stages keeps the current one if it is
 * among them, else means the first of them; null: the step is not mapped.
 */
export function stageForStep(config: Mapped, pipelineId: number, stepId: number, current: Stage): Stage | null {
  const matching = stages.filter((stage) =>
    activePipelines(config, pipelineId).some(({ steps }) => steps[stage] === stepId && stepId !== 0),
  );
  return matching.includes(current) ? current : (matching[0] ?? null);
}

/** Whether a card in this step is to be imported. */
export function isImported(
  config: Mapped & Pick<IntegrationConfig, 'import_enabled'>,
  pipelineId: number,
  stepId: number,
): boolean {
  return (
    config.import_enabled &&
    stepId !== 0 &&
    activePipelines(config, pipelineId).some(({ steps }) => steps.initial === stepId)
  );
}

/** The steps from which cards are imported. */
export function importedSteps(
  config: Mapped & Pick<IntegrationConfig, 'import_enabled'>,
): { pipeline_id: number; status_id: number }[] {
  if (!config.import_enabled) return [];
  return config.pipelines.flatMap((one) =>
    one.is_active && one.pipeline_id !== 0 && one.steps.initial !== 0
      ? [{ pipeline_id: one.pipeline_id, status_id: one.steps.initial }]
      : [],
  );
}
