/**
 * What a page tells the assistant: what it is, what it shows, and what may be done on it. One page speaks at a time,
 * the one mounted last.
 */
import { useEffect, useId, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { t } from './i18n.ts';

export interface PageTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; none: it takes none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** It changes something: the operator confirms each call of it. */
  readonly confirm?: boolean;
  /** Why it cannot be undone, told before it is confirmed; none: it can. */
  readonly irreversible?: string;
}

/** What a text would become, for 'Show Diff'. */
export interface TextChange {
  readonly before: string;
  readonly after: string;
}

/** How a deed is taken back. */
export interface Undo {
  /** Whether what was done still stands as it was left: only then it is taken back. */
  unchanged: () => boolean | Promise<boolean>;
  run: () => void | Promise<unknown>;
}

/** A handler's result together with how to take back what it did. */
export class Undoable {
  readonly result: unknown;
  readonly undo: Undo;
  constructor(result: unknown, undo: Undo) {
    this.result = result;
    this.undo = undo;
  }
}

export interface PageToolHandler {
  /** Does it; gives what the assistant is told, or an `Undoable`. Throws what the operator is told. */
  readonly call: (args: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** Of a tool of the diff type: the text it changes, before and after. Throws on arguments it cannot read. */
  readonly diff?: (args: Readonly<Record<string, unknown>>) => TextChange;
  /** A dynamic handler serves tools that the assistant brings itself; the page need not declare them. */
  readonly dynamic?: boolean;
}

export interface PageContext {
  /** What this page is for, one or two sentences. */
  readonly description: string;
  /** What it shows right now, in words or compact JSON. */
  readonly summary: string;
  /** Guidance for the assistant on this page, besides what holds everywhere. */
  readonly systemPrompt?: string;
  readonly tools: readonly PageTool[];
  /** By tool name. */
  readonly handlers?: Readonly<Record<string, PageToolHandler>>;
}

/** What the assistant sees: a context, or why it is none. */
export type PublishedContext = { context: PageContext; error: null } | { context: null; error: string | null };

const NONE: PublishedContext = { context: null, error: null };

/** Null when sound, else 'Invalid page context: …'. */
export function checkPageContext(context: PageContext): string | null {
  const handlers = context.handlers ?? {};
  if (context.description.trim() === '') return invalidContext(t('the description is empty'));
  for (const tool of context.tools) {
    const handler = Object.hasOwn(handlers, tool.name) ? handlers[tool.name] : undefined;
    if (handler === undefined) return invalidContext(t('the tool {{name}} has no handler', { name: tool.name }));
    if (typeof handler.call !== 'function')
      return invalidContext(t('the handler of {{name}} cannot be called', { name: tool.name }));
  }
  for (const [name, handler] of Object.entries(handlers)) {
    if (handler.dynamic !== true && !context.tools.some((tool) => tool.name === name))
      return invalidContext(t('the handler {{name}} has no tool', { name }));
  }
  return null;
}

function invalidContext(reason: string): string {
  return t('Invalid page context: {{reason}}', { reason });
}

let owner: string | null = null;
let published: PublishedContext = NONE;
const listeners = new Set<() => void>();

function publish(ownerId: string | null, next: PublishedContext): void {
  const same = owner === ownerId && fingerprint(next) === fingerprint(published);
  owner = ownerId;
  // Handlers close over the page's latest state, so they are replaced even when nothing visible changed.
  if (same && published.context !== null && next.context !== null) {
    Object.assign(published.context, { handlers: next.context.handlers ?? {} });
    return;
  }
  published = next.context === null ? next : { context: { ...next.context }, error: null };
  for (const listener of listeners) listener();
}

function fingerprint({ context, error }: PublishedContext): string {
  if (context === null) return JSON.stringify([error]);
  return JSON.stringify([context.description, context.summary, context.systemPrompt, context.tools]);
}

let renderCount = 0;
const renderListeners = new Set<() => void>();

/** Until the page shows what was changed, so that the next call of a tool finds it. */
export async function waitForRender(): Promise<void> {
  // The query cache tells its readers after the current task.
  await new Promise((resolve) => setTimeout(resolve));
  // What waits to be drawn is drawn along with what cannot wait.
  flushSync(() => {
    renderCount += 1;
    for (const listener of renderListeners) listener();
  });
}

function subscribeToRender(listener: () => void): () => void {
  renderListeners.add(listener);
  return () => renderListeners.delete(listener);
}

/** Every page calls it, on every render; the assistant gets what the last render said. */
export function usePageContext(context: PageContext): void {
  const id = useId();
  useSyncExternalStore(subscribeToRender, () => renderCount);
  useEffect(() => {
    const error = checkPageContext(context);
    publish(id, error === null ? { context, error: null } : { context: null, error });
  });
  useEffect(
    () => () => {
      if (owner === id) publish(null, NONE);
    },
    [id],
  );
}

/** What the page in view has published up to now, for whoever acts on it later than it is drawn. */
export const publishedContext = (): PublishedContext => published;

/** What the page in view has published. */
export function usePublishedContext(): PublishedContext {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => published,
  );
}
