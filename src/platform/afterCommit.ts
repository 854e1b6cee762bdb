/** Log lines and metric counts of a transaction: emitted after it commits, dropped when it is rolled back. */
import type { Tx } from './db.ts';
import type { Log } from './log.ts';
import { currentTrace } from './trace.ts';

/** Counters that transactions raise; each is a counter of `Metrics`. */
export interface CommitCounters {
  readonly stages: { readonly stage: string };
  readonly received: { readonly kind: string };
  readonly composed: { readonly author: string };
  readonly statuses: { readonly status: string };
}

/** Destination of the log lines and counts. */
export interface CommitSink {
  readonly log: Log;
  readonly count: <Name extends keyof CommitCounters>(name: Name, labels: CommitCounters[Name]) => void;
}

const pending = new WeakMap<Tx, ((sink: CommitSink) => void)[]>();

function onCommit(tx: Tx, callback: (sink: CommitSink) => void): void {
  const callbacks = pending.get(tx);
  if (callbacks) callbacks.push(callback);
  else pending.set(tx, [callback]);
}

/**
 * Log a line after the commit, under the current trace unless `facts` name another. Pass ids and kinds only: no texts,
 * no addresses.
 */
export function logAfterCommit(tx: Tx, facts: Readonly<Record<string, unknown>>, sentence: string): void {
  const trace = currentTrace();
  onCommit(tx, ({ log }) => log.info(trace === undefined ? facts : { trace, ...facts }, sentence));
}

/** Raise a counter by one after the commit. */
export function countAfterCommit<Name extends keyof CommitCounters>(
  tx: Tx,
  name: Name,
  labels: CommitCounters[Name],
): void {
  onCommit(tx, ({ count }) => count(name, labels));
}

/** Emit the log lines and counts of a transaction. The code that commits calls this afterwards. */
export function flushAfterCommit(tx: Tx, sink: CommitSink): void {
  for (const callback of pending.get(tx) ?? []) callback(sink);
  pending.delete(tx);
}
