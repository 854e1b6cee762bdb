/** Ways to skew a node's clock: our own preload, or the system's libfaketime. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

export type ClockSkewMethod = 'preload' | 'faketime';

const PRELOAD = `--import ${join(import.meta.dirname, 'clockSkewPreload.ts')}`;

/** Return the library to preload. Throws a readable error if libfaketime is requested but not installed. */
export function libraryOf(skewMethod: ClockSkewMethod): string | null {
  if (skewMethod === 'preload') return null;
  const [found] = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1');
  if (found === undefined) throw new Error('libfaketime is not installed; on Debian: apt-get install faketime.');
  return found;
}

/** Return the environment of a process whose clock is wrong by this many minutes. */
export function clockSkewEnv(minutes: number, skewMethod: ClockSkewMethod): Record<string, string> {
  if (minutes === 0) return {};
  const library = libraryOf(skewMethod);
  if (library === null) return { NODE_OPTIONS: PRELOAD, RAPPORT_SKEW_MINUTES: String(minutes) };
  return {
    LD_PRELOAD: library,
    FAKETIME: `${minutes < 0 ? '-' : '+'}${Math.abs(minutes) * 60}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    // The preload only removes the library from the environment of child processes.
    NODE_OPTIONS: PRELOAD,
  };
}
