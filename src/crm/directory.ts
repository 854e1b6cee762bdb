/**
 * The directory of an amoCRM account as last read: pipelines with their steps, and the fields of leads and contacts.
 */

export interface Step {
  readonly id: number;
  readonly name: string;
  readonly color: string | null;
  /** True for the incoming step: cards cannot be moved out of it through the API. */
  readonly is_incoming: boolean;
}
export interface Pipeline {
  readonly id: number;
  readonly name: string;
  readonly is_main: boolean;
  readonly steps: readonly Step[];
}
export interface CrmField {
  readonly id: number;
  readonly name: string;
  readonly code: string | null;
  readonly type: string;
}
export interface Directory {
  readonly pipelines: readonly Pipeline[];
  readonly lead_fields: readonly CrmField[];
  readonly contact_fields: readonly CrmField[];
}

/** Return a step's name; null if it is not known (yet). */
export function stepName(directory: Directory | null, pipelineId: number, stepId: number): string | null {
  const pipeline = directory?.pipelines.find((one) => one.id === pipelineId);
  return pipeline?.steps.find((one) => one.id === stepId)?.name ?? null;
}

/** Find the pipeline that has a step, preferring the given one: won and lost have the same ids in all pipelines. */
export function pipelineOfStep(directory: Directory | null, stepId: number, preferred: number): number | null {
  const matching = (directory?.pipelines ?? []).filter((one) => one.steps.some((step) => step.id === stepId));
  return (matching.find((one) => one.id === preferred) ?? matching[0])?.id ?? null;
}
