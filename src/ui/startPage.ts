/** Which page opens when the address names none: the operator's choice, kept in this browser. */

/** Page that opens unless the operator has chosen another one. */
export const DEFAULT_PAGE = 'chatbot';

const INBOX = 'inbox';
const STORAGE_KEY = 'rapport-start-page';

export function opensInboxFirst(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === INBOX;
  } catch {
    return false;
  }
}

export function setOpensInboxFirst(isFirst: boolean): void {
  try {
    if (isFirst) localStorage.setItem(STORAGE_KEY, INBOX);
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // Without storage the choice lasts no longer than the page.
  }
}

/** Return the key of the page that opens when the address names none. */
export const startPage = (): string => (opensInboxFirst() ? INBOX : DEFAULT_PAGE);
