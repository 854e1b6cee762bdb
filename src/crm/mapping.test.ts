import { describe, expect, it } from 'vitest';
import { type Stage, stages } from '../leads/contract.ts';
import type { IntegrationConfig } from './contract.ts';
import { importedSteps, isImported, stageForStep, stepForStage } from './mapping.ts';

const NONE = { initial: 0, started: 0, ongoing: 0, pending: 0, refused: 0, ignore: 0, success: 0, failed: 0 };
const pipeline = (pipeline_id: number, steps: Partial<Record<Stage, number>>, is_active = true) => ({
  is_active,
  pipeline_id,
  steps: { ...NONE, ...steps },
});
const config = (...pipelines: ReturnType<typeof pipeline>[]): IntegrationConfig => ({
  import_enabled: true,
  tg_contact_custom_field_name: 'telegram',
  whatsapp_contact_custom_field_name: 'whatsapp',
  pipelines,
});

/** Won and lost have the same ids in every pipeline; lost is mapped to two stages, and one stage to nothing. */
const kitchens = pipeline(1, {
  initial: 10,
  started: 11,
  ongoing: 12,
  pending: 12,
  refused: 143,
  failed: 143,
  success: 142,
});
const wardrobes = pipeline(2, { initial: 20, success: 142 });
const inactive = pipeline(3, { initial: 30, started: 31 }, false);
const both = config(kitchens, wardrobes, inactive);

describe('the step of a stage', () => {
  it.each<[number, Stage, number | null]>([
    [1, 'initial', 10],
    [1, 'pending', 12],
    [1, 'failed', 143],
    [1, 'ignore', null],
    [2, 'success', 142],
    [2, 'started', null],
    [3, 'initial', null],
    [4, 'initial', null],
  ])('in pipeline %i, %s: %s', (pipelineId, stage, step) => {
    expect(stepForStage(both, pipelineId, stage)).toBe(step);
  });

  it('is the first that maps it where a pipeline is listed twice', () => {
    const twice = config(pipeline(1, { started: 11 }), pipeline(1, { started: 99, ongoing: 12 }));
    expect([stepForStage(twice, 1, 'started'), stepForStage(twice, 1, 'ongoing')]).toEqual([11, 12]);
  });
});

describe('the stage of a step', () => {
  it.each<[number, number, Stage, Stage | null]>([
    [1, 10, 'initial', 'initial'],
    [1, 11, 'initial', 'started'],
    // A shared step keeps the current stage, else gives the first of them.
    [1, 12, 'pending', 'pending'],
    [1, 12, 'ongoing', 'ongoing'],
    [1, 12, 'initial', 'ongoing'],
    [1, 143, 'failed', 'failed'],
    [1, 143, 'ongoing', 'refused'],
    [1, 142, 'ongoing', 'success'],
    [2, 142, 'ongoing', 'success'],
    // The step is not mapped.
    [2, 143, 'failed', null],
    [1, 99, 'ongoing', null],
    [1, 20, 'initial', null],
    [3, 30, 'initial', null],
    [4, 10, 'initial', null],
    // Zero is not a step, though unmapped stages have it as their value.
    [1, 0, 'ignore', null],
  ])('pipeline %i, step %i, from %s: %s', (pipelineId, step, current, stage) => {
    expect(stageForStep({ config: both, pipelineId, stepId: step, current })).toBe(stage);
  });

  it('maps back to the stage it was written for', () => {
    for (const stage of stages) {
      const step = stepForStage(both, 1, stage);
      if (step !== null)
        expect([stage, stageForStep({ config: both, pipelineId: 1, stepId: step, current: stage })]).toEqual([
          stage,
          stage,
        ]);
    }
  });
});

describe('an imported card', () => {
  it('is in a first step of an active pipeline', () => {
    expect(importedSteps(both)).toEqual([
      { pipeline_id: 1, status_id: 10 },
      { pipeline_id: 2, status_id: 20 },
    ]);
    const cases: [number, number, boolean][] = [
      [1, 10, true],
      [2, 20, true],
      [1, 20, false],
      [1, 11, false],
      [3, 30, false],
      [0, 0, false],
    ];
    for (const [pipelineId, step, expected] of cases)
      expect([pipelineId, step, isImported(both, pipelineId, step)]).toEqual([pipelineId, step, expected]);
  });

  it('does not exist where import is off or nothing is mapped', () => {
    const off = { ...both, import_enabled: false };
    expect([importedSteps(off), isImported(off, 1, 10)]).toEqual([[], false]);
    const empty = config(pipeline(1, {}), pipeline(0, { initial: 10 }));
    expect([importedSteps(empty), isImported(empty, 1, 0), isImported(empty, 0, 0)]).toEqual([[], false, false]);
  });
});
