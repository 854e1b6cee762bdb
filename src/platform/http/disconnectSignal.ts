import type { FastifyReply } from 'fastify';

/** Return a signal that aborts when the client disconnects before the answer was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The caller has gone'));
  });
  return controller.signal;
}
