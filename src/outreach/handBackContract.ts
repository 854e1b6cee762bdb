/** What the bot does with a dialogue that it gets back: shown before an operator hands it back. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';

/** Why the bot does not answer when it gets a dialogue back. */
export const noAnswerCodes = [
  'nothing',
  'late',
  'call',
  'order',
  'payment',
  'unreadable',
  'no_hours',
  'inactive',
  'opted_out',
  'stage',
  'product_off',
] as const;

const handBack = z.object({
  /** `now`: at once; `later`: when working hours open; `none`: not at all. */
  answer: z.enum(['now', 'later', 'none']),
  /** The lead's words that are answered, or that wait without an answer; null: nothing waits. */
  message: z.string().nullable(),
  /** When the answer is sent; null: there is none. */
  at: instant.nullable(),
  why: z.enum(noAnswerCodes).nullable(),
  /** The present instant, and the clock on which the operator is told the time. */
  now: instant,
  zone: z.string(),
  /** Whether that is the lead's own time zone. */
  own_zone: z.boolean(),
});
export type HandBack = z.output<typeof handBack>;
nameShape('HandBack', handBack);

export const readHandBack = endpoint({
  operation: 'previewHandBack',
  method: 'GET',
  path: '/v1/dialogues/{id}/hand-back',
  access: 'session',
  summary: 'What the bot would do if it got the dialogue back now; changes nothing',
  params: z.strictObject({ id: reference('dialogue') }),
  replies: { 200: handBack, 404: errorReply },
});
