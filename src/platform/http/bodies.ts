/** Body parsing: strict or lenient JSON, depending on the endpoint, and forms where vendors send them. */
import type { FastifyInstance } from 'fastify';
import { commonRefusals, refuse } from '../refuse.ts';
import { decodeStrict, parseForm, parseLenient, parseStrict } from './json.ts';

export function readBodies(server: FastifyInstance): void {
  // Remove Fastify's own parser for text/plain.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/json\s*(;|$)/i, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const { loose: isLoose } = request.routeOptions.config;
    // Vendors get U+FFFD for what is no UTF-8, as for the rest that cannot be stored.
    if (!isLoose && !isDeclaredUtf8(request.headers['content-type']))
      return done(refuse(commonRefusals, 'unsupported_charset'));
    // A browser's POST without a form sends an empty body with a JSON content type. Treat it as no body.
    if (body.length === 0) return done(null, undefined);
    read(done, () => (isLoose ? parseLenient(body.toString()) : parseStrict(decodeStrict(body))));
  });
  server.addContentTypeParser(
    /^application\/x-www-form-urlencoded\s*(;|$)/i,
    { parseAs: 'string' },
    (request, body, done) => {
      if (request.routeOptions.config.loose !== true) return done(refuse(commonRefusals, 'unsupported_media'));
      read(done, () => parseForm(String(body)));
    },
  );
}

/** Whether a content type names no charset but UTF-8, which is the only one of JSON. */
function isDeclaredUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Pass the result of `parse`, or the error it throws, to Fastify. */
function read(done: (error: Error | null, body?: unknown) => void, parse: () => unknown): void {
  let body: unknown;
  try {
    body = parse();
  } catch (error) {
    return done(error instanceof Error ? error : new Error(String(error)));
  }
  done(null, body);
}
