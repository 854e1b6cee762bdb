/** All mutations, and whether they still apply. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS_MUTATIONS } from './access.ts';
import { ALERT_MUTATIONS } from './alerts.ts';
import { CLAIM_MUTATIONS } from './claims.ts';
import { DATA_MUTATIONS } from './data.ts';
import { HAND_OVER_MUTATIONS } from './handOvers.ts';
import { INBOX_PAGE_MUTATIONS } from './inboxPage.ts';
import { LIMITS_MUTATIONS } from './limits.ts';
import { MESSAGING_MUTATIONS } from './messaging.ts';
import { listMutations, type Mutation } from './mutation.ts';
import { OUTCOME_MUTATIONS } from './outcomes.ts';
import { OUTREACH_MUTATIONS } from './outreach.ts';
import { ROOT } from './run.ts';
import { SIMULATION_MUTATIONS } from './simulation.ts';
import { STUDIO_MUTATIONS } from './studio.ts';
import { WEBHOOK_MUTATIONS } from './webhooks.ts';

export const ALL_MUTATIONS: readonly Mutation[] = [
  MESSAGING_MUTATIONS,
  CLAIM_MUTATIONS,
  OUTREACH_MUTATIONS,
  ACCESS_MUTATIONS,
  DATA_MUTATIONS,
  LIMITS_MUTATIONS,
  HAND_OVER_MUTATIONS,
  ALERT_MUTATIONS,
  INBOX_PAGE_MUTATIONS,
  SIMULATION_MUTATIONS,
  STUDIO_MUTATIONS,
  WEBHOOK_MUTATIONS,
  OUTCOME_MUTATIONS,
].flatMap(listMutations);

/** Return what is wrong with an entry itself, or null if its line occurs exactly once. */
export function findMisplacement({ file, from }: Mutation): string | null {
  const times = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  return times === 1 ? null : `does not apply: the code occurs ${times} times`;
}
