/** Follow-ups: the steps of a sequence, their defaults and their validation. Shared by server and console. */

export interface SequenceStep {
  /** Position in the sequence, from 1. */
  readonly step_number: number;
  /** Minutes since the previous step; for the first step, since the lead's last message or the dialogue's creation. */
  readonly after_minutes: number;
  readonly prepared_message_id: number | null;
  readonly prompt_id: number | null;
  /** Type of the lead's document that is added to the prompt. */
  readonly document_type: string | null;
}

/** The source of a step's text. */
export type StepSource = 'prepared_message' | 'prompt';

/**
 * A step being edited: its source can be chosen before its prompt or prepared message, and its minutes may be blank.
 */
export interface StepDraft extends Omit<SequenceStep, 'step_number' | 'after_minutes'> {
  readonly source: StepSource;
  readonly after_minutes: number | null;
}

/** Minimum minutes between our last message and a follow-up, unless the step's own minutes are fewer. */
export const MIN_GAP_MINUTES = 15;

/** Minutes of a new step. */
const DEFAULT_MINUTES = 60;

export const NEW_STEP: StepDraft = {
  source: 'prompt',
  after_minutes: DEFAULT_MINUTES,
  prepared_message_id: null,
  prompt_id: null,
  document_type: null,
};

export const ONE_STEP_AT_LEAST = 'At least one ping step is required';
export const MAX_STEPS = 50;

/** Return the source of a step. If both ids are set, the prepared message wins. */
export function stepSource(step: Pick<SequenceStep, 'prepared_message_id' | 'prompt_id'>): StepSource {
  return step.prepared_message_id === null ? 'prompt' : 'prepared_message';
}

export function toStepDraft(step: SequenceStep): StepDraft {
  const { step_number: _place, ...rest } = step;
  const source = stepSource(step);
  return setSource({ ...rest, source }, source);
}

/** Set the source and clear the id of the other one. */
export function setSource<S extends StepDraft>(step: S, source: StepSource): S {
  return source === 'prompt' ? { ...step, source, prepared_message_id: null } : { ...step, source, prompt_id: null };
}

/** Number the steps by their positions, as they are saved. Only for steps without faults. */
export function numberSteps(steps: readonly StepDraft[]): SequenceStep[] {
  return steps.map(({ after_minutes, prepared_message_id, prompt_id, document_type }, index) => ({
    step_number: index + 1,
    after_minutes: after_minutes ?? 0,
    prepared_message_id,
    prompt_id,
    document_type,
  }));
}

/** Remove a step. The last remaining one stays. */
export function removeStep<S extends StepDraft>(steps: readonly S[], index: number): readonly S[] {
  return steps.length > 1 ? steps.filter((_step, at) => at !== index) : steps;
}

export function minutesFault(number: number): string {
  return `Step ${number}: After minutes must be greater than 0`;
}

/** Return what the step lacks besides minutes, or null. */
export function sourceFault(
  number: number,
  step: Pick<StepDraft, 'source' | 'prepared_message_id' | 'prompt_id'>,
): string | null {
  if (step.source === 'prepared_message')
    return step.prepared_message_id === null ? `Step ${number}: Please select a prepared message` : null;
  return step.prompt_id === null ? `Step ${number}: Please select an AI prompt` : null;
}

export interface StepFault {
  readonly index: number;
  readonly field: 'after_minutes' | 'source';
  readonly sentence: string;
}

/** List what prevents the steps from being saved, in the order of the steps. */
export function stepFaults(steps: readonly StepDraft[]): StepFault[] {
  return steps.flatMap((step, index) => {
    const faults: StepFault[] = [];
    if (step.after_minutes === null || step.after_minutes < 1)
      faults.push({ index, field: 'after_minutes', sentence: minutesFault(index + 1) });
    const source = sourceFault(index + 1, step);
    if (source !== null) faults.push({ index, field: 'source', sentence: source });
    return faults;
  });
}

/** Sum the minutes up to each step, counted from the same start as the first step. */
export function cumulativeMinutes(steps: readonly Pick<StepDraft, 'after_minutes'>[]): number[] {
  let sum = 0;
  return steps.map(({ after_minutes }) => {
    sum += after_minutes ?? 0;
    return sum;
  });
}
