/** What a transaction has to tell logs and metrics: told when it has committed, and never when it was rolled back. */
import type { Tx } from './db.ts';
import type { Log } from './log.ts';
import { currentTrace } from './trace.ts';

/** What is counted by transactions; each is a counter of `Metrics`. */
export interface CommitCounters {
  readonly stages: { readonly stage: string };
  readonly received: { readonly kind: string };
  readonly composed: { readonly author: string };
  readonly statuses: { readonly status: string };
}

/** Where it is told. */
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

/** A line for the log, under the present trace unless `facts` name another. Ids and kinds only: no texts, no addresses. */
export function logAfterCommit(tx: Tx, facts: Readonly<Record<string, unknown>>, sentence: string): void {
  const trace = currentTrace();
  onCommit(tx, ({ log }) => log.info(trace === undefined ? facts : { trace, ...facts }, sentence));
}

/** One more of something. */
export function countAfterCommit<Name extends keyof CommitCounters>(
  tx: Tx,
  name: Name,
  labels: CommitCounters[Name],
): void {
  onCommit(tx, ({ count }) => count(name, labels));
}

/** Tells what a transaction left to tell; whoever commits calls it afterwards. */
export function flushAfterCommit(tx: Tx, sink: CommitSink): void {
  for (const callback of pending.get(tx) ?? []) callback(sink);
  pending.delete(tx);
}
