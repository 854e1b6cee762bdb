import type { Sweep } from '../jobs/runner.ts';
import { PROPOSAL_MS } from './contract.ts';
import { deleteExpiredQuestions } from './store.ts';

const EVERY_MS = 60_000;

/** Delete proposals that can no longer be answered, along with the page contents stored with them. */
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
