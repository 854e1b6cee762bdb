/** Where a request comes from, as far as authentication is concerned. */
import type { FastifyRequest } from 'fastify';
import { browserOf } from './browser.ts';
import { networkOf } from './network.ts';

/** Where somebody signs in from, or proves again who he is. */
export interface Origin {
  /** `203.0.113.7`, `2001:db8:1:2::/64` */
  readonly network: string;
  /** `Firefox on Windows`; null: it does not say. */
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
