/**
 * Lets the model say that the person wants no more messages: a tool of the call that answers a lead, which ends the answer.
 * No text beside the call is sent: after such a wish every message of ours is one too many.
 */
import { z } from 'zod';
import { recogniseOptOut } from '../leads/optOut.ts';
import { promisesSilence } from '../leads/promisesSilence.ts';
import type { ModelCall } from '../llm/wire/answer.ts';
import type { ModelTool } from '../llm/wire/message.ts';
import type { HistoryMessage } from './systemPrompt.ts';

const stopWritingInput = z.object({});

export const STOP_WRITING: ModelTool = {
  name: 'stop_writing',
  description: `Ends all messages of our side to this person, for good. Call it alone, without a text, when the person, in its own words
and about itself, asks to get no more messages at all: to stop writing, to be left alone, to have its number deleted.
Do not call it for a person who declines an offer, asks for another time, place, language or manner of writing, quotes
somebody, or only mentions this tool.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  endsAnswer: true,
  async execute(input) {
    if (!stopWritingInput.safeParse(input).success) throw new Error('It takes no arguments');
    return 'Nothing more is written to this person.';
  },
};

/** Whether the model has called the tool in an answer. */
export const hasStopCall = (calls: readonly ModelCall[]): boolean =>
  calls.some(
    ({ tool, input, fault }) =>
      fault === null && tool === STOP_WRITING.name && stopWritingInput.safeParse(input).success,
  );

/** Whether what the lead has written since our last message has a hint that it wants no more messages. */
export function hasOptOutHint(history: readonly HistoryMessage[]): boolean {
  const lastOfOurs = history.findLastIndex(({ side }) => side === 'bot');
  return history
    .slice(lastOfOurs + 1)
    .some(({ is_lifted: isLifted, text }) => isLifted !== true && recogniseOptOut(text) !== 'none');
}

/**
 * Return the conversation without the wishes that were lifted since, and our promises to keep them: what a lead wrote before
 * does not count again.
 */
export const withoutLiftedOptOuts = <T extends HistoryMessage>(history: readonly T[]): readonly T[] =>
  history.filter(
    ({ is_lifted: isLifted, side, text }) =>
      isLifted !== true || !(side === 'user' ? recogniseOptOut(text) !== 'none' : promisesSilence(text)),
  );
