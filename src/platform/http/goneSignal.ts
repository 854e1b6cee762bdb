import type { FastifyReply } from 'fastify';

/** Aborts when whoever asked is gone before the answer was sent. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('The caller has gone'));
  });
  return gone.signal;
}
