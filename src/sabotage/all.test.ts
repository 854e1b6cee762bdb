/** A sabotage whose line was rewritten would prove nothing until somebody runs them all. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALL, misplaced } from './all.ts';
import { ROOT } from './run.ts';

it.each(ALL)('it still applies: $name', (sabotage) => {
  expect(misplaced(sabotage)).toBeNull();
  expect(existsSync(join(ROOT, sabotage.test))).toBe(true);
});
