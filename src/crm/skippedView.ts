/** What was left out of an account's sync, for the console: with links to amoCRM. */
import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import { accountUrl, allowedHost } from './amocrm/host.ts';
import type { skippedItems } from './amocrmContract.ts';
import { findAccount } from './store/accounts.ts';
import { countSkipped, readSkipped } from './store/skipped.ts';

const MAX_ITEMS = 100;
/** amoCRM's pages of what has one. */
const PAGES: Readonly<Record<string, string>> = { card: 'leads', address: 'leads', contact: 'contacts' };

export async function readSkippedView(
  context: AppContext,
  integrationId: number,
): Promise<z.output<typeof skippedItems>> {
  const [account, counts, items] = await Promise.all([
    findAccount(context.reader, integrationId),
    countSkipped(context.reader, integrationId),
    readSkipped(context.reader, integrationId, MAX_ITEMS),
  ]);
  const base = account && allowedHost(context, account.host) !== null ? accountUrl(context, account.host) : null;
  const urlOf = (entity: string, id: string): string | null =>
    base === null || id === '' || PAGES[entity] === undefined ? null : `${base}/${PAGES[entity]}/detail/${id}`;
  return { counts, items: items.map((one) => ({ ...one, url: urlOf(one.entity, one.entity_id) })) };
}
