/**
 * Channel safety: a channel whose messages are not acknowledged stops sending first messages, and resumes once
 * something arrives. The status 'connected' proves nothing; only a delivery does.
 */
import { resumeChannelFirstMessages, stopChannelFirstMessages } from '../channels/store.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import {
  findRecoveredChannels,
  findUnacknowledgedChannels,
  type UnacknowledgedChannel,
} from './store/channelSafety.ts';

const LIMITS = {
  /** Messages in a row without any acknowledgement. */
  inARow: 10,
  /** Minutes without any acknowledgement, and the number of messages that takes: a single phone may be switched off. */
  minutes: 30,
  fewest: 3,
  /** Seconds that the oldest message of a burst must be old before the burst counts: phones take a moment. */
  graceSeconds: 30,
};
/** Milliseconds between checks. Real clock. */
const CHECK_INTERVAL_MS = 10_000;

/** Stop and resume first messages of channels according to their acknowledgements. */
export async function checkChannels(context: AppContext): Promise<void> {
  for (const id of await findRecoveredChannels(context.reader))
    await context.transact((tx) => resumeChannelFirstMessages(tx, id, { isManual: false }));
  for (const one of await findUnacknowledgedChannels(context.reader, LIMITS, null))
    await context.transact((tx) => stopFirstMessages(tx, one));
}

/**
 * Check channels before first messages are claimed, with the queue locked. The sweep only runs every few seconds, and
 * more messages would leave until then. Returns the channels that have stopped now, and why.
 */
export async function stopUnacknowledged(tx: Tx, channelIds: readonly number[]): Promise<Map<number, string>> {
  const stopped = new Map<number, string>();
  for (const silent of await findUnacknowledgedChannels(tx, LIMITS, channelIds))
    stopped.set(silent.id, await stopFirstMessages(tx, silent));
  return stopped;
}

async function stopFirstMessages(tx: Tx, { id, count, minutes }: UnacknowledgedChannel): Promise<string> {
  const reason =
    count >= LIMITS.inARow
      ? `${count} messages in a row were not acknowledged`
      : `Nothing was acknowledged for ${Math.floor(minutes)} minutes`;
  await stopChannelFirstMessages(tx, id, reason);
  return reason;
}

/** The channel check as a sweep. */
export const channelSafetySweep: Sweep = {
  name: 'numbers',
  // What it looks for is a sum over messages: too much for the poll.
  dueIn: null,
  async run(context) {
    await checkChannels(context);
    return Math.min(CHECK_INTERVAL_MS, context.config.sweepIntervalSeconds * 10_000);
  },
};
