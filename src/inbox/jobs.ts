/** Jobs and sweeps of the inbox: stored items and delivery reports. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Sweep, Task } from '../jobs/runner.ts';
import { enqueueMany } from '../jobs/store/enqueue.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import { pollDeliveryStatus } from './pollDeliveryStatus.ts';
import { receiveItems } from './receive.ts';
import { handleRecipientNotFound, RECIPIENT_NOT_FOUND } from './recipientNotFound.ts';
import { findAccountsToPoll } from './store/deliveryPolling.ts';
import { findRecipientsNotFound } from './store/deliveryReports.ts';
import { findOpenItems, sortByVendorTime } from './store/items.ts';

const idsPayload = z.object({ ids: z.array(z.int()) });
const messagePayload = z.object({ message: z.int() });
const accountPayload = z.object({ account: z.int(), vendor: z.enum(channelVendors) });

export const inboxTasks = (policy: SendPolicy): readonly Task[] => [
  {
    name: 'receive',
    async run(context, payload) {
      const { ids } = idsPayload.parse(payload);
      await receiveItems(context, await sortByVendorTime(context.reader, ids));
    },
  },
  {
    // Items whose job was lost, parked items that are due, and items whose retry is due.
    name: 'receive.open',
    run: (context, payload) => receiveItems(context, idsPayload.parse(payload).ids),
  },
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

const SWEEP_LIMIT = 500;

export const inboxSweeps: readonly Sweep[] = [
  sweepDue('delivery polling', 'delivery.poll', async ({ reader }) =>
    (await findAccountsToPoll(reader)).map(({ account_id: account, vendor }) => ({ account, vendor })),
  ),
  sweepDue('recipients not found', RECIPIENT_NOT_FOUND, async ({ reader }) =>
    (await findRecipientsNotFound(reader, SWEEP_LIMIT)).map((message) => ({ message })),
  ),
  {
    name: 'inbox',
    async run(context) {
      const due = await findOpenItems(context.reader, SWEEP_LIMIT);
      if (due.length > 0) await enqueueMany(context, 'receive.open', [{ payload: { ids: due }, key: 'receive.open' }]);
    },
  },
];
