/** The HTTP server, built from the declared endpoints: routing, access, validation, scope, replies. */
import cookie from '@fastify/cookie';
import websocket from '@fastify/websocket';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config.ts';
import type { Endpoint } from '../contract.ts';
import { ids } from '../ids.ts';
import type { Log } from '../log.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { readBodies } from './bodies.ts';
import { type CompiledRoute, compileRoute, type RouteOptions } from './compiledRoute.ts';
import { sendError } from './errors.ts';
import { headersOf } from './headers.ts';
import { JsonText } from './jsonRows.ts';
import { replyMalformedRequest } from './malformedRequest.ts';
import { handleNotFound } from './notFound.ts';
import { logRefusals } from './refusalLog.ts';
import { authorizeRequest, parseRequest } from './requestChecks.ts';
import { ambiguousHeader, refuseCompressedBodies } from './requestHeaders.ts';
import { closeWhenRevoked } from './revocation.ts';
import { type Call, mediaOf, type Route } from './routes.ts';
import { setEtag } from './versionHeaders.ts';

export interface ServerOptions extends RouteOptions {
  readonly log: Log;
  readonly routes: readonly Route[];
  readonly trustProxy: Config['trustProxy'];
  /** Whether the server is reached over https; browsers are then told to use nothing else. */
  readonly secure: boolean;
  /** Called after every request with its route pattern, status and seconds. */
  readonly onDone: (request: { route: string; method: string; status: number; seconds: number }) => void;
  /** Whether the server is draining; connections are then not kept alive. */
  readonly isDraining: () => boolean;
  /** Answer a browser that opens an unknown address; null to answer it like any other client. */
  readonly unknownPage: ((reply: FastifyReply) => FastifyReply) | null;
}

const MAX_BODY = 1024 * 1024;
/** Largest message on a socket, in bytes. */
const MAX_FRAME = 256 * 1024;

/** Convert the proxy setting for Fastify. Hops are counted from us outwards. */
function toFastifyTrustProxy(
  proxies: Config['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  return typeof proxies === 'number' ? (_address, hop) => hop < proxies : [...proxies];
}

/** Create the server. The caller listens and closes. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = options.log;
  const headers = headersOf(options.secure);
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY,
    trustProxy: toFastifyTrustProxy(options.trustProxy),
    genReqId: () => ids.next(),
    requestTimeout: 30_000,
    keepAliveTimeout: 20_000,
    // Requests in progress are answered even while the server closes: see `closeGracefully`.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    // Our own declarations define the shape of replies and validate requests.
    exposeHeadRoutes: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    clientErrorHandler: (error, socket) => replyMalformedRequest(error, socket, headers.call),
    // A malformed URL reaches neither a route nor the error handler.
    frameworkErrors: (error, request, reply) =>
      sendError({ error, request, reply: reply.headers(headers.call), limit: MAX_BODY }),
  });
  await server.register(cookie);
  await server.register(websocket, {
    options: { maxPayload: MAX_FRAME, perMessageDeflate: false },
    // `closeGracefully` has already closed the sockets.
    preClose: (done) => done(),
    // An oversized or invalid frame is the client's fault and does not belong in our log.
    errorHandler: (error, socket, request) => {
      request.log.debug({ error: error.message }, 'socket ended');
      socket.terminate();
    },
  });
  readBodies(server);
  refuseCompressedBodies(server);
  // Hooks take `done` instead of returning a promise, because they run on every request.
  server.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    reply.headers(config?.isCall === true ? headers.call : headers.page);
    reply.header('x-request-id', request.id);
    if (options.isDraining()) reply.header('connection', 'close');
    const ambiguous = ambiguousHeader(request);
    if (ambiguous !== null) {
      reply.header('connection', 'close');
      return done(ambiguous);
    }
    // The library would upgrade any path without a check of the caller, and only then find that it is no socket.
    if (request.ws && config?.isSocket !== true) return done(refuse(commonRefusals, 'not_found', { noun: 'socket' }));
    done();
  });
  server.setErrorHandler((error, request, reply) =>
    sendError({ error, request, reply, limit: request.routeOptions.bodyLimit ?? MAX_BODY }),
  );
  const routes = options.routes.filter((one) => one.endpoint.access !== 'sandbox' || options.sandbox);
  handleNotFound(server, { routes, maxBody: MAX_BODY, unknownPage: options.unknownPage });
  server.addHook('onResponse', (request, reply, done) => {
    const pattern = request.routeOptions.url ?? 'unknown';
    const { statusCode: status, elapsedTime } = reply;
    options.onDone({ route: pattern, method: request.method, status, seconds: elapsedTime / 1000 });
    if (options.log.isLevelEnabled('debug'))
      request.log.debug(
        { method: request.method, route: pattern, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    done();
  });
  logRefusals(server, options.log, options.accessControl);
  for (const one of routes) addRoute(server, one, options);
  return server;
}

/** RFC 6455 close code 1012: the service restarts. It is not a normal end, so clients reconnect, to another node. */
const CLOSE_RESTART = 1012;

/** Close a server. Sockets are told to reconnect, and requests in progress are answered, for at most `seconds`. */
export async function closeGracefully(server: FastifyInstance, seconds: number): Promise<void> {
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
    loose?: Endpoint['loose'];
    /** Whether a status is answered with a sentence as text instead of JSON. */
    isText?: (status: number) => boolean;
    /** Whether the route answers data, not a page. */
    isCall?: boolean;
    isSocket?: boolean;
  }
}

