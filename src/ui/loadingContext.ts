/** Context for the assistant on a page that has nothing to show. */

import { t } from './i18n.ts';
import type { PageContext } from './pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from './pageTool.ts';

/** Build the context of a page that is loading or failed to load. */
export function loadingContext(description: string, error: Error | null, retry: () => void): PageContext {
  return {
    description,
    summary: JSON.stringify(error ? { state: 'failed to load', reason: error.message } : { state: 'loading' }),
    ...pageTools(
      pageTool({
        name: 'load_again',
        description: t('Loads the contents of this page again.'),
        input: NO_ARGUMENTS,
        run: async () => {
          retry();
          return { status: 'loading again' };
        },
      }),
    ),
  };
}

interface EmptyContextOptions {
  readonly description: string;
  /** Why there is nothing to show. */
  readonly state: string;
  /** The page that has content. */
  readonly goTo: { readonly name: string; readonly title: string; readonly run: () => void };
}

/** Build the context of a page that is empty and links to another page. */
export function emptyContext({ description, state, goTo }: EmptyContextOptions): PageContext {
  return {
    description,
    summary: JSON.stringify({ state }),
    ...pageTools(
      pageTool({
        name: goTo.name,
        description: goTo.title,
        input: NO_ARGUMENTS,
        run: async () => {
          goTo.run();
          return { status: 'done' };
        },
      }),
    ),
  };
}
