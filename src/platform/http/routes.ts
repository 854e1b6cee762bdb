/** Handlers: what a module gives the server for each endpoint it declares. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '../contract.ts';
import type { Log } from '../log.ts';
import type { ExpectedVersions } from '../rowVersion.ts';
import type { Party } from './admission.ts';
import type { Caller, OwnerLookup } from './caller.ts';

export interface Call<E extends Endpoint> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Versions of which the row must have one; null for any (the last write wins). */
  readonly ifMatch: ExpectedVersions | null;
  readonly log: Log;
  readonly requestId: string;
  readonly raw: FastifyRequest;
  readonly reply: FastifyReply;
  /** The signed-in operator; null on endpoints that require none. */
  readonly maybeCaller: Caller | null;
  /** The signed-in operator. Throws on endpoints that require none: a programming error. */
  readonly caller: Caller;
  /**
   * Throw a refusal if the caller has lost access: the session, the role, or the rows that the request names. Call it
   * after a wait, before showing or changing something. Does nothing without a caller.
   */
  readonly requireStill: () => Promise<void>;
  /** Report whether `requireStill` would pass. */
  readonly stillAllowed: () => Promise<boolean>;
}

type Reply<E extends Endpoint> = {
  [S in keyof E['replies']]: { readonly status: S; readonly body: z.input<E['replies'][S]> };
}[keyof E['replies']];

/** A handler. It returns `answered` if it has written the reply itself (a stream). */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Reply<E> | 'answered'>;

/** Lookup of the owner of a secret in a path. */
export interface SecretInPath<Params> extends OwnerLookup<Params, Party> {
  /** Called with the parameters when the secret has no owner. */
  readonly refused?: (params: Params) => void;
}

export interface Route {
  readonly endpoint: Endpoint;
  readonly handle: Handler<Endpoint>;
  /** Check of a request in its declared shape, before it waits for a slot. May throw a refusal. */
  readonly precheck?: (call: Pick<Call<Endpoint>, 'body' | 'raw'>) => void;
  /** For an endpoint with a secret in its path: the lookup of its owner, made before the body is read. */
  readonly secret?: SecretInPath<unknown>;
  /** For a socket endpoint: called when the socket is open. */
  readonly onOpen?: (socket: WebSocket, call: Call<Endpoint>) => void;
}

/** Bind a handler to its endpoint. */
export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>): Route {
  // The server validates against this very endpoint before it calls the handler, so the wide type is safe here.
  return { endpoint, handle: handle as unknown as Handler<Endpoint> };
}

/**
 * Bind a handler to an endpoint with a secret in its path. A request without a valid secret is refused after its head.
 */
export function secretRoute<E extends Endpoint>(
  endpoint: E,
  secret: SecretInPath<ParamsOf<E>>,
  handle: Handler<E>,
): Route {
  return { ...route(endpoint, handle), secret: secret as SecretInPath<unknown> };
}

/** Bind a socket handler to its endpoint. The server answers 426 to a call without an upgrade. */
export function socketRoute<E extends Endpoint>(
  endpoint: E,
  onOpen: (socket: WebSocket, call: Call<E>) => void,
): Route {
  const handle = async () => {
    throw new Error(`${endpoint.path} is a socket`);
  };
  return { endpoint, handle, onOpen };
}

/** Build a reply: `ok(200, body)`. */
export function ok<S extends number, B>(status: S, body: B): { readonly status: S; readonly body: B } {
  return { status, body };
}

/** Return the media type of an answer: the declared one, or plain text if a JSON endpoint answers with a sentence. */
export const mediaOf = (endpoint: Endpoint, body: unknown): string =>
  endpoint.media === 'application/json' && typeof body === 'string' ? 'text/plain' : endpoint.media;
