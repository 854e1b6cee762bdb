import type { WebSocket } from 'ws';
import { DEFAULT_DATABASE_CONNECTIONS } from '../config.ts';
import type { Metrics } from '../metrics.ts';
import { createSemaphore } from '../semaphore.ts';

/** Milliseconds between pings. A client that does not answer them has disconnected without closing. */
const PING_MS = 30_000;

/** Bytes that may wait for a client to read them. A model's answer fits many times. */
const MAX_BUFFERED = 4 * 1024 * 1024;

/** Terminate a socket that is silent for a minute, or that keeps asking without reading the answers. */
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

/** Count a socket in the metric while it is open. */
export function countSocket(sockets: Metrics['sockets'], chat: 'playground' | 'assistant', socket: WebSocket): void {
  sockets.inc({ chat });
  socket.once('close', () => sockets.dec({ chat }));
}

/**
 * Limits how many questions on sockets load their context at once to the default number of database connections. The
 * others wait here, because nothing waits longer than five seconds for a connection. [With a thousand questions at
 * once, hundreds failed because of that.]
 */
export const questionSemaphore = createSemaphore(DEFAULT_DATABASE_CONNECTIONS);
