/** The context and tools that the pages of experiments give the assistant. */
import { z } from 'zod';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { type PageContext, Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { changeDraft, nullIfNotFound, storedUndo } from '../../../ui/undo.ts';
import {
  type Experiment,
  type ExperimentResults,
  experiment,
  experiments,
  readExperimentResults,
} from '../../experimentContract.ts';
import { bodyOf, draftOf, faultsOf } from './experimentDraft.ts';
import { durationSentence } from './experimentForecast.ts';
import { applyConsequence } from './experimentLabels.ts';
import { forecastInput } from './PlanFields.tsx';
import type { ExperimentActions } from './useExperimentActions.ts';
import type { ExperimentEditorState } from './useExperimentEditor.ts';
import { winnerOf } from './winner.ts';

const shape = experiment.shape;

const SETTINGS = z.strictObject({
  name: shape.name,
  kind: shape.kind,
  metric: shape.metric,
  days: shape.days,
  part: shape.part.describe('Share of the new leads, 0 to 1'),
  base_rate: shape.base_rate.describe('Rate without a change, 0 to 1'),
  difference: shape.difference.describe('Smallest difference worth finding: 0.1 for ten points'),
  guards: shape.guards,
  arms: shape.arms.describe('The control first, then one to three variants'),
});

/** Tools of the list. */
export function listTools(productId: number): ToolWithHandler[] {
  return [
    pageTool({
      name: 'create_experiment',
      description: t('Creates a draft of an experiment. It does not start it.'),
      input: SETTINGS,
      confirm: true,
      run: async (input) => {
        const body = experiments.create.body.parse({ ...input, product_id: productId });
        const created = await call(experiments.create, { body });
        await refreshList();
        return new Undoable({ status: 'created', id: created.id, per_arm: created.per_arm }, createdUndo(created));
      },
    }),
    pageTool({
      name: 'read_experiment_results',
      description: t('Reads how an experiment stands: its arms, analyses and finding.'),
      input: z.strictObject({ id: z.int().positive() }),
      run: ({ id }) => call(readExperimentResults, { params: { id } }),
    }),
  ];
}

const refreshList = () => queryClient.invalidateQueries({ queryKey: keyOf(experiments.list) });

/** Deletes the draft again, as long as it is as it was created. */
const createdUndo = (created: Experiment) =>
  storedUndo<Experiment | null>({
    after: created,
    read: () => nullIfNotFound(call(experiments.get, { params: { id: created.id } })),
    restore: async () => {
      await call(experiments.remove, { params: { id: created.id } });
      await refreshList();
    },
  });

/** The context of the editor of a draft. */
export function draftContext(editor: ExperimentEditorState, start: ExperimentActions['start']): PageContext {
  const { draft, productId, baseRate, base, faults, changed, stored, view } = editor;
  const input = forecastInput(editor);
  return {
    description: t('The editor of a draft of an experiment: its arms, measurement, guards and plan.'),
    summary: JSON.stringify({
      experiment: bodyOf(draft, productId, baseRate),
      last_90_days: base && { attempts: base.attempts, reached: base.count, per_week: base.perWeek },
      duration: input && durationSentence(input)?.text,
      faults: Object.fromEntries(faults),
      unsaved: changed,
      saved: stored !== null,
    }),
    ...pageTools(
      pageTool({
        name: 'change_experiment',
        description: t('Changes fields of the draft on the page; it is not saved yet.'),
        input: SETTINGS.partial(),
        confirm: true,
        run: async (change) => {
          const merged = { ...bodyOf(draft, productId, baseRate), ...change };
          const body = experiments.create.body.parse(merged);
          return changeDraft(view, draftOf(body), { status: 'changed on the page, not saved' });
        },
      }),
      pageTool({
        name: 'save_experiment',
        description: t('Saves the draft on the page.'),
        input: NO_ARGUMENTS,
        confirm: true,
        irreversible: t('The former settings of the draft are not kept.'),
        run: async () => {
          const [fault] = faultsOf(bodyOf(draft, productId, baseRate)).values();
          if (fault !== undefined || !(await editor.save()))
            throw new Error(fault ?? t('The experiment was not saved.'));
          return { status: 'saved' };
        },
      }),
      ...(stored === null || changed ? [] : [startTool(start)]),
    ),
  };
}

const startTool = (start: ExperimentActions['start']): ToolWithHandler =>
  pageTool({
    name: 'start_experiment',
    description: t('Starts the saved experiment: from then on new leads are split among its arms.'),
    input: NO_ARGUMENTS,
    confirm: true,
    irreversible: t(
      'Leads that were assigned stay counted. The experiment can be stopped, but not become a draft again.',
    ),
    run: async () => {
      const { per_arm: perArm } = await start();
      return { status: 'running', per_arm: perArm };
    },
  });

/** The context of a running or stopped experiment. */
export function recordContext(results: ExperimentResults, actions: ExperimentActions): PageContext {
  const { experiment: shown, target } = results;
  const winner = winnerOf(results);
  return {
    description: t('One experiment: what it has found, its arms and its analyses.'),
    summary: JSON.stringify({ ...results, winner }),
    ...pageTools(
      ...(shown.state === 'running' ? [stopTool(actions)] : []),
      ...(shown.state === 'stopped' && shown.applied_at === null && target !== null
        ? [applyTool(shown, (arm) => actions.apply(arm, target))]
        : []),
    ),
  };
}

const stopTool = (actions: ExperimentActions): ToolWithHandler =>
  pageTool({
    name: 'stop_experiment',
    description: t('Stops the experiment without a decision: all leads go back to what the product uses.'),
    input: NO_ARGUMENTS,
    confirm: true,
    irreversible: t('A stopped experiment cannot be started again.'),
    run: async () => {
      const { conclusion } = await actions.stop();
      return { status: 'stopped', conclusion };
    },
  });

const applyTool = ({ arm_states: states, arms }: Experiment, apply: (arm: number) => Promise<Experiment>) =>
  pageTool({
    name: 'apply_experiment_arm',
    description: t('Makes an arm what the product uses. 0 is the control.'),
    input: z.strictObject({ arm: z.int().min(0).max(3) }),
    confirm: true,
    irreversible: t('The settings or the prompt of the product change at once. They can be changed back there.'),
    run: async ({ arm }) => {
      const content = states[arm]?.content;
      if (!content) throw new Error(t('There is no such arm.'));
      await apply(arm);
      return { status: 'applied', changed: applyConsequence(content, arms[arm]?.name ?? '') };
    },
  });
