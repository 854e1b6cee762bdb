/**
 * The safety of numbers: a channel whose messages nobody acknowledges stops writing to strangers by itself, and goes on
 * once it is heard of again. 'Connected' says nothing: only what arrives does.
 */
import { resumeFirstMessagesOf, stopFirstMessagesOf } from '../channels/publicApi.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import {
  findRecoveredChannels,
  findUnacknowledgedChannels,
  type UnacknowledgedChannel,
} from './store/channelSafety.ts';

const LIMITS = {
  /** So many in a row without a sign of life. */
  inARow: 10,
  /** So long without a sign of life, and how many messages that takes: one phone may be switched off. */
  minutes: 30,
  fewest: 3,
  /** A burst is not yet unacknowledged while its first message is younger: phones take a moment. */
  graceSeconds: 30,
};
/** Looked at so often, real clock. */
const CHECK_INTERVAL_MS = 5000;

/** Stops and resumes first messages of channels as they are acknowledged. */
export async function checkChannels(context: AppContext): Promise<void> {
  for (const id of await findRecoveredChannels(context.reader))
    await context.transact((tx) => resumeFirstMessagesOf(tx, id));
  for (const one of await findUnacknowledgedChannels(context.reader, LIMITS, null))
    await context.transact((tx) => stopFirstMessages(tx, one));
}

/**
 * Asked before a stranger is written to, with the line held: the watch comes by every few seconds, and by then one more
 * would have left. Gives why the channel has stopped now; null: it has not.
 */
export async function stopIfUnacknowledged(tx: Tx, channelId: number): Promise<string | null> {
  const [silent] = await findUnacknowledgedChannels(tx, LIMITS, channelId);
  return silent ? stopFirstMessages(tx, silent) : null;
}

async function stopFirstMessages(tx: Tx, { id, count, minutes }: UnacknowledgedChannel): Promise<string> {
  const reason =
    count >= LIMITS.inARow
      ? `${count} messages in a row were not acknowledged`
      : `Nothing was acknowledged for ${Math.floor(minutes)} minutes`;
  await stopFirstMessagesOf(tx, id, reason);
  return reason;
}

/** The watch as a sweep. */
export function channelSafetySweep(): { name: string; run(context: AppContext): Promise<void> } {
  let last = Number.NEGATIVE_INFINITY;
  return {
    name: 'numbers',
    async run(context) {
      const now = performance.now();
      if (now - last < Math.min(CHECK_INTERVAL_MS, context.config.sweepIntervalSeconds * 5000)) return;
      last = now;
      await checkChannels(context);
    },
  };
}
