/** A client of the API as a browser uses it, for tests. */

import type { BodyInput, Endpoint, ParamsInput, QueryInput } from '../platform/contract.ts';
import type { Canaries } from './canaries.ts';

/** A reply of the API: status, headers, and the body, parsed if it is JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A signed-in operator's browser: cookie, origin, JSON. */
export interface Client {
  /** Call an endpoint by its declaration. */
  call<E extends Endpoint>(
    endpoint: E,
    parts?: { params?: ParamsInput<E>; query?: Partial<QueryInput<E>>; body?: BodyInput<E> },
  ): Promise<ApiAnswer>;
  /** Send any request unchanged. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  readonly cookie: string;
}

/**
 * Create a client with this cookie; an empty one is unauthenticated. `canaries` checks its requests and replies, except
 * streams, which end only when their reader closes them.
 */
export function makeClient(url: string, cookie: string, canaries: Canaries): Client {
  return {
    cookie,
    async call(endpoint, parts = {}) {
      let path = endpoint.path;
      for (const [key, value] of Object.entries(parts.params ?? {})) {
        path = path.replace(`{${key}}`, encodeURIComponent(String(value)));
      }
      const query = new URLSearchParams();
      for (const [key, value] of Object.entries((parts.query ?? {}) as Record<string, unknown>)) {
        for (const one of Array.isArray(value) ? value : [value])
          if (one !== null && one !== undefined) query.append(key, String(one));
      }
      const text = query.toString();
      const response = await this.fetch(`${path}${text ? `?${text}` : ''}`, {
        method: endpoint.method,
        ...(parts.body === undefined
          ? {}
          : { body: JSON.stringify(parts.body), headers: { 'content-type': 'application/json' } }),
      });
      const raw = await response.text();
      return { status: response.status, body: raw === '' ? null : (parsed(raw) ?? raw), headers: response.headers };
    },
    async fetch(path, init = {}) {
      if (typeof init.body === 'string') canaries.addSecretsFrom(parsed(init.body));
      const response = await fetch(`${url}${path}`, {
        ...init,
        headers: {
          origin: url,
          ...(cookie ? { cookie } : {}),
          ...(init.headers as Record<string, string> | undefined),
        },
      });
      for (const set of response.headers.getSetCookie()) canaries.addSecret(/^[^=]+=([^;]+)/.exec(set)?.[1]);
      const where = `the reply to ${init.method ?? 'GET'} ${path}`;
      for (const [name, value] of response.headers) if (name !== 'set-cookie') canaries.scan(where, value);
      if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
        canaries.scan(where, await response.clone().text());
      return response;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
