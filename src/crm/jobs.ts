/** Jobs and sweeps of the CRM. A job only wakes the work that is stored on rows. */
import { z } from 'zod';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { notify } from '../platform/notifications.ts';
import { applyChange } from './applyChange.ts';
import { ACCOUNTS_DUE_IN, findDueAccounts } from './store/accounts.ts';
import {
  CHANGES_DUE_IN,
  findDueChanges,
  findDueStageWrites,
  findIntegrationOfCard,
  STAGE_WRITES_DUE_IN,
} from './store/cards.ts';
import { closeWithoutCard, findDueHandOvers, HAND_OVERS_DUE_IN } from './store/handOvers.ts';
import { syncAccount } from './syncAccount.ts';
import { writeHandOver } from './writeHandOver.ts';
import { writeStage } from './writeStage.ts';

const changePayload = z.object({ integration: z.int(), entity: z.enum(['card', 'person']), id: z.int() });
const writePayload = z.object({ product: z.int(), card: z.int() });
const handOverPayload = z.object({ integration: z.int(), handOver: z.int() });
const syncPayload = z.object({ integration: z.int() });

/** One account's delays must not hold up other accounts. */
const concurrencyKey = (integration: number): string => `crm ${integration}`;

/**
 * Enough to use up amoCRM's limit, which all calls of an integration share. [With 16, each of 300 waiting hand-overs had
 * its card read before the first had its task, and moves of cards waited behind them; workers that were killed every ten
 * seconds finished 44 in five minutes.]
 */
const HAND_OVER_SLOTS = 3;

export const crmTasks: readonly Task[] = [
  {
    name: 'crm.follow',
    concurrencyKey: async (_context, payload) => concurrencyKey(changePayload.parse(payload).integration),
    run: (context, payload) => applyChange(context, changePayload.parse(payload)),
  },
  {
    name: 'crm.write',
    async concurrencyKey(context, payload) {
      const { product, card } = writePayload.parse(payload);
      const integration = await findIntegrationOfCard(context.reader, product, card);
      return integration === null ? null : concurrencyKey(integration);
    },
    run: (context, payload) => {
      const { product, card } = writePayload.parse(payload);
      return writeStage(context, product, card);
    },
  },
  {
    name: 'crm.hand_over',
    // A separate key: creating waits for answers that may never come, and must not hold up moves of cards.
    concurrencyKey: async (_context, payload) => `crm hand-overs ${handOverPayload.parse(payload).integration}`,
    slots: HAND_OVER_SLOTS,
    run: (context, payload) => writeHandOver(context, handOverPayload.parse(payload).handOver),
  },
  {
    name: 'crm.sync',
    // A separate key, so that a long sync does not hold up single cards.
    concurrencyKey: async (_context, payload) => `crm sync ${syncPayload.parse(payload).integration}`,
    run: (context, payload) => syncAccount(context, syncPayload.parse(payload).integration),
  },
];

const BATCH_SIZE = 200;

export const crmSweeps: readonly Sweep[] = [
  sweepDue({
    name: 'crm changes',
    task: 'crm.follow',
    dueIn: () => CHANGES_DUE_IN,
    findDue: ({ reader }) => findDueChanges(reader, BATCH_SIZE),
  }),
  sweepDue({
    name: 'pending stages',
    task: 'crm.write',
    dueIn: () => STAGE_WRITES_DUE_IN,
    findDue: ({ reader }) => findDueStageWrites(reader, BATCH_SIZE),
  }),
  sweepDue({
    name: 'crm hand-overs',
    task: 'crm.hand_over',
    dueIn: () => HAND_OVERS_DUE_IN,
    findDue: async (context) => {
      await context.transact(async (tx) => {
        for (const { product_id: product, dialogue_id: id } of await closeWithoutCard(tx, BATCH_SIZE))
          notify(tx, { topic: 'dialogue', product, ids: [id] });
      });
      return findDueHandOvers(context.reader, BATCH_SIZE);
    },
  }),
  sweepDue({
    name: 'crm accounts',
    task: 'crm.sync',
    dueIn: () => ACCOUNTS_DUE_IN,
    findDue: async ({ reader }) => (await findDueAccounts(reader, BATCH_SIZE)).map((integration) => ({ integration })),
  }),
];
