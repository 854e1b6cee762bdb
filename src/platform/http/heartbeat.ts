import type { WebSocket } from 'ws';
import type { Metrics } from '../metrics.ts';
import { createSemaphore } from '../semaphore.ts';

/** A client that does not answer pings has gone without saying so. */
const PING_MS = 30_000;

/** Bytes that wait for a client to take them. What a model says fits many times. */
const MAX_BUFFERED = 4 * 1024 * 1024;

/** Ends a socket whose other side is silent for a minute, or asks and does not listen. */
export function heartbeatSocket(socket: WebSocket): void {
  let alive = true;
  const timer = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, PING_MS);
  socket.on('pong', () => {
    alive = true;
  });
  socket.on('message', () => {
    if (socket.bufferedAmount > MAX_BUFFERED) socket.terminate();
  });
  socket.on('close', () => clearInterval(timer));
  socket.on('error', () => undefined);
}

/** Counts a socket as open for as long as it is. */
export function countSocket(sockets: Metrics['sockets'], chat: 'playground' | 'assistant', socket: WebSocket): void {
  sockets.inc({ chat });
  socket.once('close', () => sockets.dec({ chat }));
}

/**
 * How many questions on sockets are read up on at once, as many as there are connections to the database. The others wait
 * here: for a connection nobody waits longer than five seconds. [A thousand questions at once: hundreds were lost to that.]
 */
export const questionSemaphore = createSemaphore(16);
