/** Counts in the browser what an operator does: clicks, and keys that are not text. */
import type { BrowserContext, Page } from '@playwright/test';

export type Press = (key: string) => Promise<void>;

export interface CountedActions {
  readonly reset: () => void;
  readonly read: () => { readonly clicks: number; readonly keys: number };
}

/** Count the actions in all pages of a browser from their next document on. */
export async function countActions(context: BrowserContext): Promise<CountedActions> {
  let counts = { clicks: 0, keys: 0 };
  await context.exposeBinding('countAction', (_, kind: 'clicks' | 'keys') => {
    counts[kind] += 1;
  });
  await context.addInitScript(listen);
  return {
    reset: () => {
      counts = { clicks: 0, keys: 0 };
    },
    read: () => counts,
  };
}

/**
 * Runs in the page. A modifier is part of the key that it is held for. Not on the window: Playwright stops there the
 * clicks that would miss their target, and repeats them.
 */
function listen(): void {
  const count = (kind: 'clicks' | 'keys') => Reflect.get(globalThis, 'countAction')(kind);
  const isModifier = (key: string) => ['Shift', 'Control', 'Alt', 'Meta'].includes(key);
  document.addEventListener('pointerdown', ({ isTrusted }) => isTrusted && count('clicks'), { capture: true });
  document.addEventListener('keydown', ({ isTrusted, key }) => isTrusted && !isModifier(key) && count('keys'), {
    capture: true,
  });
}

/** Type into the focused field as pasting does: without keys. */
export const insert = (page: Page, text: string): Promise<void> => page.keyboard.insertText(text);
