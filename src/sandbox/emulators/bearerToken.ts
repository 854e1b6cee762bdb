import type { FastifyRequest } from 'fastify';

/** Return the bearer token of a request, if it has one. */
export function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}
