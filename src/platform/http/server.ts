/** The HTTP server, made from the declared endpoints: routing, access, validation, scope, replies. */
import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import websocket from '@fastify/websocket';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import { BACKGROUND_HEADER, type Endpoint, needsOrigin, nothing } from '../contract.ts';
import { ids } from '../ids.ts';
import type { Log } from '../log.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { type Admission, type Crowd, crowdOf, type Visit } from './admission.ts';
import { readBodies } from './bodies.ts';
import { type Caller, type Gate, requireProof, sameText } from './caller.ts';
import { answerError, invalid } from './errors.ts';
import { headersOf } from './headers.ts';
import { refuseUnstorable } from './json.ts';
import { closeWhenRevoked, stillAllowed } from './revocation.ts';
import { type Call, mediaOf, type Route } from './routes.ts';
import { coerce, collectReferences, jsonSchemaOf, referencePlaces, replySchema } from './shapes.ts';
import { answerUnknown } from './unknownAddress.ts';
import { ifMatchOf, tagVersion } from './versionHeaders.ts';

export interface ServerOptions {
  readonly log: Log;
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly admission: Admission;
  /** The origin of our own pages: what a refusal tells a caller to send. */
  readonly origin: string;
  /** Whether a request's Origin is ours. */
  readonly isOurOrigin: (origin: string) => boolean;
  readonly sandbox: boolean;
  readonly trustProxy: Config['trustProxy'];
  /** Reached over https: browsers are told to come no other way. */
  readonly secure: boolean;
  readonly metricsToken: string | null;
  readonly strictReplies: boolean;
  /** Called after every request with its route pattern, status and seconds. */
  readonly onDone: (route: string, method: string, status: number, seconds: number) => void;
  /** Told to stop: connections are not kept for a next request. */
  readonly isLeaving: () => boolean;
  /** Whether a bearer is a hook secret; endpoints of access `session-or-hook` take it instead of a session. */
  readonly isHookBearer: (token: string) => Promise<boolean>;
  /** Answers a browser that asks for a page where there is nothing; null: it is answered like any other client. */
  readonly unknownPage: ((reply: FastifyReply) => FastifyReply) | null;
}

const MAX_BODY = 1024 * 1024;
/** Bytes of one message on a socket. */
const MAX_FRAME = 256 * 1024;
/** When somebody who found no room may try again. */
const RETRY_SECONDS = 2;

function bearer(request: FastifyRequest): string | null {
  const match = /^Bearer (.+)$/.exec(request.headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** What Fastify is told of proxies. Hops are counted from us outwards. */
function trusted(proxies: Config['trustProxy']): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  return typeof proxies === 'number' ? (_address, hop) => hop < proxies : [...proxies];
}

/** Makes the server; the caller listens and closes. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = options.log;
  const headers = headersOf(options.secure);
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY,
    trustProxy: trusted(options.trustProxy),
    genReqId: () => ids.next(),
    requestTimeout: 30_000,
    keepAliveTimeout: 20_000,
    // What is under way is answered, also by a server that closes: see `retire`.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    // Replies are shaped by our own declarations; requests are validated by them too.
    exposeHeadRoutes: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // An address that cannot be read never reaches a route, nor the error handler.
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(headers.call), MAX_BODY),
  });
  await server.register(cookie);
  await server.register(websocket, {
    options: { maxPayload: MAX_FRAME, perMessageDeflate: false },
    // They were told before.
    preClose: (done) => done(),
    // A frame that is too large or no frame at all is the client's fault, and not for the log of ours.
    errorHandler: (error, socket, request) => {
      request.log.debug({ error: error.message }, 'socket ended');
      socket.terminate();
    },
  });
  readBodies(server);
  const visits = new WeakMap<FastifyRequest, Visit>();
  // Hooks that take `done` and not a promise: they run on every request.
  server.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    reply.headers(config?.isCall === true ? headers.call : headers.page);
    reply.header('x-request-id', request.id);
    if (options.isLeaving()) reply.header('connection', 'close');
    // The library would upgrade any address, without asking who comes, and only then find that it is none of a socket.
    if (request.ws && config?.isSocket !== true) return done(refuse(commonRefusals, 'not_found', { noun: 'socket' }));
    const crowd = config?.crowd ?? null;
    if (crowd === null) return done();
    const visit = options.admission.enter(crowd, () => request.raw.socket.destroy());
    if (!visit) return done(refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS));
    visits.set(request, visit);
    // Of a socket the connection itself: its answer ends with the upgrade.
    (request.ws ? request.raw.socket : reply.raw).once('close', () => visit.leave());
    done();
  });
  // The body is there.
  server.addHook('preValidation', (request, _reply, done) => {
    visits.get(request)?.works();
    done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // What is sent as it is made is made as fast as it is read.
    if (!(payload instanceof Readable)) visits.get(request)?.waits();
    done(null, payload);
  });
  server.setErrorHandler((error, request, reply) =>
    answerError(error, request, reply, request.routeOptions.bodyLimit ?? MAX_BODY),
  );
  const routes = options.routes.filter((one) => one.endpoint.access !== 'sandbox' || options.sandbox);
  answerUnknown(server, routes, MAX_BODY, options.unknownPage);
  server.addHook('onResponse', (request, reply, done) => {
    const pattern = request.routeOptions.url ?? 'unknown';
    options.onDone(pattern, request.method, reply.statusCode, reply.elapsedTime / 1000);
    if (options.log.isLevelEnabled('debug'))
      request.log.debug(
        { method: request.method, route: pattern, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    done();
  });
  for (const one of routes) addRoute(server, one, options);
  return server;
}

/** RFC 6455: 1012, the service is restarted. No normal end, so that who talks on a socket comes back, to another node. */
const CLOSE_RESTART = 1012;

/** Closes a server: sockets are told to come back, requests under way are answered, for `seconds` at most. */
export async function retire(server: FastifyInstance, seconds: number): Promise<void> {
  for (const socket of server.websocketServer.clients) socket.close(CLOSE_RESTART, 'The server restarts');
  const late = setTimeout(() => {
    for (const socket of server.websocketServer.clients) socket.terminate();
    server.server.closeAllConnections();
  }, seconds * 1000);
  await server.close();
  clearTimeout(late);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whom it counts as among those inside; null: nobody. */
    crowd?: Crowd | null;
    loose?: boolean;
    /** Answers data, not a page. */
    isCall?: boolean;
    isSocket?: boolean;
  }
}

