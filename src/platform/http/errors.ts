/** The one place where every error becomes a reply. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { isTooSlow, isUnavailable, violatedConstraint } from '../db.ts';
import { failureReason, NoAnswer, NotSent } from '../outbound.ts';
import { commonRefusals, Refusal, refuse } from '../refuse.ts';
import { violationsOf } from '../validationMessages.ts';

interface Detail {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** A body, query or path that does not match the declared shape. */
export class ValidationError extends Error {
  readonly detail: Detail[];
  constructor(detail: Detail[]) {
    super(detail[0]?.msg ?? 'Invalid');
    this.detail = detail;
  }
}

/** Most violations that a reply lists. */
export const MAX_DETAILS = 50;

/** Build the error from the violations of a declared shape, in wire form. */
export function validationError(where: 'body' | 'query' | 'path', error: z.ZodError): ValidationError {
  return new ValidationError(
    violationsOf(error)
      .slice(0, MAX_DETAILS)
      .map(({ path, message, type }) => ({ loc: [where, ...path], msg: message, type })),
  );
}

function toRefusal(error: unknown, limit: number, method: string): Refusal | ValidationError | null {
  if (error instanceof Refusal || error instanceof ValidationError) return error;
  if (isUnavailable(error)) return refuse(commonRefusals, 'unavailable', { retryAfter: 2 });
  if (isTooSlow(error)) return refuse(commonRefusals, 'overloaded', { retryAfter: 5 });
  if (error instanceof NoAnswer || error instanceof NotSent)
    return refuse(commonRefusals, 'no_answer', { reason: failureReason(error) });
  const violation = violatedConstraint(error);
  // A row that refers to this one was added between the check and the deletion.
  if (violation?.kind === 'foreign' && method === 'DELETE') return refuse(commonRefusals, 'conflict');
  if (violation?.kind === 'foreign') return refuse(commonRefusals, 'not_found', { noun: 'row that this refers to' });
  if (violation?.kind === 'unique') return refuse(commonRefusals, 'conflict');
  if (!(error instanceof Error) || !('code' in error)) return null;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuse(commonRefusals, 'too_large', { limit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refuse(commonRefusals, 'unsupported_media');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ValidationError([{ loc: ['body'], msg: 'The body is not valid JSON', type: 'json_invalid' }]);
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ValidationError([{ loc: ['path'], msg: 'The address is not valid', type: 'url_invalid' }]);
    default:
      return null;
  }
}

/**
 * Answer an error. A refusal carries its code in `x-refusal` for programs and a sentence for people. An unexpected
 * error reveals nothing internal and carries the request id.
 */
export function sendError({
  error,
  request,
  reply,
  limit,
}: {
  error: unknown;
  request: FastifyRequest;
  reply: FastifyReply;
  limit: number;
}): FastifyReply {
  reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  const refusal = toRefusal(error, limit, request.method);
  if (refusal instanceof ValidationError)
    return reply
      .code(422)
      .type('application/json')
      .send(JSON.stringify({ detail: refusal.detail }));
  if (refusal) {
    if (refusal.retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(refusal.retryAfter)));
    // Requests refused for lack of capacity are counted, not logged one by one: a log that grows with the overload adds
    // to it.
    if (refusal.status >= 500 && error !== refusal)
      request.log.warn(
        { code: refusal.code, cause: error instanceof Error ? error.message : String(error) },
        'unavailable',
      );
    reply.code(refusal.status).header('x-refusal', refusal.code);
    if (request.routeOptions.config?.isText?.(refusal.status)) return reply.type('text/plain').send(refusal.message);
    return reply.type('application/json').send(JSON.stringify({ ...refusal.facts, detail: refusal.message }));
  }
  request.log.error({ err: error }, 'request failed');
  return reply
    .code(500)
    .type('application/json')
    .send(JSON.stringify({ detail: `Something went wrong on our side. Request ${request.id}.` }));
}
