/**
 * Limits on guesses of an authenticator's codes. A caller who guesses knows the password already, so the limit holds
 * for the operator, wherever the guesses come from, and grows until a code is right. Recovery codes (80 bits) and
 * passkeys cannot be guessed: they stay usable meanwhile, limited for each network as passwords are.
 */
import type { Tx } from '../platform/db.ts';
import { insertGuess, setWait } from './store/secondFactorGuesses.ts';

/** Wrong codes in a row without a wait: typing errors, a clock that is wrong. */
const FREE_GUESSES = 5;
const FIRST_WAIT_SECONDS = 300;
const LONGEST_WAIT_SECONDS = 24 * 3600;

/**
 * Return the seconds that the next code has to wait after so many wrong ones in a row: 5 minutes after the fifth, twice
 * as long after each further one, at most a day.
 */
export function waitAfter(wrongInARow: number): number {
  const further = wrongInARow - FREE_GUESSES;
  return further < 0 ? 0 : Math.min(FIRST_WAIT_SECONDS * 2 ** further, LONGEST_WAIT_SECONDS);
}

/** Count a wrong code. Returns whether further codes have to wait now, which they did not before. */
export async function countWrongCode(tx: Tx, operatorId: number, network: string): Promise<boolean> {
  const inARow = await insertGuess(tx, operatorId, network);
  const seconds = waitAfter(inARow);
  if (seconds > 0) await setWait(tx, operatorId, seconds);
  return inARow === FREE_GUESSES;
}

const LONG_SECONDS = 2 * 3600;

/** Write a wait as people say it, rounded up: `5 min`, `22 h`. */
export const waitInWords = (seconds: number): string =>
  seconds > LONG_SECONDS ? `${Math.ceil(seconds / 3600)} h` : `${Math.ceil(seconds / 60)} min`;
