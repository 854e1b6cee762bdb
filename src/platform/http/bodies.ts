/** Body parsing: strict or lenient JSON, depending on the endpoint, and forms where vendors send them. */
import type { FastifyInstance } from 'fastify';
import { commonRefusals, refuse } from '../refuse.ts';
import { parseForm, parseLenient, parseStrict } from './json.ts';

export function readBodies(server: FastifyInstance): void {
  // Remove Fastify's own parser for text/plain.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/json\s*(;|$)/i, { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    // A browser's POST without a form sends an empty body with a JSON content type. Treat it as no body.
    if (text === '') return done(null, undefined);
    read(done, () => (request.routeOptions.config.loose === true ? parseLenient(text) : parseStrict(text)));
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