async function admit(endpoint: Endpoint, request: FastifyRequest, options: ServerOptions): Promise<Caller | null> {
  const { access } = endpoint;
  switch (access) {
    case 'public':
    case 'hook':
    case 'sandbox':
      return null;
    case 'document':
      if (options.sandbox) return null;
      break;
    case 'metrics': {
      const token = bearer(request);
      const open =
        options.metricsToken === null ? options.sandbox : token !== null && sameText(token, options.metricsToken);
      if (!open) throw refuse(commonRefusals, 'unauthorized');
      return null;
    }
    case 'session-or-hook': {
      const token = bearer(request);
      if (token !== null) {
        if (await options.isHookBearer(token)) return null;
        throw refuse(commonRefusals, 'unauthorized');
      }
      break;
    }
    case 'session':
    case 'admin':
      break;
    default:
      access satisfies never;
  }
  // A stream or socket that opens, and opens again, is the console and not the operator.
  const isWork = endpoint.load === 'call' && !endpoint.socket && request.headers[BACKGROUND_HEADER] === undefined;
  const caller = await options.gate.authenticate(request, isWork);
  if (!caller) throw refuse(commonRefusals, 'unauthorized');
  if (access === 'admin' && !caller.admin) throw refuse(commonRefusals, 'forbidden');
  if (caller.mustEnrol && !endpoint.enrolling) throw refuse(commonRefusals, 'second_factor_missing');
  return caller;
}

/** Cookie requests that may change something have to come from our own page. */
function checkOrigin(endpoint: Endpoint, request: FastifyRequest, options: ServerOptions): void {
  if (!needsOrigin(endpoint)) return;
  if (endpoint.access === 'session-or-hook' && bearer(request) !== null) return;
  const origin = request.headers.origin;
  if (origin === undefined) throw refuse(commonRefusals, 'origin_missing', { origin: options.origin });
  if (!options.isOurOrigin(origin)) throw refuse(commonRefusals, 'foreign_origin');
}

const NOTHING = { success: true, data: {} } as const;

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

/** Parses with the shape; an empty object where nothing may be is known to be right without asking it. */
function parser(shape: Endpoint['body']): (value: unknown) => z.ZodSafeParseResult<unknown> {
  if (shape !== nothing) return (value) => shape.safeParse(value);
  return (value) => (isEmptyObject(value) ? NOTHING : shape.safeParse(value));
}

