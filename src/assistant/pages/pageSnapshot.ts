/** What a page tells of itself, as the assistant's socket takes it, and what its tools do when they are called. */

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

/** Tools that every page has. */
export type ConsoleTools = Required<Pick<PageContext, 'tools' | 'handlers'>>;

/** Characters of what a page shows; the rest is cut off, and the assistant is told so. */
const MAX_DATA = 90_000;
/** Characters of a result. */
const MAX_RESULT = 50_000;

/** The page in view with the console's own tools. */
function visiblePage(everywhere: ConsoleTools): Required<Pick<PageContext, 'tools' | 'handlers'>> & {
  readonly context: PageContext | null;
} {
  const { context } = publishedContext();
  return {
    context,
    // A page's own tool goes before one of the same name that every page has.
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
    page_description: context?.description ?? t('A page that has told nothing of itself yet.'),
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

/** As it travels: plain JSON. */
const parametersOf = (parameters: unknown): PageSnapshot['page_tools'][number]['parameters'] =>
  parameters === undefined ? { type: 'object', properties: {} } : JSON.parse(JSON.stringify(parameters));

/** Which row a page is about stands in parameters that end so; what else is in its address only says how it is shown. */
const identityOf = (search: string): string => {
  const idParams = [...new URLSearchParams(search)].filter(([name]) => name === 'page' || name.endsWith('Id'));
  return JSON.stringify(idParams.toSorted(([one], [other]) => one.localeCompare(other)));
};

/**
 * The tool that carries a call out, where the page in view is the one it was proposed on: a call that says 'this lead'
 * must not meet another one. Tools that every page has are at home everywhere.
 * @param place query of the console's address when it was proposed; null: not known
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

/** Carries a call out. A failure is a value: the operator and the assistant are both told. */
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

/** JSON of a bearable length. */
function asResult(result: unknown): unknown {
  const text = JSON.stringify(result ?? { status: 'done' });
  if (text.length <= MAX_RESULT) return JSON.parse(text);
  return { status: 'done', cut: t('The result is too long to be told whole'), beginning: text.slice(0, MAX_RESULT) };
}

/** A page loads in parts: waits until it has told of itself and says the same for a moment. At most three seconds. */
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
