/** One prompt, one question and the sandbox model's answer, for the tests of the wire format. */
import { z } from 'zod';

export const system = `You sell English lessons.
# Facts
- A lesson costs 25 euros.
- Teachers live in the UK.
# Ask
- What do you need English for?`;
export const question = { role: 'user', content: 'How much is it?' } as const;
export const expectedReply = 'Hello! A lesson costs 25 euros. What do you need English for?';

const choiceSchema = z.looseObject({
  finish_reason: z.string().nullable(),
  message: z.looseObject({
    content: z.string().nullable(),
    tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).optional(),
  }),
});

/** A whole answer or an error, with the fields that tests read. */
export const wholeSchema = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(
    z.looseObject({
      choices: z.array(choiceSchema).default([]),
      error: z.looseObject({ code: z.string().nullable(), param: z.string().nullable() }).optional(),
    }),
  );

/** Send one request without the SDK, to check the wire format. */
export async function ask(
  url: string,
  body: Record<string, unknown>,
  apiKey: string | null = 'sk-sandbox-demo',
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'system', content: system }, question], ...body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
