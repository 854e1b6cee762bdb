/** What a transaction has to tell logs and metrics: told when it has committed, and never when it was rolled back. */
import type { Tx } from './db.ts';
import type { Log } from './log.ts';
import { currentTrace } from './trace.ts';

/** What is counted by transactions; each is a counter of `Metrics`. */
export interface Counted {
  readonly stages: { readonly stage: string };
  readonly received: { readonly kind: string };
  readonly composed: { readonly author: string };
  readonly statuses: { readonly status: string };
}

/** Where it is told. */
export interface Told {
  readonly log: Log;
  readonly count: <Name extends keyof Counted>(name: Name, labels: Counted[Name]) => void;
}

const pending = new WeakMap<Tx, ((told: Told) => void)[]>();

function later(tx: Tx, tell: (told: Told) => void): void {
  const ofTx = pending.get(tx);
  if (ofTx) ofTx.push(tell);
  else pending.set(tx, [tell]);
}

/** A line for the log, under the present trace unless `facts` name another. Ids and kinds only: no texts, no addresses. */
export function logAfter(tx: Tx, facts: Readonly<Record<string, unknown>>, sentence: string): void {
  const trace = currentTrace();
  later(tx, ({ log }) => log.info(trace === undefined ? facts : { trace, ...facts }, sentence));
}

/** One more of something. */
export function countAfter<Name extends keyof Counted>(tx: Tx, name: Name, labels: Counted[Name]): void {
  later(tx, ({ count }) => count(name, labels));
}

/** Tells what a transaction left to tell; whoever commits calls it afterwards. */
export function tellCommitted(tx: Tx, told: Told): void {
  for (const tell of pending.get(tx) ?? []) tell(told);
  pending.delete(tx);
}
