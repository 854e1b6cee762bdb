/** The sweep of the studio. */
import type { Sweep } from '../jobs/sweeps.ts';
import { concludeRuns } from './endRun.ts';
import { startSamples } from './makeSamples.ts';
import { STUDIO_SWEEP } from './startRun.ts';
import { STUDIO_DUE_IN } from './store/samples.ts';

export const studioSweeps: readonly Sweep[] = [
  {
    name: STUDIO_SWEEP,
    dueIn: () => STUDIO_DUE_IN,
    async run(context, tools) {
      await concludeRuns(context);
      return startSamples(context, tools);
    },
  },
];
