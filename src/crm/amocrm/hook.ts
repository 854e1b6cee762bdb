/**
 * Parse a hook of amoCRM: it only says which cards and contacts may have changed. Its body is a form of bracketed keys
 * with string values, unsigned. It is not trusted: the card is read through the API before anything acts on it.
 */

/** Maximum number of rows taken from one hook. */
const MAX_ROWS = 500;
const KEY = /^(leads|contacts)\[(?:add|update|delete|restore|status|responsible)\]\[\d{1,6}\]\[(id|account_id|type)\]$/;
const ID = /^[1-9]\d{0,14}$/;

export interface HookChanges {
  readonly cards: readonly number[];
  readonly contacts: readonly number[];
  /** Account ids that the hook names; empty if it names none. */
  readonly accounts: readonly number[];
}

/** Read a hook's body, already parsed into keys and values. Anything unexpected is ignored. */
export function readHook(body: unknown): HookChanges {
  const cards = new Set<number>();
  const contactsByRow = new Map<string, number>();
  const companies = new Set<string>();
  const accounts = new Set<number>();
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    for (const [key, value] of Object.entries(body)) {
      const text = typeof value === 'number' ? String(value) : value;
      if (typeof text !== 'string') continue;
      if (key === 'account[id]' && ID.test(text)) accounts.add(Number(text));
      const [, entity, field] = KEY.exec(key) ?? [];
      if (entity === undefined) continue;
      const row = key.slice(0, key.lastIndexOf('['));
      if (field === 'type' && text !== 'contact') companies.add(row);
      if (!ID.test(text)) continue;
      if (field === 'account_id') accounts.add(Number(text));
      if (field !== 'id') continue;
      if (entity === 'leads') cards.add(Number(text));
      else contactsByRow.set(row, Number(text));
    }
  }
  // Companies are sent under the same entity name.
  const contactIds = [...contactsByRow].filter(([row]) => !companies.has(row)).map(([, id]) => id);
  return {
    cards: [...cards].slice(0, MAX_ROWS),
    contacts: [...new Set(contactIds)].slice(0, MAX_ROWS),
    accounts: [...accounts],
  };
}
