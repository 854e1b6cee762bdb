/** Endpoints for the model runs behind a message. */
import { z } from 'zod';
import { llmRun } from '../llm/contract.ts';
import { endpoint, errorReply, listReply, reference } from '../platform/contract.ts';
import { listQuery } from '../platform/crud.ts';
import { filtersOf } from '../platform/filters.ts';

/** All filters of a run except the message, which is in the path. */
const { message_id: _messageId, ...filters } = filtersOf(llmRun, 'llm_run');

export const runsOfMessage = endpoint({
  operation: 'listLlmRunsOfMessage',
  method: 'GET',
  path: '/v1/messages/{id}/llm-runs',
  access: 'session',
  summary: 'The model runs behind a message',
  params: z.strictObject({ id: reference('message') }),
  query: listQuery(filters, ['id', 'created_at', 'execution_ms']),
  replies: { 200: listReply(llmRun), 404: errorReply },
});

/** Returns the conversation behind a reply of ours, so that it can be tried again elsewhere. */
export const conversationOfAnswer = endpoint({
  operation: 'getTalkOfMessage',
  method: 'GET',
  path: '/v1/messages/{id}/talk',
  access: 'session',
  summary: 'The conversation that a model was given for a message, and the prompt and model that wrote it',
  params: z.strictObject({ id: reference('message') }),
  replies: {
    200: z.object({
      /** Oldest first; the last one is the message that was answered. */
      talk: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })),
      /** All parts of the answer, joined. */
      answer: z.string(),
      dialogue_id: z.int(),
      lead_id: z.int(),
      lead_name: z.string(),
      prompt_id: z.int().nullable(),
      prompt_version: z.int().nullable(),
      model_vendor: z.string().nullable(),
      model_name: z.string().nullable(),
    }),
    404: errorReply,
  },
});
