/** All mutations, and whether they still apply. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS_MUTATIONS } from './access.ts';
import { ADDRESS_MUTATIONS } from './addresses.ts';
import { ALERT_MUTATIONS } from './alerts.ts';
import { AMOCRM_MUTATIONS } from './amocrm.ts';
import { API_MUTATIONS } from './api.ts';
import { CLAIM_MUTATIONS } from './claims.ts';
import { CONSOLE_MUTATIONS } from './console.ts';
import { CSV_MUTATIONS } from './csv.ts';
import { DATA_MUTATIONS } from './data.ts';
import { HAND_OVER_MUTATIONS } from './handOvers.ts';
import { IDENTITY_MUTATIONS } from './identity.ts';
import { INBOX_PAGE_MUTATIONS } from './inboxPage.ts';
import { LEAD_TEXT_MUTATIONS } from './leadText.ts';
import { LIMITS_MUTATIONS } from './limits.ts';
import { MESSAGE_MUTATIONS } from './messages.ts';
import { MESSAGING_MUTATIONS } from './messaging.ts';
import { MONEY_MUTATIONS } from './money.ts';
import { listMutations, type Mutation } from './mutation.ts';
import { OPT_OUT_MUTATIONS } from './optOuts.ts';
import { OPT_OUT_WORD_MUTATIONS } from './optOutWords.ts';
import { OUTCOME_MUTATIONS } from './outcomes.ts';
import { OUTREACH_MUTATIONS } from './outreach.ts';
import { ROOT } from './run.ts';
import { SECURITY_MUTATIONS } from './security.ts';
import { SERVER_MUTATIONS } from './servers.ts';
import { SIMULATION_MUTATIONS } from './simulation.ts';
import { STUDIO_MUTATIONS } from './studio.ts';
import { SUBMISSION_MUTATIONS } from './submissions.ts';
import { TEMPLATE_MUTATIONS } from './templates.ts';
import { WEBHOOK_MUTATIONS } from './webhooks.ts';

export const ALL_MUTATIONS: readonly Mutation[] = [
  MESSAGING_MUTATIONS,
  MESSAGE_MUTATIONS,
  MONEY_MUTATIONS,
  CLAIM_MUTATIONS,
  OUTREACH_MUTATIONS,
  ADDRESS_MUTATIONS,
  ACCESS_MUTATIONS,
  CONSOLE_MUTATIONS,
  CSV_MUTATIONS,
  DATA_MUTATIONS,
  LIMITS_MUTATIONS,
  LEAD_TEXT_MUTATIONS,
  HAND_OVER_MUTATIONS,
  ALERT_MUTATIONS,
  IDENTITY_MUTATIONS,
  INBOX_PAGE_MUTATIONS,
  SECURITY_MUTATIONS,
  SERVER_MUTATIONS,
  SIMULATION_MUTATIONS,
  STUDIO_MUTATIONS,
  SUBMISSION_MUTATIONS,
  WEBHOOK_MUTATIONS,
  OUTCOME_MUTATIONS,
  TEMPLATE_MUTATIONS,
  OPT_OUT_MUTATIONS,
  OPT_OUT_WORD_MUTATIONS,
  AMOCRM_MUTATIONS,
  API_MUTATIONS,
].flatMap(listMutations);

/** Return what is wrong with an entry itself, or null if its line occurs exactly once. */
export function findMisplacement({ file, from }: Mutation): string | null {
  const times = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  return times === 1 ? null : `does not apply: the code occurs ${times} times`;
}
