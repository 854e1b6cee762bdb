/** Renews the secret in an account's hook address, which is also the bearer token of `/v1/chatbot/webhook`. */
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Caller } from '../platform/http/caller.ts';
import { ids } from '../platform/ids.ts';
import { Refusal, refuse } from '../platform/refuse.ts';
import { readApiKey, sealHookSecret } from './account.ts';
import { channelRefusals } from './contract.ts';
import { vendorCall } from './drivers.ts';
import { findChannelOrRefuse, readRegistration, registerPresentAddress } from './registerHook.ts';
import { findOwnerOfAccount, replaceHookSecret } from './store/hookSecrets.ts';

/** What became of a renewal. */
export interface Renewal {
  /** Why the vendor does not have the new address yet; null: it has. */
  readonly reason: string | null;
  /** Until when the former secret is accepted; null: until the vendor has the new address. */
  readonly formerUntil: string | null;
}

/**
 * Give the account of a channel another secret, `secret` or one that nobody sees, and register its address with the
 * vendor. The former one is accepted until the vendor has the new address, and some minutes longer. Nothing changes if
 * the vendor does not answer at all, or sends to another program (without `replace`).
 */
export async function renewHookSecret(
  context: AppContext,
  { channelId, secret, replace }: { channelId: number; secret: string | null; replace: boolean },
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
): Promise<Renewal> {
  const channel = await findChannelOrRefuse(context, channelId);
  const { account_id: accountId } = channel;
  const owner = await findOwnerOfAccount(context.reader, accountId);
  if (!caller.admin && (owner === null || !caller.companies?.includes(owner)))
    throw refuse(channelRefusals, 'account.not_owned');
  const vendor = vendorCall(context, channel.vendor, await readApiKey(context, accountId));
  await readRegistration(context, { channel, vendor, replace });
  await context.transact(async (tx) => {
    const sealed = sealHookSecret(context, accountId, secret ?? ids.secret());
    if (!(await replaceHookSecret(tx, { accountId, ...sealed }))) throw refuse(channelRefusals, 'channel.secret_used');
    await recordAuditEntry(tx, {
      caller,
      action: 'webhook secret renewed',
      noun: 'channel',
      rowId: channelId,
      companyId: owner,
      requestId,
    });
  });
  try {
    return { reason: null, ...(await registerPresentAddress(context, channel, vendor)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { reason: error.message, formerUntil: null };
  }
}
