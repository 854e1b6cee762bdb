/** How an integration stands, for the console. */
import type { Reader } from '../platform/db.ts';
import type { IntegrationState } from './amocrmContract.ts';
import { readStanding } from './store/accounts.ts';
import { countWaiting } from './store/cards.ts';

export async function stateOf(reader: Reader, integrationId: number): Promise<IntegrationState> {
  const [standing, waiting] = await Promise.all([
    readStanding(reader, integrationId),
    countWaiting(reader, integrationId),
  ]);
  return {
    integration_id: integrationId,
    ...(standing ?? {
      state: 'never',
      reason: null,
      since: null,
      account_id: null,
      account_name: null,
      host: null,
      hooks: 'unknown',
      hooks_reason: null,
      last_sync_at: null,
      last_sync: {},
      last_error: null,
      last_error_at: null,
    }),
    ...waiting,
  };
}
