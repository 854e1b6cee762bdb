/** Mutations of what is counted as spent, and of the budget. */
import type { MutationsByTest } from './mutation.ts';

export const MONEY_MUTATIONS: MutationsByTest = {
  'src/llm/billing.test.ts': {
    'A broken-off answer costs nothing': {
      file: 'src/llm/modelAttempt.ts',
      change: ['return { ...failed, ...sumUsage(requests) };', 'return { ...failed, ...sumUsage([]) };'],
      failing: 'breaks off in the middle',
    },
    'An answer that ends for its length costs nothing': {
      file: 'src/llm/modelAttempt.ts',
      change: [
        'return { ...outcome, ...sumUsage(requests) };',
        "return { ...outcome, ...sumUsage(outcome.kind === 'failed' ? [] : requests) };",
      ],
      failing: 'ends for its length',
    },
    'Only the last attempt is counted': {
      file: 'src/llm/complete.ts',
      change: ['before.push(...outcome.requests);', 'before.splice(0, before.length, ...outcome.requests);'],
      failing: 'records each request of a call',
    },
    'What was used before a refused parameter is not counted': {
      file: 'src/llm/adaptedModel.ts',
      change: ['requests.push(...attempt.requests);', 'requests.splice(0, requests.length, ...attempt.requests);'],
      failing: 'counts what was used before a server has refused a parameter',
    },
    'The test of a key costs nothing': {
      file: 'src/llm/checkCredential.ts',
      disabled: 'if (attempt.requests.length > 0)',
      failing: 'counts each call of a test of a key',
    },
    'A number that cannot be stored loses the answer': {
      file: 'src/llm/usage.ts',
      change: ['Math.min(Math.ceil(reported), MAX_TOKENS)', 'reported'],
      failing: 'keeps an answer whose usage makes no sense',
    },
    'A paid call is forgotten while the database is away': {
      file: 'src/llm/runs.ts',
      change: [
        'return retryWhileDatabaseUnavailable(context, async () => {',
        'return (async (step) => step())(async () => {',
      ],
      failing: 'ends while the database is away',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'The last number that a vendor reports counts': {
      file: 'src/llm/wire/answer.ts',
      change: ['greatest(this.reportedOutput, toTokens(output))', 'toTokens(output)'],
      failing: 'the corpus of usage',
    },
  },
  'src/llm/reservations.test.ts': {
    'A spent budget only delays': {
      file: 'src/llm/budgetHold.ts',
      disabled: "if (outcome === 'spent')",
      failing: 'makes no other request once the budget is spent',
    },
    'Reserved amounts do not count': {
      file: 'migrations/functions/reserve_llm_budget.sql',
      change: ['when spent + reserved + used >= daily_budget', 'when spent + used >= daily_budget'],
      failing: 'exceed the budget by less than the last one reserved',
    },
    'Two reservations at one time miss each other': {
      file: 'migrations/functions/reserve_llm_budget.sql',
      removed: ' for no key update',
      failing: 'wait for each other’s reservation',
    },
    'What calls have cost before does not count': {
      file: 'migrations/functions/reserve_llm_budget.sql',
      change: ['expected := greatest(estimate, (', 'expected := coalesce(estimate, ('],
      failing: 'reserve what such calls have cost this week',
    },
    'Earlier requests of a call are not reserved': {
      file: 'src/llm/complete.ts',
      change: ['[...before, ...done]', '[]'],
      failing: 'reserves each of its requests',
    },
    'A request without what was refused is reserved alone': {
      file: 'src/llm/adaptedModel.ts',
      change: ['[...requests, ...done]', 'done'],
      failing: 'reserves the request that leaves out what the server has refused',
    },
    'A test of a key is not reserved': {
      file: 'src/llm/checkCredential.ts',
      removed: 'reserve: (bytes, done, signal) => hold.reserve(bytes, done, signal),',
      failing: 'reserves each of its calls',
    },
    'A spent budget makes a key one that does not work': {
      file: 'src/llm/checkCredential.ts',
      removed: 'if (isTested) ',
      failing: 'says nothing about the key',
    },
    'A lost call is free': {
      file: 'src/llm/store/reservations.ts',
      change: ['is_lost = true,', 'is_lost = true, amount = 0,'],
      failing: 'counts as spent with its estimate',
    },
    'A lost call that is stored counts twice': {
      file: 'src/llm/store/reservations.ts',
      change: ['set cost = s.cost - f.amount', 'set cost = s.cost'],
      failing: 'if it is stored after all',
    },
    'A reservation stays after its run': {
      file: 'src/llm/store.ts',
      change: ['runs.flatMap((run) => run.reservations ?? [])', '[] as number[]'],
      failing: 'exceed the budget by less than the last one reserved',
    },
  },
};
