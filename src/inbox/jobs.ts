/** Sweeps of the inbox: stored items and delivery reports. */
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { RECIPIENTS_SWEEP } from '../engine/steps/applyEvents.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { pollDeliveryStatus } from './pollDeliveryStatus.ts';
import { receiveItems } from './receive.ts';
import { receiveReports } from './receiveReports.ts';
import { handleRecipientNotFound } from './recipientNotFound.ts';
import { ITEMS_DUE_IN } from './store/chats.ts';
import { findAccountsToPoll, STATUSES_DUE_IN } from './store/deliveryPolling.ts';
import { findRecipientsNotFound, RECIPIENTS_DUE_IN } from './store/deliveryReports.ts';
import { INBOX_SWEEP, REPORTS_SWEEP } from './store/items.ts';
import { REPORTS_DUE_IN } from './store/reports.ts';

/** Most rows that one sweep works on. */
const SWEEP_LIMIT = 200;
/** Nobody waits for a single report: those of the same tenth of a second are applied by one statement. */
const GATHER_MS = 100;

/** Recipients that are settled at once: they wait for the database alone. */
const RECIPIENT_SLOTS = 4;

export const inboxSweeps = (policy: SendPolicy): readonly Sweep[] => [
  sweepDue({
    name: 'delivery polling',
    task: 'delivery.poll',
    dueIn: () => STATUSES_DUE_IN,
    findDue: async (context) =>
      (await findAccountsToPoll(context.reader)).map(({ account_id: account, vendor }) => ({
        key: account,
        queue: `ask ${account}`,
        run: () => pollDeliveryStatus(context, account, vendor),
      })),
  }),
  sweepDue({
    name: RECIPIENTS_SWEEP,
    task: 'recipient.not_found',
    dueIn: () => RECIPIENTS_DUE_IN,
    findDue: async (context) =>
      (await findRecipientsNotFound(context.reader, SWEEP_LIMIT)).map((message) => ({
        key: message,
        queue: { name: 'recipients', slots: RECIPIENT_SLOTS },
        run: () => handleRecipientNotFound(context, policy, message),
      })),
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
