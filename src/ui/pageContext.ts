/**
 * The context that a page publishes to the assistant: its purpose, its content and its tools. Only one page publishes
 * at a time, the one mounted last.
 */
import { useEffect, useId, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { t } from './i18n.ts';

export interface PageTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; undefined if there are none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The tool changes something, so the operator confirms each call. */
  readonly confirm?: boolean;
  /** Why the change cannot be undone, shown before the confirmation. Undefined if it can be undone. */
  readonly irreversible?: string;
}

/** A text before and after a change, for 'Show Diff'. */
export interface TextChange {
  readonly before: string;
  readonly after: string;
}

/** How to undo a change. */
export interface Undo {
  /** Returns whether the changed data is still as the change left it. Undo runs only then. */
  unchanged: () => boolean | Promise<boolean>;
  run: () => void | Promise<unknown>;
}

/** The result of a handler, with the way to undo its change. */
export class Undoable {
  readonly result: unknown;
  readonly undo: Undo;
  constructor(result: unknown, undo: Undo) {
    this.result = result;
    this.undo = undo;
  }
}

export interface PageToolHandler {
  /**
   * Runs the tool. Returns the result for the assistant, or an `Undoable`. Thrown messages are shown to the operator.
   */
  readonly call: (args: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** Returns the text before and after the change, for diff tools. Throws on invalid arguments. */
  readonly diff?: (args: Readonly<Record<string, unknown>>) => TextChange;
  /** The handler serves tools that the assistant defines itself, so the page need not declare them. */
  readonly dynamic?: boolean;
}

export interface PageContext {
  /** Purpose of the page in one or two sentences. */
  readonly description: string;
  /** Current content of the page, as text or compact JSON. */
  readonly summary: string;
  /** Instructions for the assistant on this page, in addition to the general ones. */
  readonly systemPrompt?: string;
  readonly tools: readonly PageTool[];
  /** Handlers by tool name. */
  readonly handlers?: Readonly<Record<string, PageToolHandler>>;
}

/** The published context, or the error that prevented it. */
export type PublishedContext = { context: PageContext; error: null } | { context: null; error: string | null };

const NONE: PublishedContext = { context: null, error: null };

/** Validate a context. Returns null if it is valid, else 'Invalid page context: …'. */
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
  // Handlers close over the page's latest state, so replace them even when nothing visible changed.
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

/** Wait until the page has rendered a change, so that the next tool call sees it. */
export async function waitForRender(): Promise<void> {
  // The query cache notifies its observers after the current task.
  await new Promise((resolve) => setTimeout(resolve));
  // A synchronous render also flushes the pending ones.
  flushSync(() => {
    renderCount += 1;
    for (const listener of renderListeners) listener();
  });
}

function subscribeToRender(listener: () => void): () => void {
  renderListeners.add(listener);
  return () => renderListeners.delete(listener);
}

/** Publish the page's context to the assistant. Every page calls this on every render. */
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

/** Return the context of the current page. For callers that use it after rendering. */
export const publishedContext = (): PublishedContext => published;

/** Subscribe to the context of the current page. */
export function usePublishedContext(): PublishedContext {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => published,
  );
}
