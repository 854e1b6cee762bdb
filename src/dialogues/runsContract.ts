/** What models did for a message. */
import { z } from 'zod';
import { llmRun } from '../llm/contract.ts';
import { endpoint, listOf, reference, sentence } from '../platform/contract.ts';
import { listQuery } from '../platform/crud.ts';
import { filtersOf } from '../platform/filters.ts';

/** All that a run has, but the message: that one is in the path. */
const { message_id: _inPath, ...filters } = filtersOf(llmRun, 'llm_run');

export const runsOfMessage = endpoint({
  method: 'GET',
  path: '/v1/messages/{id}/llm-runs',
  access: 'session',
  summary: 'The model runs behind a message',
  params: z.strictObject({ id: reference('message') }),
  query: listQuery(filters, ['id', 'created_at', 'execution_ms']),
  replies: { 200: listOf(llmRun), 404: sentence },
});
