/**
 * The contact whose phone is open. It is kept in the address, `/sandbox?contact=7`, so that reload, Back and links
 * work.
 */
import { useSyncExternalStore } from 'react';

export function useContact(): [number | null, (contactId: number) => void] {
  return [useSyncExternalStore(subscribe, readContact), openContact];
}

function openContact(contactId: number): void {
  if (contactId === readContact()) return;
  history.pushState(null, '', `?contact=${contactId}`);
  window.dispatchEvent(new PopStateEvent('popstate'));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener);
  return () => window.removeEventListener('popstate', listener);
}

function readContact(): number | null {
  const contact = Number(new URLSearchParams(location.search).get('contact'));
  return Number.isSafeInteger(contact) && contact > 0 ? contact : null;
}
