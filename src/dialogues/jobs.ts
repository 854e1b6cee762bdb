/** Jobs and sweeps of this room: wake-up calls for what stands on its rows. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { enqueueMany, type Sweep, type Task } from '../jobs/runner.ts';
import type { Ground } from '../platform/ground.ts';
import { askFates } from './askFates.ts';
import { classify, laneOfClassification } from './classify.ts';
import { deliver, inherit } from './deliver.ts';
import { FOUND_NOBODY, settleNobody } from './foundNobody.ts';
import type { Gate } from './gate.ts';
import { leaveLost } from './lost.ts';
import { receiveItems } from './receive.ts';
import { laneOfReply, reply } from './reply.ts';
import { dueClassifications, openDue } from './store/classifications.ts';
import { dueTurns, surroundings } from './store/dialogues.ts';
import { accountsToAsk } from './store/fates.ts';
import { inVendorOrder, openItems } from './store/inbox.ts';
import { orphans } from './store/lost.ts';
import { accountOfMessage, foundNobody } from './store/messages.ts';
import { dueDialogues } from './store/queue.ts';

const idsPayload = z.object({ ids: z.array(z.int()) });
const dialoguePayload = z.object({ dialogue: z.int() });
const messagePayload = z.object({ message: z.int() });
const accountPayload = z.object({ account: z.int(), vendor: z.enum(channelVendors) });
const classificationPayload = z.object({ classification: z.int() });

export const dialogueTasks = (gate: Gate): readonly Task[] => [
  {
    name: 'receive',
    async run(ground, payload) {
      const { ids } = idsPayload.parse(payload);
      await receiveItems(ground, await inVendorOrder(ground.reader, ids));
    },
  },
  {
    // Items that a lost job left lying, held ones whose time has come, and those that failed a while ago.
    name: 'receive.open',
    run: (ground, payload) => receiveItems(ground, idsPayload.parse(payload).ids),
  },
  {
    name: 'reply',
    lane: (ground, payload) => laneOfReply(ground, dialoguePayload.parse(payload).dialogue),
    run: (ground, payload) => reply(ground, dialoguePayload.parse(payload).dialogue),
  },
  {
    name: 'deliver',
    async lane(ground, payload) {
      const around = await surroundings(ground.reader, dialoguePayload.parse(payload).dialogue);
      return around ? `send ${around.account_id}` : null;
    },
    run: (ground, payload) => deliver(ground, gate, dialoguePayload.parse(payload).dialogue),
  },
  {
    // Apart from what is sent first: a repeat must not wait until the vendor has forgotten the key.
    name: 'inherit',
    async lane(ground, payload) {
      const account = await accountOfMessage(ground.reader, messagePayload.parse(payload).message);
      return account === null ? null : `inherit ${account}`;
    },
    run: (ground, payload) => inherit(ground, gate, messagePayload.parse(payload).message),
  },
  {
    name: FOUND_NOBODY,
    run: (ground, payload) => settleNobody(ground, gate, messagePayload.parse(payload).message),
  },
  {
    name: 'ask.fates',
    lane: async (_ground, payload) => `ask ${accountPayload.parse(payload).account}`,
    run: (ground, payload) => {
      const { account, vendor } = accountPayload.parse(payload);
      return askFates(ground, account, vendor);
    },
  },
  {
    name: 'classify',
    lane: (ground, payload) => laneOfClassification(ground, classificationPayload.parse(payload).classification),
    run: (ground, payload) => classify(ground, classificationPayload.parse(payload).classification),
  },
];

const BATCH = 500;

/** Calls for the work of these rows, except where it waits in this process already. */
async function wake(
  ground: Ground,
  isWaiting: (key: string) => boolean,
  task: string,
  payloads: readonly Record<string, number>[],
): Promise<void> {
  const jobs = payloads.map((payload) => ({ payload, key: `${task}:${Object.values(payload).join()}` }));
  await enqueueMany(
    ground,
    task,
    jobs.filter(({ key }) => !isWaiting(key)),
  );
}

export const dialogueSweeps: readonly Sweep[] = [
  {
    name: 'turns',
    async run(ground, isWaiting) {
      const due = await dueTurns(ground.reader, BATCH);
      await wake(
        ground,
        isWaiting,
        'reply',
        due.map((dialogue) => ({ dialogue })),
      );
    },
  },
  {
    name: 'classifications',
    async run(ground, isWaiting) {
      await openDue(ground.reader, BATCH);
      const due = await dueClassifications(ground.reader, BATCH);
      await wake(
        ground,
        isWaiting,
        'classify',
        due.map((classification) => ({ classification })),
      );
    },
  },
  {
    name: 'outbox',
    async run(ground, isWaiting) {
      const due = await dueDialogues(ground.reader, BATCH);
      await wake(
        ground,
        isWaiting,
        'deliver',
        due.map((dialogue) => ({ dialogue })),
      );
    },
  },
  {
    name: 'fates',
    async run(ground, isWaiting) {
      const jobs = (await accountsToAsk(ground.reader)).map(({ account_id, vendor }) => ({
        payload: { account: account_id, vendor },
        key: `ask.fates:${account_id}`,
      }));
      await enqueueMany(
        ground,
        'ask.fates',
        jobs.filter(({ key }) => !isWaiting(key)),
      );
    },
  },
  {
    name: 'orphans',
    async run(ground, isWaiting) {
      await leaveLost(ground);
      const left = await orphans(ground.reader, BATCH);
      await wake(
        ground,
        isWaiting,
        'inherit',
        left.map((message) => ({ message })),
      );
    },
  },
  {
    name: 'found nobody',
    async run(ground, isWaiting) {
      const left = await foundNobody(ground.reader, BATCH);
      await wake(
        ground,
        isWaiting,
        FOUND_NOBODY,
        left.map((message) => ({ message })),
      );
    },
  },
  {
    name: 'inbox',
    async run(ground) {
      const open = await openItems(ground.reader, BATCH);
      if (open.length > 0) await enqueueMany(ground, 'receive.open', [{ payload: { ids: open }, key: 'receive.open' }]);
    },
  },
];
