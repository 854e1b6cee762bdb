/** Jobs and sweeps of this room: wake-up calls for what stands on its rows. */
import { z } from 'zod';
import { enqueueMany, type Sweep, type Task } from '../jobs/runner.ts';
import { followChange } from './followChange.ts';
import { lookAtAccount } from './look.ts';
import { dueAccounts } from './store/accounts.ts';
import { dueChanges, dueWishes, integrationOfCard } from './store/cards.ts';
import { writeStage } from './writeStage.ts';

const changePayload = z.object({ integration: z.int(), entity: z.enum(['card', 'person']), id: z.int() });
const wishPayload = z.object({ product: z.int(), card: z.int() });
const lookPayload = z.object({ integration: z.int() });

/** Whoever waits for one account keeps nobody else waiting. */
const laneOf = (integration: number): string => `crm ${integration}`;

export const crmTasks: readonly Task[] = [
  {
    name: 'crm.follow',
    lane: async (_ground, payload) => laneOf(changePayload.parse(payload).integration),
    run: (ground, payload) => followChange(ground, changePayload.parse(payload)),
  },
  {
    name: 'crm.write',
    async lane(ground, payload) {
      const { product, card } = wishPayload.parse(payload);
      const integration = await integrationOfCard(ground.reader, product, card);
      return integration === null ? null : laneOf(integration);
    },
    run: (ground, payload) => {
      const { product, card } = wishPayload.parse(payload);
      return writeStage(ground, product, card);
    },
  },
  {
    name: 'crm.look',
    // Apart, so that a long look at everything holds up no single card.
    lane: async (_ground, payload) => `crm look ${lookPayload.parse(payload).integration}`,
    run: (ground, payload) => lookAtAccount(ground, lookPayload.parse(payload).integration),
  },
];

const BATCH = 200;

/** A job for each of these rows, except where its work waits in this process already. */
const sweep = (
  name: string,
  task: string,
  due: (ground: Parameters<Sweep['run']>[0]) => Promise<readonly object[]>,
): Sweep => ({
  name,
  async run(ground, isWaiting) {
    const jobs = (await due(ground)).map((payload) => ({
      payload,
      key: `${task}:${Object.values(payload).join()}`,
    }));
    await enqueueMany(
      ground,
      task,
      jobs.filter(({ key }) => !isWaiting(key)),
    );
  },
});

export const crmSweeps: readonly Sweep[] = [
  sweep('crm changes', 'crm.follow', async ({ reader }) =>
    (await dueChanges(reader, BATCH)).map((one) => ({ ...one })),
  ),
  sweep('crm wishes', 'crm.write', async ({ reader }) => (await dueWishes(reader, BATCH)).map((one) => ({ ...one }))),
  sweep('crm accounts', 'crm.look', async ({ reader }) =>
    (await dueAccounts(reader, BATCH)).map((integration) => ({ integration })),
  ),
];
