/** What models did for a message. */
import { z } from 'zod';
import { llmRun } from '../llm/contract.ts';
import { endpoint, listOf, reference, sentence } from '../platform/contract.ts';

export const runsOfMessage = endpoint({
  method: 'GET',
  path: '/v1/messages/{id}/llm-runs',
  access: 'session',
  summary: 'The model runs behind a message',
  params: z.strictObject({ id: reference('message') }),
  query: z.strictObject({ page: z.int().positive().default(1), limit: z.int().positive().max(100).default(25) }),
  replies: { 200: listOf(llmRun), 404: sentence },
});
