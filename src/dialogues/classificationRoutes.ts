import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, Refusal, refuse } from '../platform/refuse.ts';
import { type Classification, classificationOfDialogue, classifyAll, classifyNow } from './classificationContract.ts';
import { classifyByHand } from './classify.ts';
import { readClassification, unclassifiedDialogues } from './store/classifications.ts';

export function classificationRoutes(ground: Ground): Route[] {
  const shown = async (id: number): Promise<Classification> => {
    const found = await readClassification(ground.reader, id);
    if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
    return found;
  };
  return [
    route(classificationOfDialogue, async ({ params }) => ok(200, await shown(params.id))),
    route(classifyNow, async ({ params, caller, requestId }) => {
      await ground.transact((tx) => classifyByHand(tx, params.id, { caller, requestId }));
      return ok(200, await shown(params.id));
    }),
    route(classifyAll, async ({ body, caller, requestId }) => {
      let count = 0;
      for (const id of await unclassifiedDialogues(ground.reader, body.product_id)) {
        try {
          await ground.transact((tx) => classifyByHand(tx, id, { caller, requestId }));
          count++;
        } catch (error) {
          // Handed over, refused, or classified meanwhile: nothing is left to do there.
          if (!(error instanceof Refusal)) throw error;
        }
      }
      return ok(200, { count });
    }),
  ];
}
