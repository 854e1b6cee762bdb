import type { BodyOf, QueryOf } from '../platform/contract.ts';
import type { ThreadKind } from '../platform/threads.ts';
import type { Consequences, Rehearsal, readConsequences, readRehearsal } from './rehearsalContract.ts';

export type RehearsalRequest =
  | { readonly kind: 'rehearsal'; readonly query: QueryOf<typeof readRehearsal> }
  | { readonly kind: 'consequences'; readonly body: BodyOf<typeof readConsequences> };

export type RehearsalReply =
  | { readonly kind: 'rehearsal'; readonly body: Rehearsal }
  | { readonly kind: 'consequences'; readonly body: Consequences }
  /** The product is gone. */
  | { readonly kind: 'none' };

/**
 * Rehearsals. [10,000 leads, 92 days, 50 steps: 4 s; 50,000 leads of a common product for 30 days: 3 s.] With two threads
 * a company that plans for long does not keep another one waiting.
 */
export const rehearsalThreadKind: ThreadKind<RehearsalRequest, RehearsalReply> = {
  name: 'rehearsal',
  module: new URL('./rehearsalThread.ts', import.meta.url),
  threads: 2,
  budgetMs: 20_000,
  heapMb: 1024,
  waiting: { ofKey: 8, ofAll: 64 },
};
