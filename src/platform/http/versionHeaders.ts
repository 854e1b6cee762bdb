/** Headers with a row's version: `If-Match` of a request, `ETag` of an answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ExpectedVersions, etagOf, readIfMatch, versionOf } from '../rowVersion.ts';
import { ValidationError } from './errors.ts';

/** Return the versions of which the row must have one; null without the header. Throws `ValidationError`. */
export function ifMatchOf(request: FastifyRequest): ExpectedVersions | null {
  const header = request.headers['if-match'];
  if (header === undefined) return null;
  const expected = readIfMatch(header);
  if (expected) return expected;
  const msg = 'Enter a version in quotes, as ETag gives it, or *';
  throw new ValidationError([{ loc: ['header', 'if-match'], msg, type: 'if_match' }]);
}

/** Set the `ETag` of an answer that is a row. */
export function setEtag(reply: FastifyReply, body: unknown): void {
  const version = typeof body === 'object' && body !== null ? versionOf(body) : null;
  if (version !== null) reply.header('etag', etagOf(version));
}
