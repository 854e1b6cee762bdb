/**
 * One id follows a message: from the hook that told it, through the turn and the model, to the answer's delivery and its
 * statuses. It stands on the rows (`inbox.trace`, `messages.trace`), and in every line that is logged within `withTrace`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/** Does `work` under a trace; null, of rows older than traces: under the one that is there already, if any. */
export function withTrace<T>(trace: string | null, work: () => T): T {
  return trace === null ? work() : traces.run(trace, work);
}

/** The trace of what is being done. */
export const currentTrace = (): string | undefined => traces.getStore();
