/** How bodies are read: JSON strictly or loosely, as the endpoint says, and forms where vendors send them. */
import type { FastifyInstance } from 'fastify';
import { commonRefusals, refuse } from '../refuse.ts';
import { parseForm, parseLenient, parseStrict } from './json.ts';

export function readBodies(server: FastifyInstance): void {
  // Fastify would take text/plain by itself.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/json\s*(;|$)/i, { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    // An empty body with a JSON content type is what a form-less POST of a browser sends: it is no body.
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

/** Hands what `parse` gives, or throws, to Fastify. */
function read(done: (error: Error | null, body?: unknown) => void, parse: () => unknown): void {
  let body: unknown;
  try {
    body = parse();
  } catch (error) {
    return done(error instanceof Error ? error : new Error(String(error)));
  }
  done(null, body);
}
