/** What of a company needs attention, for its operators: people who wait, channels, integrations, failures. */
import { z } from 'zod';
import { attentionStates } from '../conversations/attentionContract.ts';
import { endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';
import { levels } from './contract.ts';

const item = z.object({
  /**
   * - `waiting`: dialogues that need the operator, for one reason
   * - `late_with_colleagues`: dialogues assigned to others that have waited for longer than their product's target
   * - `channels`: channels in use that cannot send
   * - `integrations`: connections to the CRM that have to be renewed
   * - `failed`, `unconfirmed`: messages that did not arrive, or may not have
   */
  kind: z.enum(['waiting', 'late_with_colleagues', 'channels', 'integrations', 'failed', 'unconfirmed']),
  /** Why they wait; null for other kinds. */
  attention: z.enum(attentionStates).nullable(),
  /** Messages are counted up to a thousand. */
  count: z.int(),
  /** From `look` up: what is fine is not listed. */
  level: z.enum(levels),
});
export type AttentionItem = z.output<typeof item>;
nameShape('AttentionItem', item);

export const readAttention = endpoint({
  operation: 'getAttention',
  method: 'GET',
  path: '/v1/reports/attention',
  access: 'session',
  summary: 'What of a company needs the attention of its operators, the worst first',
  query: z.strictObject({ company_id: reference('company') }),
  replies: { 200: z.object({ items: z.array(item) }), 404: errorReply },
});
