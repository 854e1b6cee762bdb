/** What the assistant may do with jobs. */
import { z } from 'zod';
import { jobs, readLanes, retryJob } from '../../../jobs/contract.ts';
import { call } from '../../../kit/api.ts';
import { NO_ARGUMENTS, pageTool, type ToolOfPage } from '../../../kit/pageTool.ts';
import { keyOf, queryClient } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { plainId } from '../../../platform/contract.ts';

export function jobTools(): ToolOfPage[] {
  return [
    pageTool({
      name: 'show_lanes',
      description: t('What runs and waits beside the jobs, for each model and messenger.'),
      input: NO_ARGUMENTS,
      run: () => call(readLanes),
    }),
    pageTool({
      name: 'retry_job',
      description: t('Runs a failed or waiting job now, by its id.'),
      input: z.strictObject({ id: plainId }),
      confirm: true,
      irreversible: t('What a job has done is not taken back.'),
      run: async ({ id }) => {
        const { state } = await call(retryJob, { params: { id } });
        await queryClient.invalidateQueries({ queryKey: keyOf(jobs.list) });
        return { state };
      },
    }),
  ];
}
