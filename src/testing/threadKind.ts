import type { ThreadKind } from '../platform/threads.ts';

export type Work =
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'spin' }
  | { readonly do: 'fail' }
  /** Sets index 1 to report that it has started, and waits until index 0 is set. */
  | { readonly do: 'hold'; readonly signal: Int32Array };

/** What a thread is given as its database to start slowly, and how long that takes. */
export const SLOW_START = 'slow start';
export const SLOW_START_MS = 3000;

export const testKind: ThreadKind<Work, string> = {
  name: 'test',
  module: new URL('./threadWork.ts', import.meta.url),
  threads: 2,
  budgetMs: 60_000,
  heapMb: 64,
  waiting: { ofKey: 3, ofAll: 4, ms: 60_000 },
};
