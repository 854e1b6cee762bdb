/** Admission of every call of the emulated API (token, rate limit, faults), and the shapes of refusals and pages. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearerToken.ts';
import { destroy, rateLimiter } from '../http.ts';
import type { World } from '../world.ts';
import { amo } from './hooks.ts';

/** An admitted call. */
export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly clientId: string;
  /** Address of the account as the caller sees it. */
  readonly base: string;
  readonly query: URLSearchParams;
}
type Handle = (call: Call) => FastifyReply;
/** Add a route below `/api/v4`, with 401, 429, and the faults before and after its handler. */
export type AddRoute = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, handle: Handle) => void;

/** Calls of one integration. */
const RATE_LIMIT = { requests: 7, perMs: 1000 };

export function createAdmission(app: FastifyInstance, world: World): AddRoute {
  const isWithinRate = rateLimiter(() => RATE_LIMIT);
  async function admit(request: FastifyRequest, reply: FastifyReply, handle: Handle): Promise<FastifyReply> {
    const { faults } = world;
    const path = request.url.split('?')[0] ?? '';
    const occasion = { account: 'amocrm', text: `${request.method} ${path}` };
    if (faults.take('amocrm.down', occasion)) return destroy(reply);
    // The rate limit counts calls when they arrive, however long they are delayed afterwards.
    const real = Date.now();
    const clientId = clientOf(world, request);
    const inPace = clientId === null || isWithinRate(clientId);
    const delay = faults.take('amocrm.delay', occasion);
    if (delay) await world.timers.pause(delay.ms ?? 1000);
    const record = (status: number) => {
      const called = { clientId: clientId ?? '', method: request.method, path, status, real };
      world.journal.append(amo({ what: 'called', ...called }));
    };
    const fail = (status: number, type: string, text: string) => {
      record(status);
      return reply.code(status).type(type).send(text);
    };
    if (clientId === null) {
      record(401);
      return httpProblem(reply, 401, 'Unauthorized', 'Token is not valid');
    }
    if (!inPace || faults.take('amocrm.rate_limited', occasion)) return fail(429, 'text/plain', 'Too Many Requests');
    const failing = faults.take('amocrm.fail_before', occasion);
    if (failing) return fail(failing.status ?? 502, 'text/html', '<html>Bad gateway</html>');
    const url = new URL(request.url, `https://${request.headers.host ?? ''}`);
    const call = { request, clientId, base: url.origin, query: url.searchParams };
    const after = faults.take('amocrm.fail_after', occasion);
    if (after) {
      handle({ ...call, reply: silent(reply) });
      return fail(after.status ?? 504, 'text/html', '<html>Gateway timeout</html>');
    }
    if (faults.take('amocrm.lose_answer', occasion)) {
      handle({ ...call, reply: silent(reply) });
      record(504);
      return destroy(reply);
    }
    const answered = handle({ ...call, reply: reply.type('application/hal+json') });
    record(reply.statusCode);
    return answered;
  }

  return (method, path, handle) =>
    app.route({ method, url: `/api/v4${path}`, handler: (request, reply) => admit(request, reply, handle) });
}

function clientOf(world: World, request: FastifyRequest): string | null {
  const tokenPair = world.state.amocrm.access.get(bearerToken(request) ?? '');
  return tokenPair && tokenPair.expires > Date.now() ? tokenPair.clientId : null;
}

/** Return a reply that can be written to but is never sent. */
function silent(reply: FastifyReply): FastifyReply {
  return new Proxy(reply, {
    get: (target, key) =>
      ['code', 'send', 'type', 'header'].includes(String(key))
        ? () => silent(target)
        : Reflect.get(target, key, target),
  });
}

export function httpProblem(reply: FastifyReply, status: number, title: string, detail: string, more = {}) {
  const body = { ...more, title, type: `https://httpstatus.es/${status}`, status, detail };
  return reply.code(status).type('application/problem+json').send(body);
}

/** Refuse one invalid field of the first item. */
export function validationProblem(reply: FastifyReply, path: string, detail: string): FastifyReply {
  const errors = [{ request_id: '0', errors: [{ code: 'NotSupportedChoice', path, detail }] }];
  return httpProblem(reply, 400, 'Bad Request', 'Request validation failed', { 'validation-errors': errors });
}

/** Answer with a page of a list: 204 if it is empty. */
export function paged({ request, reply, base, query }: Call, name: string, items: readonly unknown[]): FastifyReply {
  const page = Math.max(1, Number(query.get('page') ?? 1) || 1);
  const limit = Math.min(250, Math.max(1, Number(query.get('limit') ?? 50) || 50));
  const pageItems = items.slice((page - 1) * limit, page * limit);
  if (pageItems.length === 0) return reply.code(204).send();
  const href = (number: number) => {
    const url = new URL(request.url, base);
    url.searchParams.set('page', String(number));
    return { href: url.href };
  };
  return reply.send({
    _page: page,
    _links: {
      self: href(page),
      ...(page * limit < items.length ? { next: href(page + 1) } : {}),
      ...(page > 1 ? { prev: href(page - 1) } : {}),
    },
    _embedded: { [name]: pageItems },
  });
}
