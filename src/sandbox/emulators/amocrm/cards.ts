/** What happens to cards and contacts, by the API or by a person at the board; each is told by its hooks. */
import { CannotHappen, IsNotThere } from '../wazzup24/phone.ts';
import type { World } from '../world.ts';
import type { Card, Contact, FieldValue } from './changes.ts';
import { amo } from './hooks.ts';
import { LOST, PIPELINES, statusOf, WON } from './setup.ts';
import { cardHook, contactHook } from './shapes.ts';
import { nextId } from './state.ts';

const seconds = (world: World): number => Math.floor(world.clock.now() / 1000);

/** What is given of a card, made or changed. */
export interface CardChange {
  readonly name?: string | undefined;
  readonly price?: number | undefined;
  readonly pipeline_id?: number | undefined;
  readonly status_id?: number | undefined;
  readonly fields?: FieldValue[] | undefined;
  readonly contacts?: number[] | undefined;
  readonly tags?: string[] | undefined;
}

/** Puts a card on the board; without a step it stands in the first one of the first pipeline. Throws `CannotHappen`. */
export function makeCard(world: World, made: CardChange, user: number): Card {
  const state = world.state.amocrm;
  const pipeline = PIPELINES.find((one) => one.id === made.pipeline_id) ?? PIPELINES[0];
  const first = pipeline?.statuses.find((one) => one.type === 0);
  if (!pipeline || !first) throw new CannotHappen('There is no pipeline');
  const statusId = made.status_id ?? first.id;
  mustStand(pipeline.id, statusId);
  const now = seconds(world);
  const id = nextId([...state.cards.keys(), ...state.gone], 1_000_001);
  const card: Card = {
    id,
    // What has no name is named by its number.
    name: made.name ?? `Lead #${id}`,
    price: made.price ?? 0,
    status_id: statusId,
    pipeline_id: pipeline.id,
    created_by: user,
    updated_by: user,
    created_at: now,
    updated_at: now,
    closed_at: isClosed(statusId) ? now : null,
    fields: made.fields ?? [],
    contacts: made.contacts ?? [],
    tags: made.tags ?? [],
  };
  // A card made straight in a step is told as added, never as moved.
  tell(world, [amo({ what: 'card', card })], [['add_lead', cardHook('add', card, null)]]);
  return card;
}

/** Changes a card. Fields given replace those of the same id. Throws `CannotHappen`. */
export function changeCard(world: World, id: number, change: CardChange, user: number): Card {
  const before = world.state.amocrm.cards.get(id);
  if (!before) throw new IsNotThere(`There is no card ${id}`);
  const statusId = change.status_id ?? before.status_id;
  const pipelineId = change.pipeline_id ?? pipelineOf(before, statusId);
  mustStand(pipelineId, statusId);
  const now = seconds(world);
  const given = change.fields ?? [];
  const kept = before.fields.filter((one) => given.every((each) => each.field_id !== one.field_id));
  const card: Card = {
    ...before,
    name: change.name ?? before.name,
    price: change.price ?? before.price,
    status_id: statusId,
    pipeline_id: pipelineId,
    updated_by: user,
    updated_at: now,
    closed_at: isClosed(statusId) ? (before.closed_at ?? now) : null,
    fields: [...kept, ...given.filter((one) => one.values.length > 0)],
    contacts: change.contacts ?? before.contacts,
    tags: change.tags ?? before.tags,
  };
  const hooks: [string, string][] = [['update_lead', cardHook('update', card, null)]];
  if (card.status_id !== before.status_id || card.pipeline_id !== before.pipeline_id)
    hooks.unshift(['status_lead', cardHook('status', card, before)]);
  tell(world, [amo({ what: 'card', card })], hooks);
  return card;
}

export function deleteCard(world: World, id: number): void {
  const card = world.state.amocrm.cards.get(id);
  if (!card) throw new IsNotThere(`There is no card ${id}`);
  tell(world, [amo({ what: 'card_gone', id })], [['delete_lead', cardHook('delete', card, null)]]);
}

export interface NewContact {
  readonly name?: string | undefined;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly fields?: FieldValue[] | undefined;
}

export function makeContact(world: World, made: NewContact): Contact {
  const first = made.first_name ?? made.name ?? '';
  const last = made.last_name ?? '';
  const now = seconds(world);
  const contact: Contact = {
    id: nextId(world.state.amocrm.contacts.keys(), 2_000_001),
    name: made.name ?? `${first} ${last}`.trim(),
    first_name: first,
    last_name: last,
    created_at: now,
    updated_at: now,
    fields: made.fields ?? [],
  };
  tell(world, [amo({ what: 'contact', contact })], [['add_contact', contactHook('add', contact, [])]]);
  return contact;
}

export function changeContact(world: World, id: number, change: NewContact): Contact {
  const before = world.state.amocrm.contacts.get(id);
  if (!before) throw new CannotHappen(`There is no contact ${id}`);
  const given = change.fields ?? [];
  const contact: Contact = {
    ...before,
    name: change.name ?? before.name,
    first_name: change.first_name ?? before.first_name,
    last_name: change.last_name ?? before.last_name,
    updated_at: seconds(world),
    fields: [...before.fields.filter((one) => given.every((each) => each.field_id !== one.field_id)), ...given],
  };
  const cards = [...world.state.amocrm.cards.values()].filter((card) => card.contacts.includes(id));
  const body = contactHook(
    'update',
    contact,
    cards.map((card) => card.id),
  );
  tell(world, [amo({ what: 'contact', contact })], [['update_contact', body]]);
  return contact;
}

function tell(world: World, changes: ReturnType<typeof amo>[], hooks: readonly [string, string][]): void {
  const owed = hooks.flatMap(([setting, body]) => world.amocrm.owe(setting, body));
  world.journal.append(...changes, ...owed);
  world.amocrm.deliver(owed);
}

/** A status that stands in one pipeline only brings its pipeline along. */
function pipelineOf(card: Card, statusId: number): number {
  if (statusOf(card.pipeline_id, statusId)) return card.pipeline_id;
  return PIPELINES.find((one) => statusOf(one.id, statusId))?.id ?? card.pipeline_id;
}

function mustStand(pipelineId: number, statusId: number): void {
  if (!statusOf(pipelineId, statusId)) throw new CannotHappen(`Pipeline ${pipelineId} has no step ${statusId}`);
}

const isClosed = (statusId: number): boolean => statusId === WON || statusId === LOST;
