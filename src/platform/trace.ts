/**
 * Traces: one id follows a message from the hook that delivered it, through the turn and the model, to the reply's
 * delivery and its statuses. It is stored on the rows (`inbox.trace`, `messages.trace`), and is part of every line that
 * is logged within `withTrace`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/** Run `work` under a trace. Null, from rows older than traces, keeps the current trace, if any. */
export function withTrace<T>(trace: string | null, work: () => T): T {
  return trace === null ? work() : traces.run(trace, work);
}

/** Return the current trace. */
export const currentTrace = (): string | undefined => traces.getStore();
