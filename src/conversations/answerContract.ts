/** Endpoints that retry turns the bot could not answer. */
import { z } from 'zod';
import { endpoint, errorReply, reference } from '../platform/contract.ts';
import { dialogue } from './contract.ts';

export const answerAgain = endpoint({
  operation: 'answerDialogueAgain',
  method: 'POST',
  path: '/v1/dialogues/{id}/answer',
  access: 'session',
  summary: 'Retry the answer to a turn',
  params: z.strictObject({ id: reference('dialogue') }),
  replies: { 200: dialogue, 404: errorReply, 409: errorReply },
});

/** Retries every unanswered dialogue of a product. */
export const answerAll = endpoint({
  operation: 'answerAllDialogues',
  method: 'POST',
  path: '/v1/dialogues/answer-all',
  access: 'session',
  summary: 'Retry the answer in every unanswered dialogue of a product',
  slowReason: 'Covers every dialogue of a product.',
  body: z.strictObject({ product_id: reference('product') }),
  replies: { 200: z.object({ count: z.int() }) },
});
