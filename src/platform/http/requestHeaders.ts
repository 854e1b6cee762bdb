/** Requests whose headers say two things, or that their body is in a form which we do not read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { commonRefusals, type Refusal, refuse } from '../refuse.ts';

/**
 * Headers that decide something and have one value. Node keeps the first `host`, `authorization` and `content-type`
 * without a word and joins the others, while a proxy before us may have looked at the last. Node itself refuses a
 * second Content-Length, and one beside Transfer-Encoding; Cookie, If-Match and X-Forwarded-For are lists, whose lines
 * it joins in their order.
 */
const SINGLE = new Set(['host', 'authorization', 'content-type', 'content-encoding', 'origin']);

/** Return the refusal of a request with two values of a header, or with two `Host`s (RFC 9112, 3.2); else null. */
export function ambiguousHeader({ raw: { rawHeaders } }: FastifyRequest): Refusal | null {
  const seen = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!SINGLE.has(name)) continue;
    const value = rawHeaders[index + 1] ?? '';
    const earlier = seen.get(name);
    if (earlier !== undefined && (name === 'host' || earlier !== value))
      return refuse(commonRefusals, 'ambiguous_header', { name });
    seen.set(name, value);
  }
  return null;
}

/** Refuse compressed bodies once their caller is authorized: we would read the compressed bytes as JSON. */
export function refuseCompressedBodies(server: FastifyInstance): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || /^\s*(identity)?\s*$/i.test(encoding)) return done(null, payload);
    // What would be accepted: RFC 9110, 12.5.3.
    reply.header('accept-encoding', 'identity').header('connection', 'close');
    done(refuse(commonRefusals, 'unsupported_encoding', { encoding: encoding.slice(0, 50) }));
  });
}
