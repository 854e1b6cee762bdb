import type { ThreadKind } from '../../platform/threads.ts';
import type { Requirement } from '../caseContract.ts';
import type { Violation } from '../run.ts';
import type { TalkToScore } from '../simulate/scoreTalk.ts';
import type { Talk } from '../simulate/talk.ts';
import type { CheckInput } from './check.ts';

/** What the threads of the studio are asked. */
export type CheckTask =
  | {
      readonly do: 'check';
      readonly requirements: readonly Requirement[];
      readonly input: CheckInput;
      /** Set to the index of the requirement that is being checked; `NOT_STARTED` until the first is. */
      readonly progress: Int32Array<SharedArrayBuffer>;
    }
  | { readonly do: 'score'; readonly talk: Talk; readonly scored: TalkToScore }
  | { readonly do: 'patterns'; readonly patterns: readonly string[] };

export type CheckReply =
  | { readonly do: 'check'; readonly violations: readonly Violation[] }
  /** `answer` is an index in the talk. */
  | { readonly do: 'score'; readonly violations: readonly (Violation & { readonly answer: number | null })[] }
  /** Of the first pattern that cannot be used. */
  | { readonly do: 'patterns'; readonly unusable: { readonly pattern: string; readonly problem: string } | null };

export const NOT_STARTED = -1;

/**
 * CPU time that the checks of one answer or one talk may take, in milliseconds. [The facts of 1,000,000 characters take
 * 1.5 s at worst, a pattern on the longest answer 0.2 s.]
 */
export const CHECK_BUDGET_MS = 3000;

/**
 * Checks of answers. They work on texts of leads, documents and models, some of them with patterns of operators, so they
 * never run on the event loop. Two threads, so that one company's slow checks do not delay those of another.
 */
export const checkKind: ThreadKind<CheckTask, CheckReply> = {
  name: 'check',
  module: new URL('./checkThread.ts', import.meta.url),
  threads: 2,
  budgetMs: 10 * CHECK_BUDGET_MS,
  cpuMs: CHECK_BUDGET_MS,
  heapMb: 256,
  waiting: { ofKey: 1000, ofAll: 10_000, ms: null },
};

/**
 * Patterns that an operator saves. Threads of their own, since the transaction that saves them waits: not behind checks,
 * and not for long.
 */
export const patternKind: ThreadKind<CheckTask, CheckReply> = {
  ...checkKind,
  name: 'pattern',
  threads: 1,
  waiting: { ofKey: 10, ofAll: 100, ms: 3000 },
};
