/** Admission of every call of the emulated API (token, rate limit, faults), and the shapes of refusals and pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearerToken.ts';
import { destroy, rateLimiter } from '../http.ts';
import type { World } from '../world.ts';
import { amo } from './hooks.ts';

export interface Caller {
  readonly clientId: string;
  /** Address of the account as the caller sees it. */
  readonly base: string;
}

type Handle = (request: FastifyRequest, reply: FastifyReply, admitted: Caller) => FastifyReply | Promise<FastifyReply>;

/** Wraps a handler with 401, 429, and the faults before and after it. */
export type Admit = (handle: Handle) => (request: FastifyRequest, reply: FastifyReply) => unknown;

export function createAdmission(world: World): Admit {
  const isWithinRate = rateLimiter(() => {
    return { requests: world.state.settings.amocrm.requestsPerSecond, perMs: 1000 };
  });
  return (handle) => async (request, reply) => {
    const { faults } = world;
    const path = request.url.split('?')[0] ?? '';
    const occasion = { account: 'amocrm', text: `${request.method} ${path}` };
    if (faults.take('amocrm.down', occasion)) return destroy(reply);
    // The rate limit counts calls when they arrive, however long they are delayed afterwards.
    const arrived = Date.now();
    const clientId = clientOf(world, request);
    const inPace = clientId === null || isWithinRate(clientId);
    const delay = faults.take('amocrm.delay', occasion);
    if (delay) await world.timers.pause(delay.ms ?? 1000);
    const record = (status: number) =>
      world.journal.append(
        amo({ what: 'called', clientId: clientId ?? '', method: request.method, path, status, real: arrived }),
      );
    if (clientId === null) {
      record(401);
      return httpProblem(reply, 401, 'Unauthorized', 'Token is not valid');
    }
    if (!inPace || faults.take('amocrm.rate_limited', occasion)) {
      record(429);
      return reply.code(429).type('text/plain').send('Too Many Requests');
    }
    const failing = faults.take('amocrm.fail_before', occasion);
    if (failing) {
      record(failing.status ?? 502);
      return reply
        .code(failing.status ?? 502)
        .type('text/html')
        .send('<html>Bad gateway</html>');
    }
    const host = request.headers.host ?? '';
    const after = faults.take('amocrm.fail_after', occasion);
    const loseAnswer = after ? undefined : faults.take('amocrm.lose_answer', occasion);
    if (after ?? loseAnswer) {
      // The work is done at once and its answer discarded; awaiting it would deadlock, as the reply would wait for
      // itself.
      void handle(request, silent(reply), { clientId, base: `https://${host}` });
      record(after?.status ?? 504);
      if (loseAnswer) return destroy(reply);
      return reply
        .code(after?.status ?? 504)
        .type('text/html')
        .send('<html>Gateway timeout</html>');
    }
    const answered = await handle(request, reply.type('application/hal+json'), { clientId, base: `https://${host}` });
    record(reply.statusCode);
    return answered;
  };
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

export function httpProblem(
  reply: FastifyReply,
  status: number,
  title: string,
  detail: string,
  more = {},
): FastifyReply {
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ ...more, title, type: `https://httpstatus.es/${status}`, status, detail });
}

/** Refuse one invalid field of the first item. */
export function validationProblem(reply: FastifyReply, path: string, detail: string): FastifyReply {
  const errors = [{ request_id: '0', errors: [{ code: 'NotSupportedChoice', path, detail }] }];
  return httpProblem(reply, 400, 'Bad Request', 'Request validation failed', { 'validation-errors': errors });
}

/** Answer with a page of a list: 204 if it is empty. */
export function paged(
  request: FastifyRequest,
  reply: FastifyReply,
  { base }: Caller,
  embedded: Readonly<Record<string, readonly object[]>>,
): FastifyReply {
  const [[name, items] = ['', []]] = Object.entries(embedded);
  const query = new URL(request.url, base).searchParams;
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
