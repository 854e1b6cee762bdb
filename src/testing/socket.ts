/** A bare socket to the product, for tests: what a client that follows the rules would say, and what it would not. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { World } from './world.ts';

export interface Talk<Chunk> {
  readonly socket: WebSocket;
  say: (frame: unknown) => void;
  /** Throws when the socket is closed and nothing is left to hear. */
  next: () => Promise<Chunk>;
  /** The chunks up to and with the next last one. */
  heard: () => Promise<Chunk[]>;
}

interface Talking<Chunk> {
  readonly headers: Readonly<Record<string, string>>;
  readonly parse: (frame: unknown) => Chunk;
  readonly isLast: (chunk: Chunk) => boolean;
}

const addressOf = (world: World, path: string): string => `${world.url.replace('http', 'ws')}${path}`;

/** Opens a socket; what comes on it is looked through for secrets. */
export async function talkOn<Chunk>(
  world: World,
  path: string,
  { headers, parse, isLast }: Talking<Chunk>,
): Promise<Talk<Chunk>> {
  const socket = new WebSocket(addressOf(world, path), { headers });
  const waiting: Chunk[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    world.canaries.look(path, String(data));
    waiting.push(parse(JSON.parse(String(data))));
    wake();
  });
  socket.on('close', () => wake());
  await once(socket, 'open');
  const next = async (): Promise<Chunk> => {
    for (;;) {
      const one = waiting.shift();
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
    say: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async heard() {
      for (const all: Chunk[] = []; ; ) {
        const one = await next();
        all.push(one);
        if (isLast(one)) return all;
      }
    },
  };
}

/** The status with which a socket is refused. */
export async function refusedWith(world: World, path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(addressOf(world, path), { headers });
  // What is thrown away before it opened says so.
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.terminate();
  return response.statusCode;
}
