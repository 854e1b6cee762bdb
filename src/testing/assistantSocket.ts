/** The assistant's socket and a sample page, for tests. */
import { once } from 'node:events';
import { type Chunk, chunk, type ToolCall } from '../assistant/contract.ts';
import type { Client } from './client.ts';
import { openTestSocket, type TestSocket } from './testSocket.ts';
import type { World } from './world.ts';

export interface AssistantSocket extends TestSocket<Chunk> {
  /** Return the next proposals. Throws if the next message proposes nothing. */
  nextProposals: () => Promise<ToolCall[]>;
  close: () => Promise<void>;
}

export async function openAssistantSocket(
  world: World,
  operator: Client,
  query: string = `?product_id=${world.productId}`,
): Promise<AssistantSocket> {
  const connection = await openTestSocket(world, `/v1/llm/ws/master_chat/${query}`, {
    headers: { cookie: operator.cookie, origin: world.url },
    parse: (frame) => chunk.parse(frame),
    isLast: ({ content }) => content.message_type === 'full',
  });
  return {
    ...connection,
    nextProposals: async () => {
      const last = (await connection.receiveUntilLast()).at(-1);
      if (!last || last.content.tool_calls.length === 0) throw new Error(`Nothing proposed: ${JSON.stringify(last)}`);
      return last.content.tool_calls;
    },
    close: async () => {
      connection.socket.close(1000);
      await once(connection.socket, 'close');
    },
  };
}

/** A page with one tool that changes something and one that only reads. */
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
