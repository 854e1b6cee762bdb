/** The emulated amoCRM's part of the control client. */
import { z } from 'zod';
import { type BoardCard, type BoardChange, boardSchema, type ClientInput } from './boardContract.ts';

type Call = <T>(method: string, path: string, reply: z.ZodType<T>, body?: unknown) => Promise<T>;

const ok = z.object({ ok: z.literal(true) });
const clientPath = (clientId: string): string => `/amocrm/clients/${encodeURIComponent(clientId)}`;

export const amocrmControl = (call: Call) => ({
  board: () => call('GET', '/amocrm/board', boardSchema),
  /** Create a card with its contact, as a person. */
  makeCard: (card: BoardCard) =>
    call('POST', '/amocrm/cards', z.object({ id: z.number().int(), contact_id: z.number().int().nullable() }), card),
  /** Drag or rename a card, as a person. */
  changeCard: (id: number, change: BoardChange) => call('PATCH', `/amocrm/cards/${id}`, ok, change),
  deleteCard: (id: number) => call('DELETE', `/amocrm/cards/${id}`, ok),
  /** Register an ordinary integration. */
  putClient: (clientId: string, client: ClientInput) => call('PUT', clientPath(clientId), ok, client),
  /** Switch the integration off, as a person. Returns the answer to our signed GET. */
  disconnect: (clientId: string) =>
    call('POST', `${clientPath(clientId)}/disconnect`, z.object({ status: z.number().int().nullable() })),
  /** End the tokens without a notification. */
  revoke: (clientId: string) => call('POST', `${clientPath(clientId)}/revoke`, ok),
  /** Expire all access tokens; refresh tokens stay valid. */
  expireAccess: () => call('POST', '/amocrm/expire', ok),
});
