/** Sweeps of channels: poll the sessions of accounts whose vendor does not report every change. */
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { NoAnswer } from '../platform/outbound.ts';
import { VendorRefused } from './driver.ts';
import { polledVendors } from './drivers.ts';
import { readSessions } from './sessions.ts';
import { accountsToPollDueIn, claimAccountToPoll, findAccountsToPoll } from './store.ts';

export const channelSweeps: readonly Sweep[] = [
  sweepDue({
    name: 'sessions',
    task: 'sessions.poll',
    dueIn: ({ config }) => accountsToPollDueIn(polledVendors, config.vendorPollSeconds),
    findDue: async (context) =>
      (await findAccountsToPoll(context.reader, polledVendors, context.config.vendorPollSeconds)).map((account) => ({
        key: account,
        queue: `ask ${account}`,
        run: () => pollSessions(context, account),
      })),
  }),
];

/** Poll the sessions of an account, if they are due. */
async function pollSessions(context: AppContext, account: number): Promise<void> {
  const { reader, config } = context;
  if (!(await claimAccountToPoll(reader, account, { vendors: polledVendors, seconds: config.vendorPollSeconds })))
    return;
  try {
    await readSessions(context, account);
  } catch (error) {
    // A vendor that refuses or does not answer is polled again a minute later; the next send reports a rejected token.
    if (!(error instanceof VendorRefused || error instanceof NoAnswer)) throw error;
    context.log.info({ account, reason: error instanceof Error ? error.message : '' }, 'sessions could not be polled');
  }
}
