/** Keyboard shortcuts. They do not fire inside inputs, and `?` lists them. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { t } from './i18n.ts';

export interface Shortcut {
  /** As `KeyboardEvent.key`: '/', '?', 'n'; with 'mod+' for Ctrl or Cmd. */
  readonly key: string;
  /** Description for the list. */
  readonly label: string;
}

/** For how long a letter still belongs to a text whose field has lost the focus while the operator was typing. */
const TYPING_MS = 2000;

let shortcuts: readonly Shortcut[] = [];
/** Timestamp of the last letter typed in a field that the operator has not left since. */
let typedAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<() => void>();

/**
 * Call `run` when the key is pressed while the caller is mounted, unless a field or a busy control has the focus, a dialog
 * is open, or typing was just interrupted. A 'mod+' key fires there too.
 */
export function useShortcut(key: string, label: string, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const shortcut: Shortcut = { key, label };
    setShortcuts([...shortcuts, shortcut]);
    const onKey = (event: KeyboardEvent) => {
      // The focused element has already handled the key.
      if (event.defaultPrevented || !matches(event, key) || (!key.startsWith('mod+') && isTypingOrInDialog(event)))
        return;
      event.preventDefault();
      latest.current();
    };
    watchTyping();
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      setShortcuts(shortcuts.filter((one) => one !== shortcut));
    };
  }, [key, label]);
}

/** List a key that the caller's own field handles, while the caller is mounted. */
export function useShortcutHint(key: string, label: string): void {
  useEffect(() => {
    const shortcut: Shortcut = { key, label };
    setShortcuts([...shortcuts, shortcut]);
    return () => setShortcuts(shortcuts.filter((one) => one !== shortcut));
  }, [key, label]);
}

/** Save on Cmd+S or Ctrl+S wherever the cursor is, but not while a dialog covers the page. */
export function useSaveShortcut(save: () => void): void {
  useShortcut('mod+s', t('Save'), () => {
    if (!isDialogOpen()) save();
  });
}

/** Return the shortcuts that are active now. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shortcuts,
  );
}

function setShortcuts(next: readonly Shortcut[]): void {
  shortcuts = next;
  for (const listener of listeners) listener();
}

function matches(event: KeyboardEvent, key: string): boolean {
  const mod = key.startsWith('mod+');
  if (event.altKey || mod !== (event.ctrlKey || event.metaKey)) return false;
  const expectedKey = (mod ? key.slice(4) : key).toLowerCase();
  // On a Cyrillic or Greek layout the key has another name, so compare its position.
  return (
    event.key.toLowerCase() === expectedKey || (!isAscii(event.key) && event.code === `Key${expectedKey.toUpperCase()}`)
  );
}

const isAscii = (key: string): boolean => key.charCodeAt(0) < 128;

function isTypingOrInDialog(event: KeyboardEvent): boolean {
  const { target } = event;
  if (isField(target) || event.timeStamp - typedAt < TYPING_MS) return true;
  // The next letters are meant for what a busy control brings.
  if (target instanceof Element && target.closest('[data-loading]') !== null) return true;
  // On a control, the arrow keys belong to the control.
  if (event.key.startsWith('Arrow') && target !== document.body) return true;
  return isDialogOpen();
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Keys that end typing: with the text, or out of the field. */
const LEAVING_KEYS = new Set(['Enter', 'Escape', 'Tab']);

let isWatchingTyping = false;

/** Note when the operator types, and when they leave a field themselves. */
function watchTyping(): void {
  if (isWatchingTyping) return;
  isWatchingTyping = true;
  const leave = () => {
    typedAt = Number.NEGATIVE_INFINITY;
  };
  const note = (event: KeyboardEvent) => {
    if (LEAVING_KEYS.has(event.key)) leave();
    else if (isLetter(event) && (isField(event.target) || event.timeStamp - typedAt < TYPING_MS))
      typedAt = event.timeStamp;
  };
  window.addEventListener('keydown', note, true);
  window.addEventListener('pointerdown', leave, true);
}

const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;

/** Return whether a dialog covers the page. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}
