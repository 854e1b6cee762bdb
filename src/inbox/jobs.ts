/** Jobs and sweeps of the inbox: stored items and delivery reports. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Sweep, Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import { pollDeliveryStatus } from './pollDeliveryStatus.ts';
import { receiveItems } from './receive.ts';
import { receiveReports } from './receiveReports.ts';
import { handleRecipientNotFound, RECIPIENT_NOT_FOUND } from './recipientNotFound.ts';
import { findAccountsToPoll } from './store/deliveryPolling.ts';
import { findRecipientsNotFound } from './store/deliveryReports.ts';
import { INBOX_SWEEP, REPORTS_SWEEP } from './store/items.ts';
import { RECIPIENTS_SWEEP } from './store/reports.ts';

const messagePayload = z.object({ message: z.int() });
const accountPayload = z.object({ account: z.int(), vendor: z.enum(channelVendors) });

export const inboxTasks = (policy: SendPolicy): readonly Task[] => [
  {
    name: RECIPIENT_NOT_FOUND,
    run: (context, payload) => handleRecipientNotFound(context, policy, messagePayload.parse(payload).message),
  },
  {
    name: 'delivery.poll',
    concurrencyKey: async (_context, payload) => `ask ${accountPayload.parse(payload).account}`,
    run: (context, payload) => {
      const { account, vendor } = accountPayload.parse(payload);
      return pollDeliveryStatus(context, account, vendor);
    },
  },
];

/** Most rows that one sweep works on. */
const SWEEP_LIMIT = 200;

export const inboxSweeps: readonly Sweep[] = [
  sweepDue('delivery polling', 'delivery.poll', async ({ reader }) =>
    (await findAccountsToPoll(reader)).map(({ account_id: account, vendor }) => ({ account, vendor })),
  ),
  sweepDue(RECIPIENTS_SWEEP, RECIPIENT_NOT_FOUND, async ({ reader }) =>
    (await findRecipientsNotFound(reader, SWEEP_LIMIT)).map((message) => ({ message })),
  ),
  {
    name: INBOX_SWEEP,
    run: async (context) => (await receiveItems(context, null)) >= SWEEP_LIMIT,
  },
  {
    name: REPORTS_SWEEP,
    run: receiveReports,
  },
];
