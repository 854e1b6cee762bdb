/**
 * A push service as browsers' vendors run them (RFC 8030), under `/push`: takes encrypted messages for the browser
 * `id`, checks who sends them (VAPID, RFC 8292) and records them. It cannot read them.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { destroy } from '../http.ts';
import type { World } from '../world.ts';

/** The longest message that a push service has to take. */
const MAX_BYTES = 4096;
/** A sender's signature lasts a day at most. */
const MAX_AGE_SECONDS = 24 * 3600;

const pushHeaders = z.object({
  ttl: z.coerce.number().int().min(0),
  'content-encoding': z.literal('aes128gcm'),
  urgency: z.enum(['very-low', 'low', 'normal', 'high']).default('normal'),
  topic: z
    .string()
    .regex(/^[\w-]{1,32}$/)
    .optional(),
});

export function pushRoutes(app: FastifyInstance, world: World): void {
  const { journal, faults } = world;
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post<{ Params: { id: string } }>('/push/:id', async (request, reply) => {
    const { id } = request.params;
    const late = faults.take('push.delay', { account: id });
    if (late) await new Promise((resolve) => setTimeout(resolve, late.ms ?? 1000));
    const record = (status: number, headers: z.output<typeof pushHeaders>, body: Buffer): void => {
      const { ttl, urgency, topic } = headers;
      journal.append({ kind: 'push', id, status, ttl, urgency, topic, body: body.toString('base64') });
    };
    const headers = pushHeaders.safeParse(request.headers);
    if (!headers.success) return reply.code(400).send({ reason: 'The headers are not those of a push message.' });
    if (!isSigned(request)) return reply.code(403).send({ reason: 'The sender is not who it says.' });
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (body.length > MAX_BYTES) return reply.code(413).send({ reason: 'The message is too long.' });
    const deleted = faults.take('push.gone', { account: id });
    const limited = deleted ?? faults.take('push.rate_limited', { account: id });
    const failed = limited ?? faults.take('push.fail_before', { account: id });
    if (failed) {
      const status = failed.status ?? (deleted ? 410 : limited ? 429 : 503);
      record(status, headers.data, body);
      if (failed.retryAfterSeconds !== undefined) reply.header('retry-after', String(failed.retryAfterSeconds));
      return reply.code(status).send();
    }
    record(201, headers.data, body);
    if (faults.take('push.lose_answer', { account: id })) return destroy(reply);
    return reply.code(201).header('location', `/push/${id}/message`).send();
  });
}

const claims = z.object({ aud: z.string(), exp: z.number(), sub: z.string().regex(/^(mailto:|https:)/) });

/** Whether the request is signed for us with the key that it names. */
function isSigned({ headers: { authorization = '', host = '' } }: FastifyRequest): boolean {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65) return false;
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${head}.${body}`);
  const isRight = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isRight) return false;
  const { aud, exp } = claims.parse(JSON.parse(Buffer.from(body, 'base64url').toString()));
  const seconds = Date.now() / 1000;
  return aud === `http://${host}` && exp > seconds && exp <= seconds + MAX_AGE_SECONDS;
}
