/** Sweeps of the CRM. */
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { notify } from '../platform/notifications.ts';
import { applyChange } from './applyChange.ts';
import { ACCOUNTS_DUE_IN, findDueAccounts } from './store/accounts.ts';
import { CHANGES_DUE_IN, findDueChanges, findDueStageWrites, STAGE_WRITES_DUE_IN } from './store/cards.ts';
import { closeWithoutCard, findDueHandOvers, HAND_OVERS_DUE_IN } from './store/handOvers.ts';
import { syncAccount } from './syncAccount.ts';
import { writeHandOver } from './writeHandOver.ts';
import { writeStage } from './writeStage.ts';

/** One account's delays must not hold up other accounts. */
const cardQueue = (integration: number): string => `crm ${integration}`;

/**
 * Enough to use up amoCRM's limit, which all calls of an integration share. [With 16, each of 300 waiting hand-overs had
 * its card read before the first had its task, and moves of cards waited behind them; workers that were killed every ten
 * seconds finished 44 in five minutes.]
 */
const HAND_OVER_SLOTS = 3;

const BATCH_SIZE = 200;

export const crmSweeps: readonly Sweep[] = [
  sweepDue({
    name: 'crm changes',
    task: 'crm.follow',
    dueIn: () => CHANGES_DUE_IN,
    findDue: async (context) =>
      (await findDueChanges(context.reader, BATCH_SIZE)).map((change) => ({
        key: `${change.integration},${change.entity},${change.id}`,
        queue: cardQueue(change.integration),
        run: () => applyChange(context, change),
      })),
  }),
  sweepDue({
    name: 'pending stages',
    task: 'crm.write',
    dueIn: () => STAGE_WRITES_DUE_IN,
    findDue: async (context) =>
      (await findDueStageWrites(context.reader, BATCH_SIZE)).map(({ integration, product, card }) => ({
        key: `${product},${card}`,
        queue: cardQueue(integration),
        run: () => writeStage(context, product, card),
      })),
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
      return (await findDueHandOvers(context.reader, BATCH_SIZE)).map(({ integration, handOver }) => ({
        key: handOver,
        // A queue of its own: creating waits for answers that may never come, and must not hold up moves of cards.
        queue: { name: `crm hand-overs ${integration}`, slots: HAND_OVER_SLOTS },
        run: () => writeHandOver(context, handOver),
      }));
    },
  }),
  sweepDue({
    name: 'crm accounts',
    task: 'crm.sync',
    dueIn: () => ACCOUNTS_DUE_IN,
    findDue: async (context) =>
      (await findDueAccounts(context.reader, BATCH_SIZE)).map((integration) => ({
        key: integration,
        // A queue of its own, so that a long sync does not hold up single cards.
        queue: `crm sync ${integration}`,
        run: () => syncAccount(context, integration),
      })),
  }),
];
