/** Jobs and sweeps of messaging. A job only triggers the work; the rows are the source of truth. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { classificationConcurrencyKey, classifyTurn } from '../conversations/classifyTurn.ts';
import { reply, replyConcurrencyKey } from '../conversations/reply.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { findDueClassifications, openDueClassifications } from '../conversations/store/classifications.ts';
import { findDialogueContext, findDueTurns } from '../conversations/store/dialogues.ts';
import { findAccountOfMessage, findRecipientsNotFound } from '../conversations/store/messages.ts';
import { pollDeliveryStatus } from '../inbox/pollDeliveryStatus.ts';
import { receiveItems } from '../inbox/receive.ts';
import { handleRecipientNotFound, RECIPIENT_NOT_FOUND } from '../inbox/recipientNotFound.ts';
import { findAccountsToPoll } from '../inbox/store/deliveryPolling.ts';
import { findOpenItems, sortByVendorTime } from '../inbox/store/items.ts';
import { enqueueMany, type Sweep, type Task } from '../jobs/runner.ts';
import type { AppContext } from '../platform/appContext.ts';
import { deliver, reclaim } from './deliver.ts';
import { releaseLostClaims } from './lostClaims.ts';
import { findOrphanedClaims } from './store/claims.ts';
import { findDueDialogues } from './store/queue.ts';

const idsPayload = z.object({ ids: z.array(z.int()) });
const dialoguePayload = z.object({ dialogue: z.int() });
const messagePayload = z.object({ message: z.int() });
const accountPayload = z.object({ account: z.int(), vendor: z.enum(channelVendors) });
const classificationPayload = z.object({ classification: z.int() });

export const messagingTasks = (policy: SendPolicy): readonly Task[] => [
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
    name: 'reply',
    concurrencyKey: (context, payload) => replyConcurrencyKey(context, dialoguePayload.parse(payload).dialogue),
    run: (context, payload) => reply(context, dialoguePayload.parse(payload).dialogue),
  },
  {
    name: 'deliver',
    async concurrencyKey(context, payload) {
      const dialogueContext = await findDialogueContext(context.reader, dialoguePayload.parse(payload).dialogue);
      return dialogueContext ? `send ${dialogueContext.account_id}` : null;
    },
    run: (context, payload) => deliver(context, policy, dialoguePayload.parse(payload).dialogue),
  },
  {
    // Separate from first tries: a reclaimed message must be resent before the vendor forgets its key.
    name: 'reclaim',
    async concurrencyKey(context, payload) {
      const account = await findAccountOfMessage(context.reader, messagePayload.parse(payload).message);
      return account === null ? null : `reclaim ${account}`;
    },
    run: (context, payload) => reclaim(context, policy, messagePayload.parse(payload).message),
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
  {
    name: 'classify',
    concurrencyKey: (context, payload) =>
      classificationConcurrencyKey(context, classificationPayload.parse(payload).classification),
    run: (context, payload) => classifyTurn(context, classificationPayload.parse(payload).classification),
  },
];

const SWEEP_LIMIT = 500;

/** Enqueue a job for each row, except those already queued in this process. */
async function enqueueDue(
  context: AppContext,
  isWaiting: (key: string) => boolean,
  task: string,
  payloads: readonly Record<string, number>[],
): Promise<void> {
  const jobs = payloads.map((payload) => ({ payload, key: `${task}:${Object.values(payload).join()}` }));
  await enqueueMany(
    context,
    task,
    jobs.filter(({ key }) => !isWaiting(key)),
  );
}

export const messagingSweeps: readonly Sweep[] = [
  {
    name: 'turns',
    async run(context, isWaiting) {
      const due = await findDueTurns(context.reader, SWEEP_LIMIT);
      await enqueueDue(
        context,
        isWaiting,
        'reply',
        due.map((dialogue) => ({ dialogue })),
      );
    },
  },
  {
    name: 'classifications',
    async run(context, isWaiting) {
      await openDueClassifications(context.reader, SWEEP_LIMIT);
      const due = await findDueClassifications(context.reader, SWEEP_LIMIT);
      await enqueueDue(
        context,
        isWaiting,
        'classify',
        due.map((classification) => ({ classification })),
      );
    },
  },
  {
    name: 'outbox',
    async run(context, isWaiting) {
      const due = await findDueDialogues(context.reader, SWEEP_LIMIT);
      await enqueueDue(
        context,
        isWaiting,
        'deliver',
        due.map((dialogue) => ({ dialogue })),
      );
    },
  },
  {
    name: 'delivery polling',
    async run(context, isWaiting) {
      const jobs = (await findAccountsToPoll(context.reader)).map(({ account_id, vendor }) => ({
        payload: { account: account_id, vendor },
        key: `delivery.poll:${account_id}`,
      }));
      await enqueueMany(
        context,
        'delivery.poll',
        jobs.filter(({ key }) => !isWaiting(key)),
      );
    },
  },
  {
    name: 'orphaned claims',
    async run(context, isWaiting) {
      await releaseLostClaims(context);
      const due = await findOrphanedClaims(context.reader, SWEEP_LIMIT);
      await enqueueDue(
        context,
        isWaiting,
        'reclaim',
        due.map((message) => ({ message })),
      );
    },
  },
  {
    name: 'recipients not found',
    async run(context, isWaiting) {
      const due = await findRecipientsNotFound(context.reader, SWEEP_LIMIT);
      await enqueueDue(
        context,
        isWaiting,
        RECIPIENT_NOT_FOUND,
        due.map((message) => ({ message })),
      );
    },
  },
  {
    name: 'inbox',
    async run(context) {
      const due = await findOpenItems(context.reader, SWEEP_LIMIT);
      if (due.length > 0) await enqueueMany(context, 'receive.open', [{ payload: { ids: due }, key: 'receive.open' }]);
    },
  },
];
