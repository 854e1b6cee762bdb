/** The emulated amoCRM's part of the control client. */
import { z } from 'zod';
import { type BoardCard, type BoardChange, boardSchema, type ClientInput } from './boardContract.ts';

type Call = <T>(method: string, path: string, reply: z.ZodType<T>, body?: unknown) => Promise<T>;

const ok = z.object({ ok: z.literal(true) });
const clientPath = (clientId: string): string => `/amocrm/clients/${encodeURIComponent(clientId)}`;

export const amocrmControl = (call: Call) => ({
  board: () => call('GET', '/amocrm/board', boardSchema),
  /** A person makes a card, with its contact. */
  makeCard: (card: BoardCard) =>
    call('POST', '/amocrm/cards', z.object({ id: z.number().int(), contact_id: z.number().int().nullable() }), card),
  /** A person drags or renames a card. */
  changeCard: (id: number, change: BoardChange) => call('PATCH', `/amocrm/cards/${id}`, ok, change),
  deleteCard: (id: number) => call('DELETE', `/amocrm/cards/${id}`, ok),
  changeContact: (id: number, contact: NonNullable<BoardCard['contact']>) =>
    call('PATCH', `/amocrm/contacts/${id}`, ok, contact),
  /** Registers an ordinary integration. */
  putClient: (clientId: string, client: ClientInput) => call('PUT', clientPath(clientId), ok, client),
  /** A person switches the integration off; gives what our signed GET was answered. */
  disconnect: (clientId: string) =>
    call('POST', `${clientPath(clientId)}/disconnect`, z.object({ status: z.number().int().nullable() })),
  /** The tokens end, and nobody is told. */
  revoke: (clientId: string) => call('POST', `${clientPath(clientId)}/revoke`, ok),
  /** All access tokens end now; refresh tokens live on. */
  expireAccess: () => call('POST', '/amocrm/expire', ok),
});
