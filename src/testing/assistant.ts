/** A bare socket to the assistant, for tests: what a panel that follows the rules would say, and what it would not. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Chunk, chunk, type ToolCall } from '../assistant/contract.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

export interface Talk {
  readonly socket: WebSocket;
  say: (frame: unknown) => void;
  next: () => Promise<Chunk>;
  /** The chunks up to and with the next one that is no delta. */
  heard: () => Promise<Chunk[]>;
  /** What is proposed next. Throws when it is something else. */
  proposed: () => Promise<ToolCall[]>;
  close: () => Promise<void>;
}

export async function talkTo(
  world: World,
  operator: Client,
  query: string = `?product_id=${world.productId}`,
  headers: Record<string, string> = {},
): Promise<Talk> {
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/v1/llm/ws/master_chat/${query}`, {
    headers: { cookie: operator.cookie, origin: world.url, ...headers },
  });
  const waiting: Chunk[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    world.canaries.look('the assistant', String(data));
    waiting.push(chunk.parse(JSON.parse(String(data))));
    wake();
  });
  socket.on('close', () => wake());
  await once(socket, 'open');
  const next = async (): Promise<Chunk> => {
    for (;;) {
      const one = waiting.shift();
      if (one) return one;
      if (socket.readyState !== socket.OPEN) throw new Error('The socket is closed');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const heard = async (): Promise<Chunk[]> => {
    const all: Chunk[] = [];
    do all.push(await next());
    while (all.at(-1)?.content.message_type === 'delta');
    return all;
  };
  return {
    socket,
    say: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    next,
    heard,
    proposed: async () => {
      const last = (await heard()).at(-1);
      if (!last || last.content.tool_calls.length === 0) throw new Error(`Nothing proposed: ${JSON.stringify(last)}`);
      return last.content.tool_calls;
    },
    close: async () => {
      socket.close(1000);
      await once(socket, 'close');
    },
  };
}

/** A page with one tool that changes something and one that only looks. */
export const PAGE = {
  page_description: 'Limits of the chosen product.',
  page_data: { daily_limit: 30 },
  page_tools: [
    {
      name: 'set_daily_limit',
      description: 'Sets the daily limit of first messages.',
      parameters: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 0 } },
        required: ['limit'],
        additionalProperties: false,
      },
      confirm: true,
    },
    {
      name: 'count_leads',
      description: 'Counts the leads that wait.',
      parameters: { type: 'object', properties: {} },
      confirm: false,
    },
  ],
  page_system_prompt: '',
};