async function answerOf(
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): ReturnType<Route['handle']> {
  const { endpoint, handle } = compiled.route;
  const call = await parseRequest(compiled, request, reply);
  const answer = await handle(call);
  // Do not show what was read to a caller who lost access. A caller who changed something still gets the answer.
  if (endpoint.method === 'GET' && answer !== 'answered') await call.requireStill();
  return answer;
}

async function handleRequest(
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { endpoint } = compiled.route;
  // Streams stay inside until they are closed. A client that reads slowly holds up nothing.
  const answer = await answerOf(compiled, request, reply).finally(() =>
    compiled.authorizedRequests.get(request)?.authorized.finish(),
  );
  if (answer === 'answered') return reply;
  const { status } = answer;
  if (compiled.options.strictReplies) {
    const shape = endpoint.replies[status];
    if (!shape) throw new Error(`${endpoint.method} ${endpoint.path} does not declare ${status}`);
    shape.parse(answer.body instanceof JsonText ? JSON.parse(answer.body.text) : answer.body);
  }
  reply.code(status);
  if (endpoint.versioned) setEtag(reply, answer.body);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (answer.body === null || answer.body === undefined) return reply.send();
  if (!reply.hasHeader('content-type')) reply.type(`${mediaOf(endpoint, answer.body)}; charset=utf-8`);
  if (answer.body instanceof JsonText) return reply.send(answer.body.text);
  const serializer = compiled.serializerOf(status, reply);
  if (serializer) reply.serializer(serializer);
  return reply.send(answer.body);
}

const urlOf = ({ path }: Endpoint): string => path.replace(/\{(\w+)\}/g, ':$1');

/** Monitors ask for health by HEAD too. It is answered as GET, without the body. */
const methodsOf = ({ method, access, load }: Endpoint): string[] =>
  load === 'probe' && access === 'public' ? [method, 'HEAD'] : [method];

function addRoute(server: FastifyInstance, route: Route, options: ServerOptions): void {
  const { endpoint, onOpen } = route;
  const compiled = compileRoute(route, options);
  if (onOpen) return addSocketRoute(server, compiled, onOpen);
  server.route({
    method: methodsOf(endpoint),
    url: urlOf(endpoint),
    bodyLimit: endpoint.limit,
    config: { loose: endpoint.loose, isCall: endpoint.access !== 'document', isText: compiled.isText },
    onRequest: (request, reply) => authorizeRequest(compiled, request, reply),
    handler: (request, reply) => handleRequest(compiled, request, reply),
  });
}

function addSocketRoute(server: FastifyInstance, compiled: CompiledRoute, onOpen: NonNullable<Route['onOpen']>): void {
  const { options } = compiled;
  const socketCalls = new WeakMap<FastifyRequest, Call<Endpoint>>();
  server.route({
    method: 'GET',
    url: urlOf(compiled.route.endpoint),
    config: { loose: false, isCall: true, isSocket: true },
    // A plain call without an upgrade is answered 426, with or without a session.
    onRequest: async (request, reply) => {
      if (request.ws) await authorizeRequest(compiled, request, reply);
    },
    // Runs before the upgrade, so that a refusal is an ordinary answer.
    preValidation: async (request, reply) => {
      if (request.ws) socketCalls.set(request, await parseRequest(compiled, request, reply));
    },
    handler: async (_request, reply) => {
      reply.header('upgrade', 'websocket').header('connection', 'upgrade');
      throw refuse(commonRefusals, 'upgrade_required');
    },
    wsHandler: (socket, request) => {
      const call = socketCalls.get(request);
      if (!call) return socket.close(1011);
      closeWhenRevoked(options.accessControl.onChange, call.stillAllowed, socket);
      onOpen(socket, call);
    },
  });
}
