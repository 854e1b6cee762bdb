/** What the assistant can do with runs. */
import { z } from 'zod';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import type { PageContext } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import {
  estimateStudioRun,
  listStudioResults,
  listStudioRuns,
  readStudioRun,
  type StudioRun,
  startStudioRun,
} from '../../runContract.ts';
import { isActive, verdictText } from '../labels.ts';

/** Tools of the list. */
export function startTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'estimate_studio_run',
      description: t('Tells what a run would try and cost. It starts nothing.'),
      input: estimateStudioRun.body,
      run: (body) => call(estimateStudioRun, { body }),
    }),
    pageTool({
      name: 'start_studio_run',
      description: t(
        'Starts a run: a prompt is tried on test cases (gate), real dialogues (replay), known outcomes (classification) or simulated leads (simulation). It calls models and costs money up to its budget; nothing is sent to leads.',
      ),
      input: startStudioRun.body,
      confirm: true,
      irreversible: t('What a run has spent is not given back. It can be cancelled.'),
      run: async (body) => {
        const { id, estimate } = await call(startStudioRun, { body });
        await queryClient.invalidateQueries({ queryKey: keyOf(listStudioRuns) });
        return { status: 'started', id, estimate };
      },
    }),
    pageTool({
      name: 'read_studio_run',
      description: t('Reads the state and the finding of a run.'),
      input: z.strictObject({ id: z.int().positive() }),
      run: async ({ id }) => {
        const { text: _text, live_text: _live, ...run } = await call(readStudioRun, { params: { id } });
        return run;
      },
    }),
  ];
}

/** The context of one run. */
export function runContext(run: StudioRun, onCancel: () => Promise<StudioRun>): PageContext {
  const { text: _text, live_text: _live, ...facts } = run;
  return {
    description: t('One run of the prompt studio: its progress, its finding and its results.'),
    summary: JSON.stringify({ ...facts, finding: verdictText(run) }),
    ...pageTools(
      pageTool({
        name: 'read_studio_results',
        description: t('Reads the results of this run, what matters most first.'),
        input: z.strictObject({ page: z.int().positive().max(10_000).default(1) }),
        run: ({ page }) => call(listStudioResults, { params: { id: run.id }, query: { page, limit: 10 } }),
      }),
      ...(isActive(run)
        ? [
            pageTool({
              name: 'cancel_studio_run',
              description: t('Cancels this run. What was made stays.'),
              input: NO_ARGUMENTS,
              confirm: true,
              irreversible: t('A cancelled run cannot be continued.'),
              run: async () => ({ status: (await onCancel()).state }),
            }),
          ]
        : []),
    ),
  };
}
