/**
 * The safety of numbers: a channel whose messages nobody acknowledges stops writing to strangers by itself, and goes on
 * once it is heard of again. 'Connected' says nothing: only what arrives does.
 */
import { resumeFirstsOf, stopFirstsOf } from '../channels/known.ts';
import type { Ground } from '../platform/ground.ts';
import { heardAgain, unacknowledged } from './store/safety.ts';

/** So many in a row without a sign of life. */
const IN_A_ROW = 10;
/** So long without a sign of life, and how many messages that takes: one phone may be switched off. */
const MINUTES = 30;
const FEWEST = 3;
/** A burst is not yet unacknowledged while its first message is younger: phones take a moment. */
const GRACE_SECONDS = 30;
/** Looked at so often, real clock. */
const EVERY_MS = 5000;

/** Stops and resumes first messages of channels as they are acknowledged. */
export async function watchNumbers(ground: Ground): Promise<void> {
  for (const id of await heardAgain(ground.reader)) await ground.transact((tx) => resumeFirstsOf(tx, id));
  for (const { id, count, minutes } of await unacknowledged(ground.reader, {
    fewest: FEWEST,
    inARow: IN_A_ROW,
    minutes: MINUTES,
    graceSeconds: GRACE_SECONDS,
  })) {
    const reason =
      count >= IN_A_ROW
        ? `${count} messages in a row were not acknowledged`
        : `Nothing was acknowledged for ${Math.floor(minutes)} minutes`;
    await ground.transact((tx) => stopFirstsOf(tx, id, reason));
  }
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
