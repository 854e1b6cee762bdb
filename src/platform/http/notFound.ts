/** Answers to requests for which no route matches the path and method. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonRefusals, refuse } from '../refuse.ts';
import { sendError } from './errors.ts';
import type { Route } from './routes.ts';

/**
 * Install the handler: 405 with `Allow` if another method is served, the console's own page for browsers, 404
 * otherwise.
 */
export function handleNotFound(
  server: FastifyInstance,
  {
    routes,
    maxBody,
    unknownPage,
  }: { routes: readonly Route[]; maxBody: number; unknownPage: ((reply: FastifyReply) => FastifyReply) | null },
): void {
  server.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(routes, request.url).join(', ');
    if (allowed !== '') {
      reply.header('allow', allowed);
      const refusal = refuse(commonRefusals, 'method_not_allowed', { method: request.method, allowed });
      return sendError({ error: refusal, request, reply, limit: maxBody });
    }
    if (unknownPage !== null && request.method === 'GET' && asksForPage(request)) return unknownPage(reply);
    return sendError({
      error: refuse(commonRefusals, 'not_found', { noun: 'address' }),
      request,
      reply,
      limit: maxBody,
    });
  });
}

/** Report whether the address was opened in a browser. */
const asksForPage = (request: FastifyRequest): boolean => (request.headers.accept ?? '').includes('text/html');

/** Return the methods served at a path, whatever its parameters are. */
function methodsOf(routes: readonly Route[], url: string): string[] {
  const segments = (path: string): string[] => path.replace(/\?.*$/, '').replace(/\/$/, '').split('/');
  const requested = segments(url);
  return routes
    .filter(({ endpoint }) => {
      const declared = segments(endpoint.path);
      return (
        declared.length === requested.length &&
        declared.every((step, at) => step.startsWith('{') || step === requested[at])
      );
    })
    .map(({ endpoint }) => endpoint.method);
}
