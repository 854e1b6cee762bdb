/** The assistant's tools for jobs. */
import { z } from 'zod';
import { jobs, readJobQueues, retryJob } from '../../jobs/contract.ts';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';

export function jobTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_lanes',
      description: t('Running and waiting calls of each model and messenger.'),
      input: NO_ARGUMENTS,
      run: () => call(readJobQueues),
    }),
    pageTool({
      name: 'retry_job',
      description: t('Runs a failed or waiting job now, by its id.'),
      input: z.strictObject({ id: uncheckedId }),
      confirm: true,
      irreversible: t('What a job has done cannot be undone.'),
      run: async ({ id }) => {
        const { state } = await call(retryJob, { params: { id } });
        await queryClient.invalidateQueries({ queryKey: keyOf(jobs.list) });
        return { state };
      },
    }),
  ];
}
