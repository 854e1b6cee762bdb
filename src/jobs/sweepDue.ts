import type { AppContext } from '../platform/appContext.ts';
import type { Sweep } from './runner.ts';
import { enqueueMany } from './store/enqueue.ts';

/** Create a sweep that enqueues a job for each due row, except where its job already waits in this process. */
export const sweepDue = (
  name: string,
  task: string,
  findDue: (context: AppContext) => Promise<readonly object[]>,
): Sweep => ({
  name,
  async run(context, { isWaiting }) {
    const jobs = (await findDue(context)).map((payload) => ({
      payload,
      key: `${task}:${Object.values(payload).join()}`,
    }));
    await enqueueMany(
      context,
      task,
      jobs.filter(({ key }) => !isWaiting(key)),
    );
  },
});
