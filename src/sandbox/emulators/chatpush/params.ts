/** ChatPush's parameters: in the query, as a form, or as JSON; lists as `key[]`, `key[0]` or a JSON list. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

export interface Params {
  one(name: string): string | undefined;
  all(name: string): string[];
}

/** Collect all parameters of a request, wherever they are. */
export function paramsOf(request: FastifyRequest): Params {
  const pairs: [string, string][] = [];
  const query = request.url.indexOf('?');
  if (query >= 0) pairs.push(...new URLSearchParams(request.url.slice(query)));
  if (request.body instanceof URLSearchParams) pairs.push(...request.body);
  else {
    const json = z.record(z.string(), z.unknown()).safeParse(request.body);
    for (const [key, value] of Object.entries(json.success ? json.data : {}))
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== null && one !== undefined) pairs.push([key, String(one)]);
  }
  const named = (name: string) =>
    pairs.filter(([key]) => key.replace(/\[\d*\]$/, '') === name).map(([, value]) => value);
  return { one: (name) => named(name)[0], all: named };
}
