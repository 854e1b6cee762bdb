/** Endpoint that skips the follow-ups of a dialogue. */
import { z } from 'zod';
import { endpoint, errorReply, reference } from '../platform/contract.ts';
import { dialogue } from './contract.ts';

export const skipPings = endpoint({
  operation: 'skipPings',
  method: 'POST',
  path: '/v1/dialogues/{id}/skip-pings',
  access: 'session',
  summary: 'Skip the follow-ups until our next message, or resume them',
  params: z.strictObject({ id: reference('dialogue') }),
  body: z.strictObject({ skip: z.boolean() }),
  replies: { 200: dialogue, 404: errorReply, 409: errorReply },
});
