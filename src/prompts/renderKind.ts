import type { ThreadKind } from '../platform/threads.ts';
import type { TemplateInput, TemplateResult } from './template.ts';

/**
 * Filling in templates that have loops or are long. The template's own budget ends it in time; this one is for what that
 * does not see, and long enough for a machine that is busy with something else.
 */
export const renderKind: ThreadKind<TemplateInput, TemplateResult> = {
  name: 'render',
  module: new URL('./renderThread.ts', import.meta.url),
  threads: 1,
  budgetMs: 5000,
  heapMb: 128,
  waiting: { ofKey: 100, ofAll: 1000 },
};
