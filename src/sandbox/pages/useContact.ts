/** Whose phone is open; it stands in the address, `/sandbox?contact=7`, so that reload, back and links work. */
import { useSyncExternalStore } from 'react';

const watchers = new Set<() => void>();

export function useContact(): [number | null, (contactId: number) => void] {
  return [useSyncExternalStore(subscribe, readContact), openContact];
}

function openContact(contactId: number): void {
  if (contactId === readContact()) return;
  history.pushState(null, '', `?contact=${contactId}`);
  for (const tell of watchers) tell();
}

function subscribe(tell: () => void): () => void {
  watchers.add(tell);
  window.addEventListener('popstate', tell);
  return () => {
    watchers.delete(tell);
    window.removeEventListener('popstate', tell);
  };
}

function readContact(): number | null {
  const contact = Number(new URLSearchParams(location.search).get('contact'));
  return Number.isSafeInteger(contact) && contact > 0 ? contact : null;
}
