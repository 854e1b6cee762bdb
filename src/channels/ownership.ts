/** Access to a channel and its vendor account: their owner, and the companies that an admin shared them with. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { channelRefusals } from './contract.ts';
import type { changeOwnership, Ownership } from './ownershipContract.ts';
import {
  companiesUsing,
  companyOfProduct,
  findChannelOutside,
  inferAccountOwner,
  linksByCompany,
  lockOwnedAccount,
  lockOwnedChannel,
  type Owned,
  onlyCompany,
  selectOwnership,
  setAccountCompanies,
  setAccountOwner,
  setChannelCompanies,
  setChannelOwner,
} from './store/ownership.ts';

/**
 * Lock a channel until the transaction ends and return the company of a product that may be linked to it. Refuses a
 * product whose company may not use the channel. If an admin links a channel that has no owner and that no other
 * company uses, the product's company becomes its owner.
 */
export async function requireLinkable(
  tx: Tx,
  { channelId, productId, caller }: { channelId: number; productId: number; caller: Caller },
): Promise<number> {
  const channel = await lockOwnedChannel(tx, channelId);
  const company = await companyOfProduct(tx, productId);
  if (!channel || company === undefined || !canAccess(caller, channel))
    throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  if (channel.companies.includes(company)) return company;
  if (channel.company_id !== null || !caller.admin) throw refuse(channelRefusals, 'channel.not_shared');
  const others = [...channel.companies, ...(await companiesUsing(tx, channelId))];
  if (others.some((one) => one !== company)) throw refuse(channelRefusals, 'channel.no_owner');
  await assignOwner(tx, channel, company);
  return company;
}

/** Choose the owner of a new channel: the company named, else the account's owner, else the only company. */
export async function chooseOwner(tx: Tx, accountId: number, companyId: number | null): Promise<number | null> {
  const account = await lockOwnedAccount(tx, accountId);
  const company = companyId ?? account?.company_id ?? (await onlyCompany(tx));
  if (company !== null) await allowOnAccount(tx, accountId, company);
  return company;
}

/**
 * Let a company have channels of an account that has no owner yet; the first such company becomes its owner. Throws
 * `account.not_shared` if the account belongs to others.
 */
export async function allowOnAccount(tx: Tx, accountId: number, companyId: number): Promise<void> {
  const account = await lockOwnedAccount(tx, accountId);
  if (!account || account.companies.includes(companyId)) return;
  if (account.company_id !== null) throw refuse(channelRefusals, 'account.not_shared');
  if (account.companies.length === 0) await setAccountOwner(tx, accountId, companyId);
  else await setAccountCompanies(tx, accountId, [...account.companies, companyId]);
}

/**
 * Change owner and shares of a channel and its account, and record it in the audit log. Omitted fields stay unchanged.
 */
export async function updateOwnership(
  context: AppContext,
  { channelId, change }: { channelId: number; change: BodyOf<typeof changeOwnership> },
  { caller, requestId }: WriteContext,
): Promise<Ownership> {
  return context.transact(async (tx) => {
    const channel = await lockOwnedChannel(tx, channelId);
    if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
    const before = await readOwnershipOrRefuse(tx, channelId);
    const account = await lockOwnedAccount(tx, channel.account_id);
    if (!account) throw new Error(`No vendor account ${channel.account_id}`);
    const { account_company_id: accountOwner } = change;
    const allowed = allowedCompanies(account, accountOwner, change.account_shared_company_ids);
    // Remove access to the account last: the channel may move to another company in the same change.
    await setAccountCompanies(tx, account.id, [...account.companies, ...allowed]);
    if (accountOwner !== undefined) await setAccountOwner(tx, account.id, accountOwner);
    await changeChannel(tx, channel, change);
    if (accountOwner !== undefined || change.account_shared_company_ids !== undefined)
      await restrictAccount(tx, account.id, allowed);
    await inferAccountOwner(tx, account.id);
    const after = await readOwnershipOrRefuse(tx, channelId);
    const entry = { noun: 'channel', rowId: channelId, companyId: after.company_id, before, after, requestId };
    await recordAuditEntry(tx, { caller, action: 'owner changed', ...entry });
    return after;
  });
}

/** Read who owns and shares a channel. Throws `not_found`. */
export async function readOwnershipOrRefuse(
  tx: Parameters<typeof selectOwnership>[0],
  channelId: number,
): Promise<Ownership> {
  const ownership = await selectOwnership(tx, channelId);
  if (!ownership) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  return ownership;
}

const canAccess = ({ companies }: Caller, owned: Owned): boolean =>
  companies === null || owned.companies.some((one) => companies.includes(one));

async function assignOwner(tx: Tx, channel: { id: number; account_id: number }, companyId: number): Promise<void> {
  await allowOnAccount(tx, channel.account_id, companyId);
  await setChannelOwner(tx, channel.id, companyId);
  await inferAccountOwner(tx, channel.account_id);
}

async function restrictAccount(tx: Tx, accountId: number, companies: readonly number[]): Promise<void> {
  const outside = await findChannelOutside(tx, accountId, companies);
  if (outside) throw refuse(channelRefusals, 'account.channel_outside', { name: outside.name });
  await setAccountCompanies(tx, accountId, companies);
}

async function changeChannel(
  tx: Tx,
  channel: Owned & { account_id: number },
  { company_id: owner, shared_company_ids: shared }: BodyOf<typeof changeOwnership>,
): Promise<void> {
  if (owner === undefined && shared === undefined) return;
  const companies = allowedCompanies(channel, owner, shared);
  for (const [company, count] of await linksByCompany(tx, channel.id))
    if (!companies.includes(company)) throw refuse(channelRefusals, 'channel.still_shared', { count });
  if (owner !== undefined) await assignOwner(tx, channel, owner);
  await setChannelCompanies(tx, channel.id, companies);
}

/**
 * Return the owner and the companies it is shared with, after a change. A previous owner keeps access only if it is
 * named.
 */
function allowedCompanies(before: Owned, owner: number | undefined, shared: readonly number[] | undefined): number[] {
  const company = owner ?? before.company_id;
  const others = shared ?? before.companies.filter((one) => one !== before.company_id);
  return [...new Set([...(company === null ? [] : [company]), ...others])];
}
