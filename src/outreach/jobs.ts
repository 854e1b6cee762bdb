/** Jobs and sweeps of this room. */
import { z } from 'zod';
import type { Gate } from '../dialogues/gate.ts';
import { enqueueMany, type Sweep, type Task } from '../jobs/runner.ts';
import type { changeStage } from '../leads/changeStage.ts';
import { expire } from './expire.ts';
import { firstMessages, leaveLostLines } from './first.ts';
import { laneOfPing, leaveLostPings, ping } from './ping.ts';
import { numbersSweep } from './safety.ts';
import { dueLines, freePings } from './store/rows.ts';
import { think } from './think.ts';

const leadPayload = z.object({ lead: z.int() });
const productPayload = z.object({ product: z.int() });

/** Products whose lines one sweep wakes. */
const LINES = 200;

export const outreachTasks = (gate: Gate, silence: Parameters<typeof changeStage>[4]): readonly Task[] => [
  {
    name: 'outreach.ping',
    lane: (ground, payload) => laneOfPing(ground, leadPayload.parse(payload).lead),
    run: (ground, payload) => ping(ground, leadPayload.parse(payload).lead),
  },
  { name: 'outreach.expire', run: (ground, payload) => expire(ground, silence, leadPayload.parse(payload).lead) },
  {
    name: 'outreach.first',
    // A product's line may wait for a model or a vendor; the others do not wait with it.
    lane: async (_ground, payload) => `first ${productPayload.parse(payload).product}`,
    run: (ground, payload) => firstMessages(ground, gate, productPayload.parse(payload).product),
  },
];

export const outreachSweeps = (): readonly Sweep[] => [
  numbersSweep(),
  {
    name: 'plan',
    async run(ground) {
      await freePings(ground.reader);
      await leaveLostPings(ground);
      await think(ground);
    },
  },
  {
    name: 'lines',
    async run(ground) {
      await leaveLostLines(ground);
      const due = await dueLines(ground.reader, LINES);
      await enqueueMany(
        ground,
        'outreach.first',
        due.map((id) => ({ payload: { product: id }, key: `first:${id}` })),
      );
    },
  },
];