function addRoute(server: FastifyInstance, { endpoint, handle, open }: Route, options: ServerOptions): void {
  const schemas = {
    params: jsonSchemaOf(endpoint.params, 'input'),
    query: jsonSchemaOf(endpoint.query, 'input'),
    body: jsonSchemaOf(endpoint.body, 'input'),
  };
  const places = {
    params: referencePlaces(schemas.params),
    query: referencePlaces(schemas.query),
    body: referencePlaces(schemas.body),
  };
  const parts = { params: parser(endpoint.params), query: parser(endpoint.query), body: parser(endpoint.body) };
  const hasReferences = places.params.length + places.query.length + places.body.length > 0;
  const hasBody = endpoint.method !== 'GET' && endpoint.method !== 'DELETE';
  const response: Record<number, unknown> = {};
  for (const [status, shape] of Object.entries(endpoint.replies)) {
    const schema = replySchema(jsonSchemaOf(shape, 'output'));
    if (schema.type === 'object') response[Number(status)] = schema;
  }

  /** Everything that is asked of a request before it is worked on. */
  async function prepare(request: FastifyRequest, reply: FastifyReply): Promise<Call<Endpoint>> {
    checkOrigin(endpoint, request, options);
    const caller = await admit(endpoint, request, options);
    refuseUnstorable('path', request.params);
    refuseUnstorable('query', request.query);
    const params = parts.params(coerce(request.params as Record<string, unknown>, schemas.params));
    if (!params.success) throw invalid('path', params.error);
    const query = parts.query(coerce(request.query as Record<string, unknown>, schemas.query));
    if (!query.success) throw invalid('query', query.error);
    const body = parts.body(hasBody || request.body !== undefined ? (request.body ?? {}) : {});
    if (!body.success) throw invalid('body', body.error);
    requireProof(endpoint, caller, body.data);
    const references = new Map<string, Set<number>>();
    if (hasReferences) {
      collectReferences(params.data, places.params, references);
      collectReferences(query.data, places.query, references);
      collectReferences(body.data, places.body, references);
      const missing = references.size > 0 ? await options.gate.missing(caller, references) : null;
      if (missing) throw refuse(commonRefusals, 'not_found', { noun: missing.replaceAll('_', ' ') });
    }
    return {
      params: params.data,
      query: query.data,
      body: body.data,
      ifMatch: endpoint.versioned ? ifMatchOf(request) : null,
      log: request.log as Log,
      requestId: request.id,
      raw: request,
      reply,
      maybeCaller: caller,
      get caller(): Caller {
        if (!caller) throw new Error(`${endpoint.path} has no caller`);
        return caller;
      },
      stillAllowed: stillAllowed(options.gate, request, endpoint, { caller, references }),
    };
  }

  async function perform(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const call = await prepare(request, reply);
    const answer = await handle(call);
    if (answer === 'answered') return reply;
    const { status } = answer;
    if (options.strictReplies) {
      const shape = endpoint.replies[status];
      if (!shape) throw new Error(`${endpoint.method} ${endpoint.path} does not declare ${status}`);
      shape.parse(answer.body);
    }
    reply.code(status);
    if (endpoint.versioned) tagVersion(reply, answer.body);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    if (answer.body === null || answer.body === undefined) return reply.send();
    if (!reply.hasHeader('content-type')) reply.type(`${mediaOf(endpoint, answer.body)}; charset=utf-8`);
    return reply.send(answer.body);
  }

  if (open) {
    const admitted = new WeakMap<FastifyRequest, Call<Endpoint>>();
    server.route({
      method: 'GET',
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { loose: false, isCall: true, isSocket: true, crowd: crowdOf(endpoint) },
      // Before the upgrade, so that a refusal is an ordinary answer.
      preValidation: async (request, reply) => {
        if (request.ws) admitted.set(request, await prepare(request, reply));
      },
      handler: async (_request, reply) => {
        reply.header('upgrade', 'websocket').header('connection', 'upgrade');
        throw refuse(commonRefusals, 'upgrade_required');
      },
      wsHandler: (socket, request) => {
        const call = admitted.get(request);
        if (!call) return socket.close(1011);
        closeWhenRevoked(options.gate.onChange, call.stillAllowed, socket);
        open(socket, call);
      },
    });
    return;
  }
  server.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: endpoint.limit,
    config: { loose: endpoint.loose, isCall: endpoint.access !== 'document', crowd: crowdOf(endpoint) },
    schema: { response },
    handler: perform,
  });
}
