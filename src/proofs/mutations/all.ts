/** All mutations, and whether they still apply. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMISSION_MUTATIONS } from './admission.ts';
import { ASSISTANT_MUTATIONS } from './assistant.ts';
import { CORE_MUTATIONS } from './core.ts';
import { DATABASE_MUTATIONS } from './database.ts';
import { IDENTITY_MUTATIONS } from './identity.ts';
import { LIMITS_MUTATIONS } from './limits.ts';
import { MESSENGERS_MUTATIONS } from './messengers.ts';
import { listMutations, type Mutation } from './mutation.ts';
import { OWNERS_MUTATIONS } from './owners.ts';
import { ROOT } from './run.ts';
import { SECURITY_MUTATIONS } from './security.ts';

export const ALL_MUTATIONS: readonly Mutation[] = [
  CORE_MUTATIONS,
  MESSENGERS_MUTATIONS,
  ASSISTANT_MUTATIONS,
  SECURITY_MUTATIONS,
  DATABASE_MUTATIONS,
  IDENTITY_MUTATIONS,
  LIMITS_MUTATIONS,
  OWNERS_MUTATIONS,
  ADMISSION_MUTATIONS,
].flatMap(listMutations);

/** Return what is wrong with an entry itself, or null if its line occurs exactly once. */
export function findMisplacement({ file, from }: Mutation): string | null {
  const times = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  return times === 1 ? null : `does not apply: the code occurs ${times} times`;
}
