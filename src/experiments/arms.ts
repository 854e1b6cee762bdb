/** Which arm of an experiment a lead is in. Browser-safe. */

export interface Shares {
  /** Part of the leads that take part in the experiment, 0 to 1. */
  part: number;
  /** Weights of the arms, the control first; only their proportions count. */
  arms: readonly number[];
}

/**
 * Return the arm of a lead, 0 for the control, or null if the lead does not take part.
 *
 * The arm is a function of the two ids, so a lead has the same arm on every server and at every attempt; arms of the same
 * lead in two experiments are independent. Whether a lead takes part is drawn apart from its arm: raising the part adds
 * leads and moves none.
 *
 * @throws RangeError when the part is not from 0 to 1, a weight is negative, or all weights are 0
 */
export function armOf(leadId: number, experimentId: number, shares: Shares): number | null {
  const total = shares.arms.reduce((sum, weight) => sum + weight, 0);
  if (!(shares.part >= 0 && shares.part <= 1)) throw new RangeError(`No part from 0 to 1: ${shares.part}`);
  if (!(total > 0 && Number.isFinite(total)) || shares.arms.some((weight) => weight < 0))
    throw new RangeError(`No weights of arms: ${shares.arms.join(', ')}`);
  if (uniform(`${experimentId}/${leadId}/part`) >= shares.part) return null;
  let rest = uniform(`${experimentId}/${leadId}/arm`) * total;
  for (const [arm, weight] of shares.arms.entries()) {
    if (rest < weight) return arm;
    rest -= weight;
  }
  // Rounding can leave a rest of 1e-17 behind the last arm that has a weight.
  return shares.arms.findLastIndex((weight) => weight > 0);
}

/** Return a number from 0 up to, but not including, 1, that looks random and is always the same for the same text. */
export function uniform(text: string): number {
  return murmurHash3(text) / 2 ** 32;
}

/**
 * Return MurmurHash3_x86_32 of an ASCII text with the seed 0, an integer from 0 to 2³² − 1.
 *
 * Austin Appleby's public-domain hash (https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp): each bit of
 * the input changes each bit of the output with probability ½, which FNV-1a lacks for ids that differ in the last digit.
 */
export function murmurHash3(text: string): number {
  let hash = 0;
  let at = 0;
  for (; at + 4 <= text.length; at += 4) {
    hash ^= scramble(littleEndian(text, at));
    hash = (Math.imul(rotateLeft(hash, 13), 5) + 0xe6546b64) | 0;
  }
  hash ^= scramble(littleEndian(text, at));
  hash ^= text.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Return four characters as an integer. Behind the end they count as 0: `charCodeAt` is NaN there, and NaN << 8 is 0. */
function littleEndian(text: string, at: number): number {
  return (
    text.charCodeAt(at) |
    (text.charCodeAt(at + 1) << 8) |
    (text.charCodeAt(at + 2) << 16) |
    (text.charCodeAt(at + 3) << 24)
  );
}

/** Zero stays zero, so an empty tail changes nothing. */
function scramble(block: number): number {
  return Math.imul(rotateLeft(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
