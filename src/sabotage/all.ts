/** All sabotages, and whether they still apply. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OF_ADMISSION } from './admission.ts';
import { OF_ASSISTANT } from './assistant.ts';
import { OF_DATABASE } from './database.ts';
import { OF_IDENTITY } from './identity.ts';
import { OF_LIMITS } from './limits.ts';
import { SABOTAGES, type Sabotage } from './list.ts';
import { OF_MESSENGERS } from './messengers.ts';
import { OF_OWNERS } from './owners.ts';
import { ROOT } from './run.ts';
import { OF_SECURITY } from './security.ts';

export const ALL: readonly Sabotage[] = [
  ...SABOTAGES,
  ...OF_MESSENGERS,
  ...OF_ASSISTANT,
  ...OF_SECURITY,
  ...OF_DATABASE,
  ...OF_IDENTITY,
  ...OF_LIMITS,
  ...OF_OWNERS,
  ...OF_ADMISSION,
];

/** What is wrong with an entry itself; null: its line stands there once. */
export function misplaced({ file, from }: Sabotage): string | null {
  const times = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  return times === 1 ? null : `does not apply: the line stands ${times} times`;
}
