/** Checks that every mutation still applies: one whose line was rewritten would prove nothing until all are run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALL_MUTATIONS, findMisplacement } from './all.ts';
import { ROOT } from './run.ts';

it.each(ALL_MUTATIONS)('it still applies: $name', (mutation) => {
  expect(findMisplacement(mutation)).toBeNull();
  expect(existsSync(join(ROOT, mutation.test))).toBe(true);
});
