import type { FastifyRequest } from 'fastify';
import type { Doer } from '../audit.ts';
import type { Endpoint } from '../contract.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import type { Party } from './admission.ts';

/** Who calls. */
export interface Caller extends Doer {
  readonly id: number;
  readonly login: string;
  readonly lockRights: NonNullable<Doer['lockRights']>;
  readonly admin: boolean;
  /** Ids of the companies within reach; null: all. */
  readonly companies: readonly number[] | null;
  /** The session that the request came with. */
  readonly sessionId: number;
  /** Somebody else has set the password: the operator has to choose another one. */
  readonly mustChangePassword: boolean;
  /** The installation requires a second factor and he has none. */
  readonly mustEnrol: boolean;
  /** Until when the session counts as confirmed; `performance.now()` of this process. */
  readonly reauthenticatedUntil: number;
}

/** Who has sent these cookies, as he is now; null: nobody is signed in. Counts as work in the session. */
export type FindCaller = (cookies: Record<string, string | undefined>) => Promise<Caller | null>;

/** A request with a session cookie. */
export interface SessionUse {
  readonly request: FastifyRequest;
  /** The operator does something: his session is in use. */
  readonly isActive: boolean;
}

/** Whose a cookie or secret is. */
export interface OwnerLookup<Of, Owner> {
  /** As far as that is remembered; undefined: it has to be looked up. */
  findCached(input: Of): Owner | null | undefined;
  /** Null: nobody's. */
  find(input: Of): Promise<Owner | null>;
}

/** Who lets callers in, and what they reach: handed to the server by the rooms that know. */
export interface AccessControl {
  /** The caller of a request by its session cookie. */
  readonly session: OwnerLookup<SessionUse, Caller>;
  /** Calls back when what somebody may do may have changed. Returns how to stop. */
  readonly onChange: (onChanged: () => void) => () => void;
  /** The account whose hook secret a bearer is. */
  readonly bearer: OwnerLookup<string, Party>;
  /** The network that a request comes from. */
  addressOf(request: FastifyRequest): Party;
  /**
   * The first noun that has an id unknown or out of the caller's reach; null: all are within. `seen` is called with the
   * companies whose rows were named.
   */
  findInaccessible(
    caller: Caller | null,
    references: ReadonlyMap<string, ReadonlySet<number>>,
    onCompany?: (company: number) => void,
  ): Promise<string | null>;
}

/** Compares secrets in a time that does not tell where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index % b.length);
  return difference === 0;
}

/** Whoever is signed in, if he may call this endpoint; else throws the refusal. */
export function requireAccess({ access, choosingPassword, enrolling }: Endpoint, caller: Caller | null): Caller {
  if (!caller) throw refuse(commonRefusals, 'unauthorized');
  if (access === 'admin' && !caller.admin) throw refuse(commonRefusals, 'forbidden');
  // A password of one's own first, then a second factor.
  if (caller.mustChangePassword && !choosingPassword) throw refuse(commonRefusals, 'password_change_due');
  if (caller.mustEnrol && !enrolling && !choosingPassword) throw refuse(commonRefusals, 'second_factor_missing');
  return caller;
}

/** What changes credentials asks of the session that its operator has confirmed who he is, lately. */
export function requireReauthentication({ reauthentication }: Endpoint, caller: Caller | null, body: unknown): void {
  const isRequired = typeof reauthentication === 'function' ? reauthentication(body) : reauthentication;
  if (isRequired && caller && performance.now() >= caller.reauthenticatedUntil)
    throw refuse(commonRefusals, 'proof_required');
}
