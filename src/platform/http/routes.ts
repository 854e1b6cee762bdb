/** Handlers: what a room gives the server for each endpoint it declared. */
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
  /** The versions of which the row has to have one; null: any, the last write wins. */
  readonly ifMatch: ExpectedVersions | null;
  readonly log: Log;
  readonly requestId: string;
  readonly raw: FastifyRequest;
  readonly reply: FastifyReply;
  /** The signed-in operator; null on endpoints that ask for none. */
  readonly maybeCaller: Caller | null;
  /** The signed-in operator. Throws on endpoints that ask for none: a mistake in the program. */
  readonly caller: Caller;
  /**
   * Throws a refusal when the caller may not do this any more: signed in, in his role, with the rows that the request names
   * within reach. Asked by whatever has waited, before it shows or changes something. Nothing where there is no caller.
   */
  readonly requireStill: () => Promise<void>;
  /** Whether `requireStill` throws none. */
  readonly stillAllowed: () => Promise<boolean>;
}

type Reply<E extends Endpoint> = {
  [S in keyof E['replies']]: { readonly status: S; readonly body: z.input<E['replies'][S]> };
}[keyof E['replies']];

/** `answered` when the handler has written the reply itself (a stream). */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Reply<E> | 'answered'>;

/** Whose the secret in a path is. */
export interface SecretInPath<Params> extends OwnerLookup<Params, Party> {
  /** Told of one that is nobody's. */
  readonly refused?: (params: Params) => void;
}

export interface Route {
  readonly endpoint: Endpoint;
  readonly handle: Handler<Endpoint>;
  /** Asked of a request that has the declared shape, before it takes a place among those that wait. May throw a refusal. */
  readonly precheck?: (call: Pick<Call<Endpoint>, 'body' | 'raw'>) => void;
  /** Of an endpoint with a secret in its path: the party behind it, asked before the body is read. */
  readonly secret?: SecretInPath<unknown>;
  /** Of an endpoint that is a socket: called when it is open. */
  readonly onOpen?: (socket: WebSocket, call: Call<Endpoint>) => void;
}

/** Binds a handler to its endpoint. */
export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>): Route {
  // The server validates against this very endpoint before it calls, so the wide type is safe here.
  return { endpoint, handle: handle as unknown as Handler<Endpoint> };
}

/** The same for an endpoint with a secret in its path: a request without a good one gets no further than its head. */
export function secretRoute<E extends Endpoint>(
  endpoint: E,
  secret: SecretInPath<ParamsOf<E>>,
  handle: Handler<E>,
): Route {
  return { ...route(endpoint, handle), secret: secret as SecretInPath<unknown> };
}

/** Binds what happens on a socket to its endpoint. The server answers 426 to a call that asks for no upgrade. */
export function socketRoute<E extends Endpoint>(
  endpoint: E,
  onOpen: (socket: WebSocket, call: Call<E>) => void,
): Route {
  const handle = async () => {
    throw new Error(`${endpoint.path} is a socket`);
  };
  return { endpoint, handle, onOpen };
}

/** `ok(200, body)`: a reply. */
export function ok<S extends number, B>(status: S, body: B): { readonly status: S; readonly body: B } {
  return { status, body };
}

/** The media type of an answer: the declared one; of a sentence in the place of data, text. */
export const mediaOf = (endpoint: Endpoint, body: unknown): string =>
  endpoint.media === 'application/json' && typeof body === 'string' ? 'text/plain' : endpoint.media;
