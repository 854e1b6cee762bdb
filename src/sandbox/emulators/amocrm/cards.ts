/** Changes of cards and contacts, by the API or by a person at the board; each queues its hooks. */
import { ImpossibleActionError, NotFoundError } from '../errors.ts';
import type { World } from '../world.ts';
import type { Card, Contact, FieldValue } from './changes.ts';
import { amo } from './hooks.ts';
import { LOST_STATUS_ID, PIPELINES, statusOf, WON_STATUS_ID } from './setup.ts';
import { nextId } from './state.ts';
import { cardHook } from './views.ts';

const seconds = (world: World): number => Math.floor(world.clock.now() / 1000);

/** Given fields of a card, for creating or changing it. */
export interface CardChange {
  readonly name?: string | undefined;
  readonly price?: number | undefined;
  readonly pipeline_id?: number | undefined;
  readonly status_id?: number | undefined;
}
interface NewCard extends CardChange {
  /** Unix seconds; now if absent. */
  readonly updated_at?: number | undefined;
  readonly fields?: FieldValue[];
  readonly contacts?: number[];
}

/** Create a card; without a step it is in the first one of the first pipeline. Throws `ImpossibleActionError`. */
export function createCard(world: World, input: NewCard, user: number): Card {
  const state = world.state.amocrm;
  const pipeline = PIPELINES.find((one) => one.id === input.pipeline_id) ?? PIPELINES[0];
  const first = pipeline?.statuses.find((one) => one.type === 0);
  if (!pipeline || !first) throw new ImpossibleActionError('There is no pipeline');
  const statusId = input.status_id ?? first.id;
  requireStep(pipeline.id, statusId);
  const now = seconds(world);
  const id = nextId([...state.cards.keys(), ...state.deletedCardIds], 1_000_001);
  const card: Card = {
    id,
    // A card without a name is named by its number.
    name: input.name ?? `Lead #${id}`,
    price: input.price ?? 0,
    status_id: statusId,
    pipeline_id: pipeline.id,
    created_by: user,
    updated_by: user,
    created_at: now,
    updated_at: input.updated_at ?? now,
    closed_at: isClosed(statusId) ? now : null,
    fields: input.fields ?? [],
    contacts: input.contacts ?? [],
  };
  // A card created directly in a step is reported as added, never as moved.
  world.amocrm.append({ what: 'card', card }, [['add_lead', cardHook('add', card, null)]]);
  return card;
}

/** Change a card. Throws `ImpossibleActionError`. */
export function changeCard(world: World, id: number, change: CardChange, user: number): Card {
  const before = world.state.amocrm.cards.get(id);
  if (!before) throw new NotFoundError(`There is no card ${id}`);
  const statusId = change.status_id ?? before.status_id;
  const pipelineId = change.pipeline_id ?? pipelineOf(before, statusId);
  requireStep(pipelineId, statusId);
  const now = seconds(world);
  const card: Card = {
    ...before,
    name: change.name ?? before.name,
    price: change.price ?? before.price,
    status_id: statusId,
    pipeline_id: pipelineId,
    updated_by: user,
    updated_at: now,
    closed_at: isClosed(statusId) ? (before.closed_at ?? now) : null,
  };
  const hooks: [string, string][] = [['update_lead', cardHook('update', card, null)]];
  if (card.status_id !== before.status_id || card.pipeline_id !== before.pipeline_id)
    hooks.unshift(['status_lead', cardHook('status', card, before)]);
  world.amocrm.append({ what: 'card', card }, hooks);
  return card;
}

export function deleteCard(world: World, id: number): void {
  const card = world.state.amocrm.cards.get(id);
  if (!card) throw new NotFoundError(`There is no card ${id}`);
  world.amocrm.append({ what: 'card_gone', id }, [['delete_lead', cardHook('delete', card, null)]]);
}

export function createContact(world: World, input: Pick<Contact, 'name' | 'fields'>): Contact {
  const now = seconds(world);
  const id = nextId(world.state.amocrm.contacts.keys(), 2_000_001);
  const contact: Contact = { id, ...input, created_at: now, updated_at: now };
  world.journal.append(amo({ what: 'contact', contact }));
  return contact;
}

/** Return the pipeline of a status: a status that exists in only one pipeline moves the card there. */
function pipelineOf(card: Card, statusId: number): number {
  if (statusOf(card.pipeline_id, statusId)) return card.pipeline_id;
  return PIPELINES.find((one) => statusOf(one.id, statusId))?.id ?? card.pipeline_id;
}

function requireStep(pipelineId: number, statusId: number): void {
  if (!statusOf(pipelineId, statusId))
    throw new ImpossibleActionError(`Pipeline ${pipelineId} has no step ${statusId}`);
}

const isClosed = (statusId: number): boolean => statusId === WON_STATUS_ID || statusId === LOST_STATUS_ID;
