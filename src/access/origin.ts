/** Origin of a request, for authentication. */
import type { FastifyRequest } from 'fastify';
import { browserOf } from './browser.ts';
import { networkOf } from './network.ts';

/** Where an operator signs in or confirms their identity from. */
export interface Origin {
  /** For example `203.0.113.7` or `2001:db8:1:2::/64`. */
  readonly network: string;
  /** For example `Firefox on Windows`; null if the browser does not say. */
  readonly browser: string | null;
  readonly requestId: string;
}

export function originOf(request: FastifyRequest): Origin {
  return {
    network: networkOf(request.ip),
    browser: browserOf(request.headers['user-agent']),
    requestId: request.id,
  };
}
