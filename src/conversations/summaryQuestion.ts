/** Asks a model what a person has to know who takes a dialogue over. */
import { z } from 'zod';
import { type DialogueSummary, MAX_SUMMARY_LINES, MAX_SUMMARY_QUOTES } from './handOverContract.ts';
import { answerText, type JudgeQuestion } from './judgeQuestions.ts';

/** Most messages that a summary is made of, the newest. */
export const SUMMARIZED_MESSAGES = 100;

export const SUMMARY_PROMPT = {
  name: 'Summary',
  text: `You brief a colleague who takes over a conversation with a lead and has not read it.
Write what is in the conversation and nothing else, in its language. The number after "lead" is the number of the message.`,
};

export const SUMMARY_QUESTION: JudgeQuestion<DialogueSummary> = {
  answerFormat: `{"lines": ["...", "...", "..."], "quotes": [{"message_id": 1, "text": "..."}]}
lines are at most ${MAX_SUMMARY_LINES} short sentences: what the lead wants; what was agreed or asked; what to do next. quotes are at most ${MAX_SUMMARY_QUOTES} passages that show it, each copied letter by letter from one message of the lead, with the number of that message. In lines, only words that are copied from the lead in the same way are in quotation marks.`,
  shape: z.strictObject({
    lines: z.array(answerText(400).transform((line) => line.replaceAll(/\s+/gu, ' '))).max(MAX_SUMMARY_LINES),
    quotes: z.array(z.strictObject({ message_id: z.int().positive(), text: answerText(1000) })).max(MAX_SUMMARY_QUOTES),
  }),
};
