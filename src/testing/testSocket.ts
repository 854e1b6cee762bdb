/** A plain WebSocket to the product, for tests of valid and invalid client behaviour. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { World } from './world.ts';

export interface TestSocket<Chunk> {
  readonly socket: WebSocket;
  send: (frame: unknown) => void;
  /** Throw if the socket is closed and no chunk is left. */
  next: () => Promise<Chunk>;
  /** Return the chunks up to and including the next last one. */
  receiveUntilLast: () => Promise<Chunk[]>;
}

interface TestSocketOptions<Chunk> {
  readonly headers: Readonly<Record<string, string>>;
  readonly parse: (frame: unknown) => Chunk;
  readonly isLast: (chunk: Chunk) => boolean;
}

const socketUrl = (world: World, path: string): string => `${world.url.replace('http', 'ws')}${path}`;

/** Open a socket; its messages are searched for secrets. */
export async function openTestSocket<Chunk>(
  world: World,
  path: string,
  { headers, parse, isLast }: TestSocketOptions<Chunk>,
): Promise<TestSocket<Chunk>> {
  const socket = new WebSocket(socketUrl(world, path), { headers });
  const received: Chunk[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    world.canaries.scan(path, String(data));
    received.push(parse(JSON.parse(String(data))));
    wake();
  });
  socket.on('close', () => wake());
  await once(socket, 'open');
  const next = async (): Promise<Chunk> => {
    for (;;) {
      const one = received.shift();
      if (one !== undefined) return one;
      if (socket.readyState !== socket.OPEN) throw new Error('The socket is closed');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    socket,
    next,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async receiveUntilLast() {
      for (const all: Chunk[] = []; ; ) {
        const one = await next();
        all.push(one);
        if (isLast(one)) return all;
      }
    },
  };
}

/** Return the status with which a socket is rejected. */
export async function rejectionStatus(world: World, path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(socketUrl(world, path), { headers });
  // Terminating a socket before it opens emits an error.
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.terminate();
  return response.statusCode;
}
