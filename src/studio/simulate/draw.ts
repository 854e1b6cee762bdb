/**
 * Chance that does not depend on the order of questions: a talk draws each number by a label, so that a talk that is
 * resumed, and the talk of the other version with the same persona, meet the same circumstances.
 */
import { createHash } from 'node:crypto';

export interface Draw {
  /** A number from 0 up to, but not including, 1: always the same for a label. */
  number(label: string): number;
  chance(label: string, probability: number): boolean;
  /** A whole number; both ends are included. */
  integer(label: string, from: number, to: number): number;
}

export function createDraw(seed: string): Draw {
  const number = (label: string): number =>
    createHash('sha256').update(`${seed}\n${label}`).digest().readUInt32BE(0) / 2 ** 32;
  return {
    number,
    chance: (label, probability) => number(label) < probability,
    integer: (label, from, to) => from + Math.floor(number(label) * (to - from + 1)),
  };
}
