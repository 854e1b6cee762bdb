/** Sweeps of conversations: replies, classification, opt-outs, and summaries of hand-overs. */
import type { QueueOptions } from '../jobs/keyedConcurrency.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { DOUBTS_DUE_IN } from '../leads/store/optOuts.ts';
import type { AppContext } from '../platform/appContext.ts';
import { type ModelPurpose, modelQueue, readProduct } from '../products/product.ts';
import { classifyTurn } from './classifyTurn.ts';
import { askAboutDoubts } from './optOut.ts';
import { propagateOptOut } from './propagateOptOut.ts';
import { replyToDueTurns } from './reply.ts';
import { CLASSIFICATIONS_DUE_IN, findDueClassifications, openDueClassifications } from './store/classifications.ts';
import { TURNS_SWEEP } from './store/dialogues.ts';
import { findDueSummaries, SUMMARIES_DUE_IN } from './store/handOvers.ts';
import { findDuePropagations, OPT_OUTS_SWEEP, PROPAGATIONS_DUE_IN } from './store/optOutPropagations.ts';
import { TURNS_DUE_IN } from './store/turns.ts';
import { summarizeHandOver } from './summarizeHandOver.ts';

const SWEEP_LIMIT = 500;

/** Opt-outs whose other leads follow at once: they wait for the database alone. */
const OPT_OUT_QUEUE: QueueOptions = { name: 'opt-outs', slots: 4 };

export const conversationSweeps: readonly Sweep[] = [
  { name: 'doubts', dueIn: () => DOUBTS_DUE_IN, run: askAboutDoubts },
  { name: TURNS_SWEEP, dueIn: () => TURNS_DUE_IN, run: replyToDueTurns },
  sweepDue({
    name: 'classifications',
    task: 'classify',
    dueIn: () => CLASSIFICATIONS_DUE_IN,
    findDue: async (context) => {
      await openDueClassifications(context.reader, SWEEP_LIMIT);
      const due = await findDueClassifications(context.reader, SWEEP_LIMIT);
      return inModelQueues(context, due, { purpose: 'classification', run: ({ id }) => classifyTurn(context, id) });
    },
  }),
  sweepDue({
    name: 'summaries',
    task: 'summarize',
    dueIn: () => SUMMARIES_DUE_IN,
    findDue: async (context) => {
      const due = await findDueSummaries(context.reader, SWEEP_LIMIT);
      return inModelQueues(context, due, { purpose: 'chatbot', run: ({ id }) => summarizeHandOver(context, id) });
    },
  }),
  sweepDue({
    name: OPT_OUTS_SWEEP,
    task: 'opt_out.others',
    dueIn: () => PROPAGATIONS_DUE_IN,
    findDue: async (context) =>
      (await findDuePropagations(context.reader, SWEEP_LIMIT)).map((lead) => ({
        key: lead,
        queue: OPT_OUT_QUEUE,
        run: () => propagateOptOut(context, lead),
      })),
  }),
];

interface OfProduct {
  readonly id: number;
  readonly product_id: number;
}

/** Have work wait for the models of its products; that of products which are gone is left out. */
async function inModelQueues(
  context: AppContext,
  due: readonly OfProduct[],
  { purpose, run }: { readonly purpose: ModelPurpose; readonly run: (one: OfProduct) => Promise<void> },
) {
  const queues = new Map<number, string>();
  for (const id of new Set(due.map((one) => one.product_id))) {
    const product = await readProduct(context.reader, id);
    if (product) queues.set(id, modelQueue(context, product, purpose));
  }
  return due.flatMap((one) => {
    const queue = queues.get(one.product_id);
    return queue === undefined ? [] : [{ key: one.id, queue, run: () => run(one) }];
  });
}
