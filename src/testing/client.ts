/** What a browser says to the API, in tests. */
import type { BodyInput, Endpoint, ParamsInput, QueryInput } from '../platform/contract.ts';

/** What an answer of the API was: status, and the body as JSON where it is. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A signed-in operator's browser: cookie, origin, JSON. */
export interface Client {
  /** A call by its declaration. */
  call<E extends Endpoint>(
    endpoint: E,
    parts?: { params?: ParamsInput<E>; query?: Partial<QueryInput<E>>; body?: BodyInput<E> },
  ): Promise<Answered>;
  /** Any request, as it stands. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  readonly cookie: string;
}

/** A browser that holds this cookie; an empty one is a stranger's. */
export function makeClient(url: string, cookie: string): Client {
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
      let body: unknown = raw;
      try {
        body = raw === '' ? null : JSON.parse(raw);
      } catch {
        // A text body.
      }
      return { status: response.status, body, headers: response.headers };
    },
    fetch: (path, init = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: {
          origin: url,
          ...(cookie ? { cookie } : {}),
          ...(init.headers as Record<string, string> | undefined),
        },
      }),
  };
}
