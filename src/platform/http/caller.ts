import type { FastifyRequest } from 'fastify';
import type { Party } from './admission.ts';

/** Who calls. */
export interface Caller {
  readonly id: number;
  readonly login: string;
  readonly admin: boolean;
  /** Ids of the companies within reach; null: all. */
  readonly companies: readonly number[] | null;
}

/** Who has sent these cookies, as he is now; null: nobody is signed in. */
export type CallerOf = (cookies: Record<string, string | undefined>) => Promise<Caller | null>;

/** Whose a cookie or secret is. */
export interface Check<Of, Owner> {
  /** As far as that is remembered; undefined: it has to be looked up. */
  recall(of: Of): Owner | null | undefined;
  /** Null: nobody's. */
  find(of: Of): Promise<Owner | null>;
}

/** Who lets callers in, and what they reach: handed to the server by the rooms that know. */
export interface Gate {
  /** The caller of a request by its session cookie. */
  readonly session: Check<FastifyRequest, Caller>;
  /** The account whose hook secret a bearer is. */
  readonly bearer: Check<string, Party>;
  /** The network that a request comes from. */
  addressOf(request: FastifyRequest): Party;
  /** The first noun that has an id unknown or out of the caller's reach; null: all are within. */
  /** `seen` is called with the companies whose rows were named. */
  missing(
    caller: Caller | null,
    references: ReadonlyMap<string, ReadonlySet<number>>,
    seen?: (company: number) => void,
  ): Promise<string | null>;
}

/** Compares secrets in a time that does not tell where they differ. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index % b.length);
  return difference === 0;
}
