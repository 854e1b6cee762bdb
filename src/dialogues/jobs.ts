/** Jobs and sweeps of this room: wake-up calls for what stands on its rows. */
import { z } from 'zod';
import { enqueueMany, type Sweep, type Task } from '../jobs/runner.ts';
import { classify } from './classify.ts';
import { deliver, inherit } from './deliver.ts';
import type { Gate } from './gate.ts';
import { receiveItem } from './receive.ts';
import { reply } from './reply.ts';
import { dueClassifications, openDue } from './store/classifications.ts';
import { dueTurns } from './store/dialogues.ts';
import { inVendorOrder, openItems } from './store/inbox.ts';
import { dueDialogues, orphans } from './store/messages.ts';

const idsPayload = z.object({ ids: z.array(z.int()) });
const dialoguePayload = z.object({ dialogue: z.int() });
const messagePayload = z.object({ message: z.int() });
const classificationPayload = z.object({ classification: z.int() });

export const dialogueTasks = (gate: Gate): readonly Task[] => [
  {
    name: 'receive',
    async run(ground, payload) {
      const { ids } = idsPayload.parse(payload);
      for (const id of await inVendorOrder(ground.reader, ids)) await receiveItem(ground, id);
    },
  },
  {
    // Items that a lost job left lying, and held ones whose time has come.
    name: 'receive.open',
    async run(ground, payload) {
      for (const id of idsPayload.parse(payload).ids) await receiveItem(ground, id);
    },
  },
  { name: 'reply', run: (ground, payload) => reply(ground, dialoguePayload.parse(payload).dialogue) },
  { name: 'deliver', run: (ground, payload) => deliver(ground, gate, dialoguePayload.parse(payload).dialogue) },
  { name: 'inherit', run: (ground, payload) => inherit(ground, gate, messagePayload.parse(payload).message) },
  {
    name: 'classify',
    run: (ground, payload) => classify(ground, classificationPayload.parse(payload).classification),
  },
];

const BATCH = 500;

export const dialogueSweeps: readonly Sweep[] = [
  {
    name: 'turns',
    async run(ground) {
      const due = await dueTurns(ground.reader, BATCH);
      await enqueueMany(
        ground.pool,
        'reply',
        due.map((id) => ({ payload: { dialogue: id }, key: `reply:${id}` })),
      );
    },
  },
  {
    name: 'classifications',
    async run(ground) {
      await openDue(ground.reader, BATCH);
      const due = await dueClassifications(ground.reader, BATCH);
      await enqueueMany(
        ground.pool,
        'classify',
        due.map((id) => ({ payload: { classification: id }, key: `classify:${id}` })),
      );
    },
  },
  {
    name: 'outbox',
    async run(ground) {
      const due = await dueDialogues(ground.reader, BATCH);
      await enqueueMany(
        ground.pool,
        'deliver',
        due.map((id) => ({ payload: { dialogue: id }, key: `deliver:${id}` })),
      );
    },
  },
  {
    name: 'orphans',
    async run(ground) {
      const left = await orphans(ground.reader, BATCH);
      await enqueueMany(
        ground.pool,
        'inherit',
        left.map((id) => ({ payload: { message: id }, key: `inherit:${id}` })),
      );
    },
  },
  {
    name: 'inbox',
    async run(ground) {
      const open = await openItems(ground.reader, BATCH);
      if (open.length > 0)
        await enqueueMany(ground.pool, 'receive.open', [{ payload: { ids: open }, key: 'receive.open' }]);
    },
  },
];
