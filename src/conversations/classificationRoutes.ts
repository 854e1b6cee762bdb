import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, Refusal, refuse } from '../platform/refuse.ts';
import { type Classification, classifyAll, classifyNow, readDialogueClassification } from './classificationContract.ts';
import { requestClassification } from './classifyTurn.ts';
import { findUnclassifiedDialogues, readClassification } from './store/classifications.ts';

export function classificationRoutes(context: AppContext): Route[] {
  const readOrRefuse = async (id: number): Promise<Classification> => {
    const classification = await readClassification(context.reader, id);
    if (!classification) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
    return classification;
  };
  return [
    route(readDialogueClassification, async ({ params }) => ok(200, await readOrRefuse(params.id))),
    route(classifyNow, async ({ params, caller, requestId }) => {
      await context.transact((tx) => requestClassification(tx, params.id, { caller, requestId }));
      return ok(200, await readOrRefuse(params.id));
    }),
    route(classifyAll, async ({ body, caller, requestId }) => {
      let count = 0;
      for (const id of await findUnclassifiedDialogues(context.reader, body.product_id)) {
        try {
          await context.transact((tx) => requestClassification(tx, id, { caller, requestId }));
          count++;
        } catch (error) {
          // Taken over by a human, refused, or classified meanwhile: nothing is left to do for this dialogue.
          if (!(error instanceof Refusal)) throw error;
        }
      }
      return ok(200, { count });
    }),
  ];
}
