import type { Sweep } from '../jobs/sweeps.ts';
import { PROPOSAL_MS } from './contract.ts';
import { deleteExpiredQuestions } from './store.ts';

const EVERY_MS = 60_000;

/** Delete proposals that can no longer be answered, along with the page contents stored with them. */
export const assistantSweep: Sweep = {
  name: 'assistant',
  dueIn: null,
  async run({ reader }) {
    await deleteExpiredQuestions(reader, PROPOSAL_MS);
    return EVERY_MS;
  },
};
