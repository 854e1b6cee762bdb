import type { FastifyRequest } from 'fastify';
import type { Doer } from '../audit.ts';
import type { Endpoint } from '../contract.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import type { Party } from './admission.ts';

/** The operator behind a request. */
export interface Caller extends Doer {
  readonly id: number;
  readonly login: string;
  readonly lockRights: NonNullable<Doer['lockRights']>;
  readonly admin: boolean;
  /** Ids of the companies the operator can access; null for all. */
  readonly companies: readonly number[] | null;
  /** Session that the request came with. */
  readonly sessionId: number;
  /** Another operator has set the password, so this operator must choose a new one. */
  readonly mustChangePassword: boolean;
  /** The installation requires a second factor and the operator has none. */
  readonly mustEnrol: boolean;
  /** End of the session's reauthentication, in `performance.now()` of this process. */
  readonly reauthenticatedUntil: number;
}

/**
 * Find the operator of these cookies in their current state; null if nobody is signed in. Counts as activity of the
 * session.
 */
export type FindCaller = (cookies: Record<string, string | undefined>) => Promise<Caller | null>;

/** A request with a session cookie. */
export interface SessionUse {
  readonly request: FastifyRequest;
  /** Whether the request is an operator's activity and so keeps the session in use. */
  readonly isActive: boolean;
}

/** Lookup of the owner of a cookie or secret. */
export interface OwnerLookup<Of, Owner> {
  /** Return the cached owner; undefined if it has to be looked up. */
  findCached(input: Of): Owner | null | undefined;
  /** Look up the owner; null if there is none. */
  find(input: Of): Promise<Owner | null>;
}

/** Access control of the server: who may call, and what they can access. Injected by the modules that know. */
export interface AccessControl {
  /** Lookup of a request's caller by session cookie. */
  readonly session: OwnerLookup<SessionUse, Caller>;
  /** Call back when an operator's rights may have changed. Return a function that unsubscribes. */
  readonly onChange: (onChanged: () => void) => () => void;
  /** Lookup of the account that owns a hook secret sent as a bearer token. */
  readonly bearer: OwnerLookup<string, Party>;
  /** Return the network that a request comes from. */
  addressOf(request: FastifyRequest): Party;
  /**
   * Return the first noun with an id that is unknown or out of the caller's scope; null if all are accessible.
   * `onCompany` is called with each company whose rows were named.
   */
  findInaccessible(
    caller: Caller | null,
    references: ReadonlyMap<string, ReadonlySet<number>>,
    onCompany?: (company: number) => void,
  ): Promise<string | null>;
}

/** Compare secrets in a time that does not reveal where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index % b.length);
  return difference === 0;
}

/** Return the signed-in caller if they may call this endpoint; otherwise throw the refusal. */
export function requireAccess({ access, choosingPassword, enrolling }: Endpoint, caller: Caller | null): Caller {
  if (!caller) throw refuse(commonRefusals, 'unauthorized');
  if (access === 'admin' && !caller.admin) throw refuse(commonRefusals, 'forbidden');
  // A chosen password comes first, then a second factor.
  if (caller.mustChangePassword && !choosingPassword) throw refuse(commonRefusals, 'password_change_due');
  if (caller.mustEnrol && !enrolling && !choosingPassword) throw refuse(commonRefusals, 'second_factor_missing');
  return caller;
}

/** Require a recent reauthentication for calls that change credentials. */
export function requireReauthentication({ reauthentication }: Endpoint, caller: Caller | null, body: unknown): void {
  const isRequired = typeof reauthentication === 'function' ? reauthentication(body) : reauthentication;
  if (isRequired && caller && performance.now() >= caller.reauthenticatedUntil)
    throw refuse(commonRefusals, 'proof_required');
}
