/** Actions of a person in the emulated amoCRM: the board's cards, disconnecting, the account's integrations. */
import type { World } from '../world.ts';
import type { Board } from './boardContract.ts';
import { type CardChange, changeCard, createCard, createContact, deleteCard } from './cards.ts';
import type { Client, FieldValue } from './changes.ts';
import { amo } from './hooks.ts';
import { disconnect } from './oauth.ts';
import { onCard } from './onCardRoutes.ts';
import { BOARD_USER, PIPELINES } from './setup.ts';

const FIELD = { phone: 9101, telegram: 9104, city: 9001 } as const;

interface BoardCard extends CardChange {
  readonly name: string;
  readonly city?: string;
  /** Unix seconds: it was changed then and not since. */
  readonly updated_at?: number;
  readonly contact?: Readonly<Partial<Record<'phone' | 'telegram', string>> & { name: string }>;
}

export function boardApi(world: World) {
  const state = world.state.amocrm;
  return {
    board: () => boardOf(world),
    /** Create a card with its contact, as a person. */
    makeCard: ({ contact, city, ...input }: BoardCard) => {
      const { id: contactId = null } = contact === undefined ? {} : createContact(world, contactOf(contact));
      const contacts = contactId === null ? [] : [contactId];
      const { id } = createCard(world, { ...input, contacts, fields: fieldOf('city', city) }, BOARD_USER);
      return { id, contact_id: contactId };
    },
    /** Drag or rename a card, as a person. */
    changeCard: (id: number, change: CardChange) => void changeCard(world, id, change, BOARD_USER),
    /** Create many cards without contacts. */
    makeCards: (cards: readonly BoardCard[]) => {
      for (const { contact: _none, city: _nowhere, ...card } of cards) createCard(world, card, BOARD_USER);
    },
    /** Let an entity (`leads/1`, `contacts/1`, `pipelines/1`, `fields/1`) look otherwise than it should. */
    putOdd: (path: string, view: unknown) => void world.journal.append(amo({ what: 'odd', path, view })),
    deleteCard: (id: number) => deleteCard(world, id),
    /** Register an ordinary integration. */
    putClient: (clientId: string, input: Omit<Client, 'clientId' | 'external'>) =>
      void world.journal.append(amo({ what: 'client', client: { clientId, external: false, ...input } })),
    /** Switch the integration off, as a person. Returns the answer to our signed GET. */
    disconnect: async (clientId: string) => ({ status: await disconnect(world, clientId) }),
    /** End the tokens without a notification. */
    revoke: (clientId: string) => void world.journal.append(amo({ what: 'revoked', clientId })),
    /** Expire all access tokens; refresh tokens stay valid. */
    expireAccess: () => {
      for (const tokenPair of state.access.values()) tokenPair.expires = 0;
    },
  };
}

const fieldOf = (field: keyof typeof FIELD, value: string | undefined, more: object = {}): FieldValue[] =>
  value ? [{ field_id: FIELD[field], values: [{ value, ...more }] }] : [];

const contactOf = ({ name, phone, telegram }: NonNullable<BoardCard['contact']>) => ({
  name,
  fields: [...fieldOf('phone', phone, { enum_id: 9503, enum_code: 'MOB' }), ...fieldOf('telegram', telegram)],
});

function boardOf({ state: { amocrm: state } }: World): Board {
  return {
    pipelines: PIPELINES.map((one) => ({ ...one, statuses: [...one.statuses] })),
    cards: [...state.cards.values()].map((card) => {
      const contact = state.contacts.get(card.contacts[0] ?? 0);
      const phone = contact?.fields.find((one) => one.field_id === FIELD.phone)?.values[0]?.value;
      const { id, name, price, pipeline_id, status_id } = card;
      return {
        id,
        name,
        price,
        pipeline_id,
        status_id,
        contact: contact?.name ?? null,
        phone: String(phone ?? ''),
        notes: onCard(state.notes, id).map((note) => ({ id: note.id, text: note.text })),
        tasks: onCard(state.tasks, id).map((task) => ({
          id: task.id,
          text: task.text,
          complete_till: task.complete_till,
        })),
      };
    }),
    clients: [...state.clients.values()].map((one) => ({
      client_id: one.clientId,
      name: one.name,
      connected: [...state.refresh.values()].includes(one.clientId),
    })),
    hooks: [...state.subscriptions.values()].map(({ destination, settings, disabled }) => {
      return { destination, settings, disabled };
    }),
  };
}
