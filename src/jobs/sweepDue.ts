import type { AppContext } from '../platform/appContext.ts';
import { enqueueMany } from './store/enqueue.ts';
import type { Sweep } from './sweeps.ts';

interface DueJobs extends Pick<Sweep, 'name' | 'dueIn'> {
  readonly task: string;
  /** Return the payloads of the jobs that are due. */
  readonly findDue: (context: AppContext) => Promise<readonly object[]>;
}

/** Create a sweep that enqueues a job for each due row, except where its job already waits in this process. */
export const sweepDue = ({ task, findDue, ...sweep }: DueJobs): Sweep => ({
  ...sweep,
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
