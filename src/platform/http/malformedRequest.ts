/**
 * Answers to malformed or oversized requests. They reach no route, so they are answered on the connection itself, which
 * is then closed.
 */

import type { Socket } from 'node:net';
import { statusText } from '../statusText.ts';

const STATUSES: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of this request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'This request took too long to arrive.'],
};
const MALFORMED = [400, 'This is not a valid HTTP request.'] as const;

/** Answer with the headers that every answer has. */
export function replyMalformedRequest(
  error: Error & { readonly code?: string },
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): void {
  // The client has disconnected and reads no answer.
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, sentence] = STATUSES[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ detail: sentence });
  const lines = Object.entries({
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${statusText(status)}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}
