/** Addresses at which nothing is served under the method of a request. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonRefusals, refuse } from '../refuse.ts';
import { sendError } from './errors.ts';
import type { Route } from './routes.ts';

/** Answers them: 405 with `Allow` where another method is served, the console's own page to browsers, 404 to others. */
export function handleNotFound(
  server: FastifyInstance,
  routes: readonly Route[],
  maxBody: number,
  unknownPage: ((reply: FastifyReply) => FastifyReply) | null,
): void {
  server.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(routes, request.url).join(', ');
    if (allowed !== '') {
      reply.header('allow', allowed);
      const refusal = refuse(commonRefusals, 'method_not_allowed', { method: request.method, allowed });
      return sendError(refusal, request, reply, maxBody);
    }
    if (unknownPage !== null && request.method === 'GET' && asksForPage(request)) return unknownPage(reply);
    return sendError(refuse(commonRefusals, 'not_found', { noun: 'address' }), request, reply, maxBody);
  });
}

/** Whether a person opens the address in a browser. */
const asksForPage = (request: FastifyRequest): boolean => (request.headers.accept ?? '').includes('text/html');

/** The methods that an address takes, whatever its parameters are. */
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
