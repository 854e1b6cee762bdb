import { describe, expect, it } from 'vitest';
import {
  cumulativeMinutes,
  NEW_STEP,
  numberSteps,
  removeStep,
  setSource,
  stepFaults,
  stepSource,
  toStepDraft,
} from './sequence.ts';

const prompted = { ...NEW_STEP, prompt_id: 4 };
const prepared = { ...NEW_STEP, source: 'prepared_message' as const, prepared_message_id: 7, after_minutes: 30 };

it('adds a step with a prompt after an hour', () => {
  expect(NEW_STEP).toEqual({
    source: 'prompt',
    after_minutes: 60,
    prepared_message_id: null,
    prompt_id: null,
    document_type: null,
  });
});

describe('the source', () => {
  it('clears the other source when it changes', () => {
    expect(setSource(prompted, 'prepared_message')).toEqual({
      ...prompted,
      source: 'prepared_message',
      prompt_id: null,
    });
    expect(setSource(prepared, 'prompt')).toEqual({ ...prepared, source: 'prompt', prepared_message_id: null });
  });
  it('prefers the prepared message where both are stored', () => {
    const both = { step_number: 3, after_minutes: 5, prepared_message_id: 7, prompt_id: 4, document_type: 'offer' };
    expect(stepSource(both)).toBe('prepared_message');
    expect(toStepDraft(both)).toEqual({
      source: 'prepared_message',
      after_minutes: 5,
      prepared_message_id: 7,
      prompt_id: null,
      document_type: 'offer',
    });
  });
});

it('renumbers steps after one is removed, and keeps the last', () => {
  const steps = [prompted, prepared, { ...prompted, after_minutes: 5 }];
  expect(
    numberSteps(removeStep(steps, 0)).map(({ step_number, after_minutes }) => [step_number, after_minutes]),
  ).toEqual([
    [1, 30],
    [2, 5],
  ]);
  expect(removeStep([prompted], 0)).toEqual([prompted]);
});

it('reports the error of each step', () => {
  const sentences = (...steps: Parameters<typeof stepFaults>[0]) => stepFaults(steps).map(({ sentence }) => sentence);
  expect(sentences(prompted, prepared)).toEqual([]);
  expect(sentences(prompted, { ...prompted, after_minutes: 0 }, { ...prepared, after_minutes: null })).toEqual([
    'Step 2: After minutes must be greater than 0',
    'Step 3: After minutes must be greater than 0',
  ]);
  expect(sentences(NEW_STEP, { ...prepared, prepared_message_id: null })).toEqual([
    'Step 1: Please select an AI prompt',
    'Step 2: Please select a prepared message',
  ]);
});

it('counts each step from the one before', () => {
  expect(cumulativeMinutes([prompted, prepared, { after_minutes: null }])).toEqual([60, 90, 90]);
});
