/** State of the emulated amoCRM, folded from the journal. */
import type { Card, Change, ChangeOf, Client, Contact, Note, Task } from './changes.ts';

export interface Subscription {
  id: number;
  clientId: string;
  destination: string;
  settings: string[];
  created: number;
  disabled: boolean;
  /** Times of bad answers within the last two hours, in real milliseconds. */
  bad: number[];
}

type PendingHook = ChangeOf<'owed'> & { account: string; lane: string; attempts: number };

interface TokenPair {
  clientId: string;
  refresh: string;
  /** Real milliseconds. */
  expires: number;
}

export const emptyAmoState = () => ({
  clients: new Map<string, Client>(),
  codes: new Map<string, { clientId: string; real: number; spent: boolean }>(),
  /** Token pairs by access token. */
  access: new Map<string, TokenPair>(),
  /** Valid refresh tokens. */
  refresh: new Map<string, string>(),
  spentRefresh: new Set<string>(),
  revoked: new Set<string>(),
  cards: new Map<number, Card>(),
  /** Ids of deleted cards, which are never reused. */
  deletedCardIds: new Set<number>(),
  contacts: new Map<number, Contact>(),
  notes: new Map<number, Note>(),
  tasks: new Map<number, Task>(),
  /** Odd views by path, such as `leads/1`. */
  odd: new Map<string, unknown>(),
  subscriptions: new Map<string, Subscription>(),
  pendingHooks: new Map<string, PendingHook>(),
});
export type AmoState = ReturnType<typeof emptyAmoState>;

const TWO_HOURS_MS = 2 * 3600 * 1000;

type Appliers = { readonly [W in Change['what']]: (state: AmoState, change: ChangeOf<W>) => void };

/** The effect of each change. */
const APPLIERS: Appliers = {
  client: (state, { client }) => void state.clients.set(client.clientId, client),
  code: (state, { code, clientId, real }) => void state.codes.set(code, { clientId, real, spent: false }),
  tokens: applyTokens,
  revoked: (state, { clientId }) => {
    state.revoked.add(clientId);
    for (const [token, tokenPair] of state.access) if (tokenPair.clientId === clientId) state.access.delete(token);
    for (const [token, owner] of state.refresh) if (owner === clientId) state.refresh.delete(token);
  },
  card: (state, { card }) => void state.cards.set(card.id, card),
  card_gone: (state, { id }) => {
    state.cards.delete(id);
    state.deletedCardIds.add(id);
  },
  contact: (state, { contact }) => void state.contacts.set(contact.id, contact),
  note: (state, { note }) => void state.notes.set(note.id, note),
  odd: (state, { path, view }) => void state.odd.set(path, view),
  task: (state, { task }) => void state.tasks.set(task.id, task),
  subscribed: (state, { what: _what, ...subscription }) =>
    void state.subscriptions.set(subscription.destination, { ...subscription, disabled: false, bad: [] }),
  unsubscribed: (state, { destination }) => void state.subscriptions.delete(destination),
  disabled: (state, { destination }) =>
    void Object.assign(state.subscriptions.get(destination) ?? {}, { disabled: true }),
  // Hooks of amoCRM come in no order: each has a lane of its own.
  owed: (state, hook) =>
    void state.pendingHooks.set(hook.hookId, { ...hook, account: 'amocrm', lane: hook.hookId, attempts: 0 }),
  answered: applyAnswer,
  called: () => undefined,
};

export function applyAmo<W extends Change['what']>(state: AmoState, change: Change & ChangeOf<W>): void {
  const apply = APPLIERS[change.what];
  apply(state, change);
}

function applyTokens(state: AmoState, change: ChangeOf<'tokens'>): void {
  const { clientId, access, refresh, expires, code } = change;
  if (code !== null) {
    const existing = state.codes.get(code);
    if (existing) existing.spent = true;
    state.revoked.delete(clientId);
  }
  for (const [token, owner] of state.refresh) {
    if (owner !== clientId) continue;
    state.refresh.delete(token);
    state.spentRefresh.add(token);
  }
  state.refresh.set(refresh, clientId);
  state.access.set(access, { clientId, refresh, expires });
}

function applyAnswer(state: AmoState, change: ChangeOf<'answered'>): void {
  const hook = state.pendingHooks.get(change.hookId);
  if (!hook) return;
  const good = change.status !== null && change.status >= 100 && change.status < 300;
  const subscription = state.subscriptions.get(hook.destination);
  if (subscription && !good && change.settled !== 'dropped') {
    subscription.bad = [...subscription.bad.filter((at) => at > change.real - TWO_HOURS_MS), change.real];
  }
  if (change.settled !== undefined) state.pendingHooks.delete(change.hookId);
  else hook.attempts = change.attempt;
}

/** Return the next id of cards, contacts, notes, tasks and subscriptions; no id is ever reused. */
export function nextId(usedIds: Iterable<number>, first: number): number {
  let highest = first - 1;
  for (const id of usedIds) if (id > highest) highest = id;
  return highest + 1;
}
