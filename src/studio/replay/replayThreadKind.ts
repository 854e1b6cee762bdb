import type { ThreadKind } from '../../platform/threads.ts';
import type { Conclusion, FinishedSubject, RunFacts } from '../run.ts';
import type { ReplayInput } from './replayInput.ts';

export type ReplayTask =
  | { readonly do: 'facts'; readonly texts: readonly string[] }
  | {
      readonly do: 'conclude';
      readonly run: RunFacts;
      readonly subjects: readonly FinishedSubject[];
      readonly more: { readonly round: number; readonly isWhole: boolean };
    };

export type ReplayReply =
  /** Keys of the facts of each text. */
  | { readonly do: 'facts'; readonly facts: readonly ReplayInput['context_facts'][] }
  | { readonly do: 'conclude'; readonly conclusion: Conclusion };

/**
 * Comparisons of replays, which read every answer of a run: 15,000 turns at most, of 20,000 characters each. Transactions
 * wait for them, so wait and budget together stay below the minute after which the database ends an idle one.
 */
export const replayThreadKind: ThreadKind<ReplayTask, ReplayReply> = {
  name: 'replay',
  module: new URL('./replayThread.ts', import.meta.url),
  threads: 1,
  budgetMs: 20_000,
  heapMb: 512,
  waiting: { ofKey: 8, ofAll: 64, ms: 30_000 },
};
