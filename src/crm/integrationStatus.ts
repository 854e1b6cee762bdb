/** The state of an integration, for the console. */
import type { Reader } from '../platform/db.ts';
import type { IntegrationState } from './amocrmContract.ts';
import { readAccountState } from './store/accounts.ts';
import { countPending } from './store/cards.ts';

export async function readIntegrationStatus(reader: Reader, integrationId: number): Promise<IntegrationState> {
  const [accountState, waiting] = await Promise.all([
    readAccountState(reader, integrationId),
    countPending(reader, integrationId),
  ]);
  return {
    integration_id: integrationId,
    ...(accountState ?? {
      state: 'never',
      reason: null,
      since: null,
      account_id: null,
      account_name: null,
      host: null,
      keys_until: null,
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
