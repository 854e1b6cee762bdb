/** State of the emulated amoCRM, folded from the journal. */
import type { Card, Change, ChangeOf, Client, Contact } from './changes.ts';

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

interface PendingHook {
  hookId: string;
  account: string;
  lane: string;
  destination: string;
  body: string;
  attempts: number;
}

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
  subscriptions: new Map<string, Subscription>(),
  pendingHooks: new Map<string, PendingHook>(),
});
export type AmoState = ReturnType<typeof emptyAmoState>;

const TWO_HOURS_MS = 2 * 3600 * 1000;

export function applyAmo(state: AmoState, change: Change): void {
  switch (change.what) {
    case 'client':
      state.clients.set(change.client.clientId, change.client);
      return;
    case 'code':
      state.codes.set(change.code, { clientId: change.clientId, real: change.real, spent: false });
      return;
    case 'tokens':
      return applyTokens(state, change);
    case 'revoked':
      state.revoked.add(change.clientId);
      for (const [token, tokenPair] of state.access)
        if (tokenPair.clientId === change.clientId) state.access.delete(token);
      for (const [token, clientId] of state.refresh) if (clientId === change.clientId) state.refresh.delete(token);
      return;
    case 'card':
      state.cards.set(change.card.id, change.card);
      return;
    case 'card_gone':
      state.cards.delete(change.id);
      state.deletedCardIds.add(change.id);
      return;
    case 'contact':
      state.contacts.set(change.contact.id, change.contact);
      return;
    case 'subscribed': {
      const { what: _what, ...subscription } = change;
      state.subscriptions.set(change.destination, { ...subscription, disabled: false, bad: [] });
      return;
    }
    case 'unsubscribed':
      state.subscriptions.delete(change.destination);
      return;
    case 'disabled': {
      const existing = state.subscriptions.get(change.destination);
      if (existing) existing.disabled = true;
      return;
    }
    case 'owed':
      // Hooks of amoCRM come in no order: each has a lane of its own.
      state.pendingHooks.set(change.hookId, { ...change, account: 'amocrm', lane: change.hookId, attempts: 0 });
      return;
    case 'answered':
      return applyAnswer(state, change);
    case 'called':
      return;
    default:
      change satisfies never;
  }
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

/** Return the next id of cards, contacts, notes and subscriptions; no id is ever reused. */
export function nextId(usedIds: Iterable<number>, first: number): number {
  let highest = first - 1;
  for (const id of usedIds) if (id > highest) highest = id;
  return highest + 1;
}
