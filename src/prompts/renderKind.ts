import type { ThreadKind } from '../platform/threads.ts';
import type { TemplateInput, TemplateResult } from './template.ts';

/**
 * Thread kind for rendering templates that are long or have loops. The template's own budget normally stops it in time.
 * This one covers what that budget cannot see, and is long enough for a machine that is busy with other work.
 */
export const renderKind: ThreadKind<TemplateInput, TemplateResult> = {
  name: 'render',
  module: new URL('./renderThread.ts', import.meta.url),
  threads: 1,
  budgetMs: 5000,
  heapMb: 128,
  waiting: { ofKey: 100, ofAll: 1000, ms: null },
};
