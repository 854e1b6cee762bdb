/** Jobs and sweeps of the inbox: stored items and delivery reports. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { RECIPIENTS_SWEEP } from '../engine/steps/applyEvents.ts';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { pollDeliveryStatus } from './pollDeliveryStatus.ts';
import { receiveItems } from './receive.ts';
import { receiveReports } from './receiveReports.ts';
import { handleRecipientNotFound, RECIPIENT_NOT_FOUND } from './recipientNotFound.ts';
import { ITEMS_DUE_IN } from './store/chats.ts';
import { findAccountsToPoll, STATUSES_DUE_IN } from './store/deliveryPolling.ts';
import { findRecipientsNotFound, RECIPIENTS_DUE_IN } from './store/deliveryReports.ts';
import { INBOX_SWEEP, REPORTS_SWEEP } from './store/items.ts';
import { REPORTS_DUE_IN } from './store/reports.ts';

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
/** Nobody waits for a single report: those of the same tenth of a second are applied by one statement. */
const GATHER_MS = 100;

export const inboxSweeps: readonly Sweep[] = [
  sweepDue({
    name: 'delivery polling',
    task: 'delivery.poll',
    dueIn: () => STATUSES_DUE_IN,
    findDue: async ({ reader }) =>
      (await findAccountsToPoll(reader)).map(({ account_id: account, vendor }) => ({ account, vendor })),
  }),
  sweepDue({
    name: RECIPIENTS_SWEEP,
    task: RECIPIENT_NOT_FOUND,
    dueIn: () => RECIPIENTS_DUE_IN,
    findDue: async ({ reader }) => (await findRecipientsNotFound(reader, SWEEP_LIMIT)).map((message) => ({ message })),
  }),
  {
    name: INBOX_SWEEP,
    dueIn: () => ITEMS_DUE_IN,
    run: async (context) => (await receiveItems(context, null)) >= SWEEP_LIMIT,
  },
  {
    name: REPORTS_SWEEP,
    dueIn: () => REPORTS_DUE_IN,
    gatherMs: GATHER_MS,
    run: receiveReports,
  },
];
