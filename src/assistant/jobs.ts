import type { Sweep } from '../jobs/runner.ts';
import { PROPOSAL_MS } from './contract.ts';
import { deleteExpiredQuestions } from './store.ts';

const EVERY_MS = 60_000;

/** Takes away proposals that nobody may answer any more, with what their pages showed. */
export function assistantSweep(): Sweep {
  let lastRunAt = Number.NEGATIVE_INFINITY;
  return {
    name: 'assistant',
    async run({ reader }) {
      const now = performance.now();
      if (now - lastRunAt < EVERY_MS) return;
      lastRunAt = now;
      await deleteExpiredQuestions(reader, PROPOSAL_MS);
    },
  };
}
