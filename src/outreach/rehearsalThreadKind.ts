import type { BodyOf, QueryOf } from '../platform/contract.ts';
import type { ThreadKind } from '../platform/threads.ts';
import type { Consequences, Rehearsal, readConsequences, readRehearsal } from './rehearsalContract.ts';

export type RehearsalRequest =
  | { readonly kind: 'rehearsal'; readonly query: QueryOf<typeof readRehearsal> }
  | { readonly kind: 'consequences'; readonly body: BodyOf<typeof readConsequences> };

export type RehearsalReply =
  | { readonly kind: 'rehearsal'; readonly body: Rehearsal }
  | { readonly kind: 'consequences'; readonly body: Consequences }
  /** The product does not exist any more. */
  | { readonly kind: 'none' };

/**
 * Rehearsals. Measured: 10,000 leads, 92 days, 50 steps: 4 s; 50,000 leads of a common product for 30 days: 3 s. Two
 * threads, so that one company's long plan does not delay another company. Wait and budget together stay below 30 s,
 * after which a caller has often given up. [Five of the longest at once: four had no answer within 30 s.]
 */
export const rehearsalThreadKind: ThreadKind<RehearsalRequest, RehearsalReply> = {
  name: 'rehearsal',
  module: new URL('./rehearsalThread.ts', import.meta.url),
  threads: 2,
  budgetMs: 20_000,
  heapMb: 1024,
  waiting: { ofKey: 8, ofAll: 64, ms: 8000 },
};
