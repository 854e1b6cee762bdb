/** The board of the emulated amoCRM, as a person works on it. Exists in the sandbox only. */
import { z } from 'zod';
import { endpoint, errorReply, uncheckedId } from '../platform/contract.ts';
import { boardSchema } from './emulators/amocrm/boardContract.ts';

const replies = { 200: z.object({ board: boardSchema }), 404: errorReply, 409: errorReply, 503: errorReply };
const oneCard = z.strictObject({ id: uncheckedId });

export const readBoard = endpoint({
  operation: 'getSandboxBoard',
  method: 'GET',
  path: '/sandbox/amocrm',
  access: 'sandbox',
  summary: 'Pipelines and cards of the emulated amoCRM',
  replies,
});

export const addCard = endpoint({
  operation: 'createSandboxCard',
  method: 'POST',
  path: '/sandbox/amocrm/cards',
  access: 'sandbox',
  summary: 'Put a card with its contact on the board',
  body: z.strictObject({
    name: z.string().trim().min(1).max(200),
    person: z.string().trim().min(1).max(200),
    phone: z.string().trim().max(50).default(''),
    telegram: z.string().trim().max(50).default(''),
    pipeline_id: uncheckedId,
    status_id: uncheckedId,
  }),
  replies,
});

export const moveCard = endpoint({
  operation: 'moveSandboxCard',
  method: 'PATCH',
  path: '/sandbox/amocrm/cards/{id}',
  access: 'sandbox',
  summary: 'Drag a card to another step',
  params: oneCard,
  body: z.strictObject({ pipeline_id: uncheckedId, status_id: uncheckedId }),
  replies,
});

export const deleteCard = endpoint({
  operation: 'deleteSandboxCard',
  method: 'DELETE',
  path: '/sandbox/amocrm/cards/{id}',
  access: 'sandbox',
  summary: 'Delete a card',
  params: oneCard,
  replies,
});

export const disconnectClient = endpoint({
  operation: 'disconnectSandboxClient',
  method: 'POST',
  path: '/sandbox/amocrm/clients/{client_id}/disconnect',
  access: 'sandbox',
  summary: 'Switch an integration off in amoCRM, which reports it to Rapport',
  params: z.strictObject({ client_id: z.string().min(1).max(100) }),
  replies,
});
