/** Capture what a page publishes, in the form of the assistant's socket, and run its tools. */

import { t } from '../../ui/i18n.ts';
import {
  type PageContext,
  type PageTool,
  type PageToolHandler,
  publishedContext,
  type Undo,
  Undoable,
} from '../../ui/pageContext.ts';
import type { PageSnapshot } from '../contract.ts';

/** Tools available on every page. */
export type ConsoleTools = Required<Pick<PageContext, 'tools' | 'handlers'>>;

/** Size limit of a page's content, in characters. Longer content is cut, with a note to the assistant. */
const MAX_DATA = 90_000;
/** Size limit of a result, in characters. */
const MAX_RESULT = 50_000;

/** Return the current page with the console's own tools. */
function visiblePage(everywhere: ConsoleTools): Required<Pick<PageContext, 'tools' | 'handlers'>> & {
  readonly context: PageContext | null;
} {
  const { context } = publishedContext();
  return {
    context,
    // A page's tool takes precedence over a console tool with the same name.
    tools: [
      ...(context?.tools ?? []),
      ...everywhere.tools.filter(({ name }) => !context?.tools.some((one) => one.name === name)),
    ],
    handlers: { ...everywhere.handlers, ...context?.handlers },
  };
}

export function takePageSnapshot(everywhere: ConsoleTools): PageSnapshot {
  const { context, tools } = visiblePage(everywhere);
  const summary = context?.summary ?? '';
  const cut = summary.length > MAX_DATA;
  return {
    page_description: context?.description ?? t('This page has no description yet.'),
    page_data: cut ? `${summary.slice(0, MAX_DATA)}\n… ${t('cut: there is more on the page')}` : summary,
    page_tools: tools.map(({ name, description, parameters, confirm, irreversible }) => ({
      name,
      description: irreversible === undefined ? description : `${description} ${irreversible}`,
      parameters: parametersOf(parameters),
      confirm: confirm === true,
    })),
    page_system_prompt: context?.systemPrompt ?? '',
  };
}

/** Convert the schema to plain JSON. */
const parametersOf = (parameters: unknown): PageSnapshot['page_tools'][number]['parameters'] =>
  parameters === undefined ? { type: 'object', properties: {} } : JSON.parse(JSON.stringify(parameters));

/** Identify what a page shows by its key and its parameters that end in `Id`. Other parameters only affect the view. */
const identityOf = (search: string): string => {
  const idParams = [...new URLSearchParams(search)].filter(([name]) => name === 'page' || name.endsWith('Id'));
  return JSON.stringify(idParams.toSorted(([one], [other]) => one.localeCompare(other)));
};

/**
 * Find the tool and handler for a call. A page's own tool runs only on the page where the call was proposed, because a
 * call for 'this lead' must not run on another lead. Console tools run anywhere.
 * @param place query string of the console when the call was proposed; null: unknown
 */
export function findHandler(
  { name }: { readonly name: string },
  everywhere: ConsoleTools,
  place: string | null,
): { readonly tool: PageTool | undefined; readonly handler: PageToolHandler | undefined } {
  const { context, tools, handlers } = visiblePage(everywhere);
  const own = context?.tools.some((one) => one.name === name) === true;
  const here = place !== null && identityOf(place) === identityOf(window.location.search);
  const handler = Object.hasOwn(handlers, name) && (here || !own) ? handlers[name] : undefined;
  return { tool: tools.find((one) => one.name === name), handler };
}

export type Outcome =
  | { readonly ok: true; readonly result: unknown; readonly undo: Undo | null }
  | { readonly ok: false; readonly reason: string };

/** Execute a call. A failure is returned as a value, so that both the operator and the assistant see it. */
export async function runHandler(
  handler: PageToolHandler | undefined,
  args: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  if (!handler) return { ok: false, reason: t('This belongs to another page') };
  try {
    const outcome = await handler.call(args);
    const [result, undo] = outcome instanceof Undoable ? [outcome.result, outcome.undo] : [outcome, null];
    return { ok: true, result: asResult(result), undo };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Convert a result to JSON of limited length. */
function asResult(result: unknown): unknown {
  const text = JSON.stringify(result ?? { status: 'done' });
  if (text.length <= MAX_RESULT) return JSON.parse(text);
  return { status: 'done', cut: t('The result is too long to be shown in full'), beginning: text.slice(0, MAX_RESULT) };
}

/**
 * Wait until the page has published its context and stays unchanged for a moment, because pages load in parts. Waits at
 * most three seconds.
 */
export async function takeStableSnapshot(everywhere: ConsoleTools): Promise<string> {
  const end = performance.now() + 3000;
  let previous = '';
  for (let unchangedCount = 0; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const now = JSON.stringify(takePageSnapshot(everywhere));
    unchangedCount = now === previous && publishedContext().context !== null ? unchangedCount + 1 : 0;
    previous = now;
    if (unchangedCount >= 2) break;
  }
  return previous;
}
