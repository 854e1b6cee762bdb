/**
 * Withholds messages whose channel or account the vendor has just refused: they were claimed before the refusal was
 * known, and would be refused as well. They wait with the others of the channel instead.
 */
import type { RefusalAbout } from '../channels/driver.ts';
import type { AppContext } from '../platform/appContext.ts';

interface Refusal {
  readonly reason: string;
  /** What was claimed before this instant did not know of it; `performance.now()`. */
  until: number;
}

interface Sender {
  readonly channelId: number;
  readonly accountId: number;
}

/** The last refusal of each channel and account, as far as this process has seen any. */
const refusals = new WeakMap<AppContext, Map<string, Refusal>>();

const channelKey = ({ channelId }: Sender): string => `channel ${channelId}`;
const accountKey = ({ accountId }: Sender): string => `account ${accountId}`;

/**
 * Note that the vendor has refused a message. If that concerns its channel or account, others of it are withheld that
 * were claimed before the returned function is called: then the refusal is stored, and claims know of it.
 */
export function noteRefusal(
  context: AppContext,
  { about, reason, ...sender }: Sender & { readonly about: RefusalAbout; readonly reason: string },
): () => void {
  if (about !== 'channel' && about !== 'account') return () => undefined;
  const ofContext = refusals.get(context) ?? new Map<string, Refusal>();
  refusals.set(context, ofContext);
  const refusal = { reason, until: Number.POSITIVE_INFINITY };
  ofContext.set(about === 'channel' ? channelKey(sender) : accountKey(sender), refusal);
  return () => {
    refusal.until = performance.now();
  };
}

/** Return why a message is withheld that was claimed before this instant; null if it may leave. */
export function findRefusal(context: AppContext, sender: Sender, claimedBefore: number): string | null {
  const ofContext = refusals.get(context);
  const refusal = [channelKey(sender), accountKey(sender)]
    .map((key) => ofContext?.get(key))
    .find((one) => one && claimedBefore < one.until);
  return refusal?.reason ?? null;
}
