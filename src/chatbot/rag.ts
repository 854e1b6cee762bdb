/**
 * Texts that the model may look up: the product's prompts in a group that are described to it. It is told the
 * descriptions and asks for the texts it wants; what it read is kept with the run.
 */
import { jsonSchema, type ToolSet, tool } from 'ai';
import type { Reader } from '../platform/db.ts';
import { describedPrompts } from '../prompts/known.ts';

/** How often the model may ask for texts before it has to answer. */
export const MOST_ROUNDS = 3;
/** Characters of one text that the model is given. */
const MOST_TEXT = 20_000;

interface Read {
  readonly prompt_id: number;
  readonly name: string;
  readonly version: number;
}

export interface LookUp {
  readonly tools: ToolSet;
  /** What was read so far, in order. */
  readonly read: readonly Read[];
}

/** The tool for a product's described texts; null where there are none. `render` fills a text in. */
export async function lookUpFor(
  reader: Reader,
  productId: number,
  render: (text: string) => Promise<string>,
): Promise<LookUp | null> {
  const described = await describedPrompts(reader, productId);
  if (described.length === 0) return null;
  const read: Read[] = [];
  const lines = described.map((one) => `${one.id}: ${one.rag_description.replaceAll(/\s+/g, ' ').trim()}`);
  const tools: ToolSet = {
    read_prompts: tool({
      description: `Reads one of these texts by its number when it is needed to answer.\n${lines.join('\n')}`,
      inputSchema: jsonSchema<{ id: number }>({
        type: 'object',
        properties: { id: { type: 'integer', enum: described.map((one) => one.id) } },
        required: ['id'],
        additionalProperties: false,
      }),
      execute: async ({ id }) => {
        const found = described.find((one) => one.id === id);
        if (!found) return 'There is no text of this number.';
        if (!read.some((one) => one.prompt_id === id)) {
          read.push({ prompt_id: found.id, name: found.name, version: found.version });
        }
        return (await render(found.text)).slice(0, MOST_TEXT);
      },
    }),
  };
  return { tools, read };
}
