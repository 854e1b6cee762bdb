/** Map stages of leads to steps of the CRM and back, by a product's settings. Pure. */
import { type Stage, stages } from '../leads/contract.ts';
import type { IntegrationConfig } from './contract.ts';

type Mapped = Pick<IntegrationConfig, 'pipelines'>;

const activePipelines = (config: Mapped, pipelineId: number) =>
  config.pipelines.filter((one) => one.is_active && one.pipeline_id === pipelineId);

/** Return the step for a card of this pipeline when its lead is in `stage`; null if the stage is not mapped. */
export function stepForStage(config: Mapped, pipelineId: number, stage: Stage): number | null {
  for (const { steps } of activePipelines(config, pipelineId)) if (steps[stage] !== 0) return steps[stage];
  return null;
}

/**
 * Return the stage of a lead whose card was moved into a step. A step shared by several stages keeps the current stage
 * if it is among them, else gives the first of them. Null if the step is not mapped.
 */
export function stageForStep({
  config,
  pipelineId,
  stepId,
  current,
}: {
  config: Mapped;
  pipelineId: number;
  stepId: number;
  current: Stage;
}): Stage | null {
  const matching = stages.filter((stage) =>
    activePipelines(config, pipelineId).some(({ steps }) => steps[stage] === stepId && stepId !== 0),
  );
  return matching.includes(current) ? current : (matching[0] ?? null);
}

/** Check whether a card in this step is to be imported. */
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

/** Return the steps from which cards are imported. */
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
