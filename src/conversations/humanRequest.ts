/**
 * Lets the model hand a dialogue over to a human: a tool of the call that answers a lead, which ends the answer. A text
 * beside the call is not sent; operators see it as the bot's own words.
 */
import { z } from 'zod';
import { type BotHandOverReason, botHandOverReasons } from '../leads/lead.ts';
import type { ModelCall } from '../llm/wire/answer.ts';
import type { ModelTool } from '../llm/wire/message.ts';

export interface HumanRequest {
  readonly reason: BotHandOverReason;
  /** The bot's words beside the call; null if there are none. */
  readonly detail: string | null;
}

/** Longest part of the bot's words that is kept, characters. */
const MAX_DETAIL_LENGTH = 300;

const humanRequestInput = z.object({ reason: z.enum(botHandOverReasons) });

export const REQUEST_HUMAN: ModelTool = {
  name: 'request_human',
  description: `Hands this conversation over to a colleague, who answers in your place. Call it alone, without a text, when the person
asks for a human, an operator or a manager (asked_for_human);
agrees to buy, to order or to pay (agrees_to_buy);
threatens or complains seriously (threatens);
asks something that neither your instructions nor the texts you can read answer (cannot_answer).
Do not call it for anything else.`,
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', enum: [...botHandOverReasons] } },
    required: ['reason'],
    additionalProperties: false,
  },
  endsAnswer: true,
  async execute(input) {
    if (!humanRequestInput.safeParse(input).success) throw new Error('There is no such reason');
    return 'A colleague answers from here on.';
  },
};

/** Return the model's request for a human in an answer; null if it made no valid one. */
export function humanRequestIn(answer: {
  readonly text: string;
  readonly calls: readonly ModelCall[];
}): HumanRequest | null {
  for (const { tool, input, fault } of answer.calls) {
    const parsed = fault === null && tool === REQUEST_HUMAN.name ? humanRequestInput.safeParse(input) : null;
    if (parsed?.success) return { reason: parsed.data.reason, detail: detailOf(answer.text) };
  }
  return null;
}

/** Return the bot's words on one line, without characters that cannot be stored or shown. */
function detailOf(text: string): string | null {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL_LENGTH)
    .toWellFormed();
  return line === '' ? null : line;
}
