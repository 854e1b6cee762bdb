import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { heartbeatSocket } from './heartbeat.ts';

it('disconnects a client that sends without reading, and keeps one that reads', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    heartbeatSocket(socket);
    socket.on('message', () => socket.send('x'.repeat(1024 * 1024)));
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    socket.on('error', () => undefined);
    await once(socket, 'open');
    return socket;
  };
  const listening = await open();
  const deaf = await open();
  const closed = once(deaf, 'close');
  // More than the operating system buffers for a connection.
  for (let each = 0; each < 40; each++) {
    listening.send('?');
    await once(listening, 'message');
  }
  deaf.pause();
  for (let each = 0; each < 60; each++) deaf.send('?');
  // Each round trip of one client gives the server time to notice the other.
  for (let check = 0; check < 500 && server.clients.size > 1; check++) {
    listening.ping();
    await once(listening, 'pong');
  }
  expect(server.clients.size).toBe(1);
  deaf.resume();
  await closed;
  expect(listening.readyState).toBe(WebSocket.OPEN);
  listening.terminate();
  server.close();
});
