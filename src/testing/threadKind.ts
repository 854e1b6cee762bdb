import type { ThreadKind } from '../platform/threads.ts';
import type { Work } from './threadWork.ts';

export const testKind: ThreadKind<Work, string> = {
  name: 'test',
  module: new URL('./threadWork.ts', import.meta.url),
  threads: 2,
  budgetMs: 60_000,
  heapMb: 64,
  waiting: { ofKey: 3, ofAll: 4 },
};
