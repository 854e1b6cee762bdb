/**
 * Plans all leads once no process of another version runs beside this one any more. Such a process does not know what this
 * version's plans depend on, and may have changed it.
 */
import type { Sweep } from '../jobs/sweeps.ts';
import { planAllProducts, readOtherVersions } from './store/outreach.ts';

const LOOK_MS = 60_000;

export function createPlanAfterUpgrade(): Sweep {
  let isPlanned = false;
  return {
    name: 'upgrade',
    dueIn: null,
    async run({ pool, instanceId }) {
      const { isBeside, wasBeside } = await readOtherVersions(pool, instanceId);
      if (isBeside) isPlanned = false;
      else if (wasBeside && !isPlanned) {
        await planAllProducts(pool);
        isPlanned = true;
      }
      return LOOK_MS;
    },
  };
}
