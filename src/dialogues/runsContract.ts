/** What models did for a message. */
import { z } from 'zod';
import { llmRun } from '../llm/contract.ts';
import { endpoint, listOf, reference, sentence } from '../platform/contract.ts';
import { listQuery } from '../platform/crud.ts';

export const runsOfMessage = endpoint({
  operation: 'listLlmRunsOfMessage',
  method: 'GET',
  path: '/v1/messages/{id}/llm-runs',
  access: 'session',
  summary: 'The model runs behind a message',
  params: z.strictObject({ id: reference('message') }),
  query: listQuery({}, ['id', 'created_at', 'execution_ms']),
  replies: { 200: listOf(llmRun), 404: sentence },
});
