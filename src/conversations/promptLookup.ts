/**
 * Lets the model look up texts: the product's prompts in a group with descriptions. The model gets the descriptions
 * and requests the texts it needs; the run records which ones it read.
 */
import { z } from 'zod';
import type { ModelTool } from '../llm/wire/message.ts';
import type { Reader } from '../platform/db.ts';
import { describedPrompts } from '../prompts/promptReferences.ts';
import type { DescribedPrompt } from '../prompts/store/ofProduct.ts';

/** How often the model may request texts before it has to answer. */
export const MAX_TOOL_ROUNDS = 3;
/** Longest part of a text given to the model, characters. */
const MAX_LOOKUP_TEXT_LENGTH = 20_000;

const lookupInput = z.object({ id: z.number() });

interface ReadPrompt {
  readonly prompt_id: number;
  readonly name: string;
  readonly version: number;
}

export interface PromptLookup {
  readonly tools: readonly ModelTool[];
  /** Prompts read so far, in order. */
  readonly promptsRead: readonly ReadPrompt[];
}

/**
 * Create the tool for a product's described texts that are live; null if there are none. `render` fills a text's variables
 * in.
 */
export async function createPromptLookup(
  reader: Reader,
  productId: number,
  render: (text: string) => Promise<string>,
): Promise<PromptLookup | null> {
  return promptLookupOf(await describedPrompts(reader, productId), render);
}

/** Create the tool for given texts; null if there are none. */
export function promptLookupOf(
  described: readonly DescribedPrompt[],
  render: (text: string) => Promise<string>,
): PromptLookup | null {
  if (described.length === 0) return null;
  const promptsRead: ReadPrompt[] = [];
  const lines = described.map((prompt) => `${prompt.id}: ${prompt.rag_description.replaceAll(/\s+/g, ' ').trim()}`);
  const tool: ModelTool = {
    name: 'read_prompts',
    description: `Reads one of these texts by its number when it is needed to answer.\n${lines.join('\n')}`,
    parameters: {
      type: 'object',
      properties: { id: { type: 'integer', enum: described.map((prompt) => prompt.id) } },
      required: ['id'],
      additionalProperties: false,
    },
    async execute(input) {
      const id = lookupInput.safeParse(input).data?.id;
      const prompt = described.find((prompt) => prompt.id === id);
      if (!prompt) return 'There is no text of this number.';
      if (!promptsRead.some((prompt) => prompt.prompt_id === id)) {
        promptsRead.push({ prompt_id: prompt.id, name: prompt.name, version: prompt.version });
      }
      return (await render(prompt.text)).slice(0, MAX_LOOKUP_TEXT_LENGTH);
    },
  };
  return { tools: [tool], promptsRead };
}
