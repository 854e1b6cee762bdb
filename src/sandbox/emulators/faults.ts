/** The fault switches: checked on every occasion and counted down in the journal, so that a restart loses nothing. */
import type { Fault, FaultKind } from './contract.ts';
import type { Journal } from './journal.ts';
import type { State } from './state.ts';

/** Properties of an occasion, compared with a fault's `match`. */
export interface FaultOccasion {
  account?: string | undefined;
  channelId?: string | undefined;
  to?: string | undefined;
  text?: string | undefined;
  model?: string | undefined;
  route?: string | undefined;
}

export type Faults = ReturnType<typeof createFaults>;

export function createFaults(state: State, journal: Journal) {
  let sequence = state.settings.seed;
  let seed = sequence;

  /**
   * Return the next number in [0, 1) of the seeded sequence. Mulberry32: small, and good enough for choosing when
   * something fails.
   */
  function random(): number {
    if (seed !== state.settings.seed) {
      seed = state.settings.seed;
      sequence = seed;
    }
    sequence = (sequence + 0x6d2b79f5) | 0;
    let mixed = Math.imul(sequence ^ (sequence >>> 15), 1 | sequence);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  return {
    random,
    /** Return the first armed fault of this kind that matches, and count it; undefined if there is none. */
    take: (kind: FaultKind, occasion: FaultOccasion, suits?: (fault: Fault) => boolean): Fault | undefined => {
      for (const [index, { fault, remaining }] of state.faults.entries()) {
        if (fault.kind !== kind || remaining <= 0 || !isMatching(fault, occasion)) continue;
        if (suits !== undefined && !suits(fault)) continue;
        if (fault.probability !== undefined && random() >= fault.probability) continue;
        journal.append({ kind: 'fault_fired', index, fault: kind });
        return fault;
      }
      return undefined;
    },
  };
}

function isMatching({ match: { text, ...exact } = {} }: Fault, occasion: FaultOccasion): boolean {
  if (text !== undefined && !(occasion.text ?? '').includes(text)) return false;
  const values: Record<string, unknown> = { ...occasion };
  return Object.entries(exact).every(([name, value]) => value === undefined || value === values[name]);
}
