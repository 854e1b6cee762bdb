/** Jobs and sweeps of channels: poll the sessions of accounts whose vendor does not report every change. */
import { z } from 'zod';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { NoAnswer } from '../platform/outbound.ts';
import { VendorRefused } from './driver.ts';
import { polledVendors } from './drivers.ts';
import { readSessions } from './sessions.ts';
import { accountsToPollDueIn, claimAccountsToPoll } from './store.ts';

const accountPayload = z.object({ account: z.int() });

export const channelTasks: readonly Task[] = [
  {
    name: 'sessions.poll',
    concurrencyKey: async (_context, payload) => `ask ${accountPayload.parse(payload).account}`,
    async run(context, payload) {
      const { account } = accountPayload.parse(payload);
      try {
        await readSessions(context, account);
      } catch (error) {
        // A vendor that refuses or does not answer is polled again a minute later; the next send reports a rejected
        // token.
        if (!(error instanceof VendorRefused || error instanceof NoAnswer)) throw error;
        context.log.info(
          { account, reason: error instanceof Error ? error.message : '' },
          'sessions could not be polled',
        );
      }
    },
  },
];

export const channelSweeps: readonly Sweep[] = [
  sweepDue({
    name: 'sessions',
    task: 'sessions.poll',
    dueIn: ({ config }) => accountsToPollDueIn(polledVendors, config.vendorPollSeconds),
    findDue: async ({ reader, config }) =>
      (await claimAccountsToPoll(reader, polledVendors, config.vendorPollSeconds)).map((account) => ({ account })),
  }),
];
