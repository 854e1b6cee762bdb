/**
 * The safety of numbers: a channel whose messages nobody acknowledges stops writing to strangers by itself, and goes on
 * once it is heard of again. 'Connected' says nothing: only what arrives does.
 */
import { resumeFirstsOf, stopFirstsOf } from '../channels/known.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { heardAgain, type Silent, unacknowledged } from './store/safety.ts';

const MOST = {
  /** So many in a row without a sign of life. */
  inARow: 10,
  /** So long without a sign of life, and how many messages that takes: one phone may be switched off. */
  minutes: 30,
  fewest: 3,
  /** A burst is not yet unacknowledged while its first message is younger: phones take a moment. */
  graceSeconds: 30,
};
/** Looked at so often, real clock. */
const EVERY_MS = 5000;

/** Stops and resumes first messages of channels as they are acknowledged. */
export async function watchNumbers(ground: Ground): Promise<void> {
  for (const id of await heardAgain(ground.reader)) await ground.transact((tx) => resumeFirstsOf(tx, id));
  for (const one of await unacknowledged(ground.reader, MOST, null)) await ground.transact((tx) => stop(tx, one));
}

/**
 * Asked before a stranger is written to, with the line held: the watch comes by every few seconds, and by then one more
 * would have left. Gives why the channel has stopped now; null: it has not.
 */
export async function stopIfSilent(tx: Tx, channelId: number): Promise<string | null> {
  const [silent] = await unacknowledged(tx, MOST, channelId);
  return silent ? stop(tx, silent) : null;
}

async function stop(tx: Tx, { id, count, minutes }: Silent): Promise<string> {
  const reason =
    count >= MOST.inARow
      ? `${count} messages in a row were not acknowledged`
      : `Nothing was acknowledged for ${Math.floor(minutes)} minutes`;
  await stopFirstsOf(tx, id, reason);
  return reason;
}

/** The watch as a sweep. */
export function numbersSweep(): { name: string; run(ground: Ground): Promise<void> } {
  let last = Number.NEGATIVE_INFINITY;
  return {
    name: 'numbers',
    async run(ground) {
      const now = performance.now();
      if (now - last < Math.min(EVERY_MS, ground.config.sweepSeconds * 5000)) return;
      last = now;
      await watchNumbers(ground);
    },
  };
}
