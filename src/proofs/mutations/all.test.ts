/** Checks that every mutation still applies: one whose line was rewritten would prove nothing until all are run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALL_MUTATIONS, findMisplacement } from './all.ts';
import { ROOT } from './run.ts';

/** Whether a file has a title that contains the words; a placeholder stands for any text. */
function hasTitle(test: string, words: string): boolean {
  const texts = readFileSync(join(ROOT, test), 'utf8').matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.){12,})\1/g);
  return [...texts].some(([, , text = '']) => {
    const title = text.replaceAll(/\\(.)/g, '$1');
    const pattern = title.replaceAll(/[.*+?^(){}[\]|\\]/g, '\\$&').replaceAll(/%s|\$\w+/g, '.*');
    return title.includes(words) || (pattern !== title && new RegExp(`^${pattern}$`).test(words));
  });
}

it.each(ALL_MUTATIONS)('it still applies: $name', (mutation) => {
  expect(findMisplacement(mutation)).toBeNull();
  expect(hasTitle(mutation.test, mutation.failing), mutation.failing).toBe(true);
});
