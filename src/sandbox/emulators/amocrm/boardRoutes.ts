/** Actions of a person in the emulated amoCRM: the board's cards, disconnecting, the account's integrations. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { World } from '../world.ts';
import { type Board, type BoardCard, boardCardSchema, boardChangeSchema, clientInputSchema } from './boardContract.ts';
import { changeCard, createCard, createContact, deleteCard } from './cards.ts';
import { amo } from './hooks.ts';
import { disconnect } from './oauth.ts';
import { BOARD_USER, CONTACT_FIELDS, LEAD_FIELDS, PIPELINES } from './setup.ts';

const byId = z.object({ id: z.coerce.number().int() });
const FIELD = { phone: 9101, telegram: 9104, whatsapp: 9105, city: 9001 } as const;

export function boardRoutes(app: FastifyInstance, world: World): void {
  const state = world.state.amocrm;

  app.get('/control/amocrm/board', async () => boardOf(world));
  app.post('/control/amocrm/cards', async (request) => {
    const input = boardCardSchema.parse(request.body);
    const contact = input.contact === undefined ? null : createContact(world, contactOf(input.contact));
    const card = createCard(
      world,
      {
        name: input.name,
        price: input.price,
        pipeline_id: input.pipeline_id,
        status_id: input.status_id,
        contacts: contact ? [contact.id] : [],
        fields: input.city === undefined ? [] : [{ field_id: FIELD.city, values: [{ value: input.city }] }],
      },
      BOARD_USER,
    );
    return { id: card.id, contact_id: contact?.id ?? null };
  });
  app.patch('/control/amocrm/cards/:id', async (request) => {
    const { id } = byId.parse(request.params);
    changeCard(world, id, boardChangeSchema.parse(request.body), BOARD_USER);
    return { ok: true };
  });
  app.delete('/control/amocrm/cards/:id', async (request) => {
    deleteCard(world, byId.parse(request.params).id);
    return { ok: true };
  });
  app.put('/control/amocrm/clients/:clientId', async (request) => {
    const { clientId } = z.object({ clientId: z.string().min(1) }).parse(request.params);
    const input = clientInputSchema.parse(request.body);
    world.journal.append(amo({ what: 'client', client: { clientId, external: false, ...input } }));
    return { ok: true };
  });
  app.post('/control/amocrm/clients/:clientId/disconnect', async (request) => {
    const { clientId } = z.object({ clientId: z.string() }).parse(request.params);
    return { status: await disconnect(world, clientId) };
  });
  /** Ends the tokens without a notification. */
  app.post('/control/amocrm/clients/:clientId/revoke', async (request) => {
    const { clientId } = z.object({ clientId: z.string() }).parse(request.params);
    world.journal.append(amo({ what: 'revoked', clientId }));
    return { ok: true };
  });
  app.post('/control/amocrm/expire', async () => {
    for (const tokenPair of state.access.values()) tokenPair.expires = 0;
    return { ok: true };
  });
}

function contactOf(input: NonNullable<BoardCard['contact']>) {
  const text = (field: keyof typeof FIELD, value: string | undefined) =>
    value === undefined || value === '' ? [] : [{ field_id: FIELD[field], values: [{ value }] }];
  return {
    name: input.name,
    fields: [
      ...(input.phone
        ? [{ field_id: FIELD.phone, values: [{ value: input.phone, enum_id: 9503, enum_code: 'MOB' }] }]
        : []),
      ...text('telegram', input.telegram),
      ...text('whatsapp', input.whatsapp),
    ],
  };
}

function boardOf(world: World): Board {
  const state = world.state.amocrm;
  const text = (fields: readonly { field_id: number; values: readonly { value: unknown }[] }[], id: number) =>
    String(fields.find((one) => one.field_id === id)?.values[0]?.value ?? '');
  return {
    pipelines: PIPELINES.map((one) => ({ id: one.id, name: one.name, statuses: [...one.statuses] })),
    cards: [...state.cards.values()].map((card) => {
      const contact = state.contacts.get(card.contacts[0] ?? 0);
      return {
        id: card.id,
        name: card.name,
        price: card.price,
        pipeline_id: card.pipeline_id,
        status_id: card.status_id,
        updated_at: card.updated_at,
        updated_by: card.updated_by,
        contact: contact?.name ?? null,
        phone: contact ? text(contact.fields, FIELD.phone) : '',
        fields: card.fields.map((one) => ({
          name: LEAD_FIELDS.find((field) => field.id === one.field_id)?.name ?? '',
          value: one.values.map((each) => String(each.value)).join(', '),
        })),
      };
    }),
    clients: [...state.clients.values()].map((one) => ({
      client_id: one.clientId,
      name: one.name,
      connected: [...state.refresh.values()].includes(one.clientId),
    })),
    hooks: [...state.subscriptions.values()].map(({ destination, settings, disabled }) => ({
      destination,
      settings,
      disabled,
    })),
    fields: [...LEAD_FIELDS, ...CONTACT_FIELDS].map((one) => one.name),
  };
}
