/** Bending what vendors send: a value somewhere in it is put in the place of another, or taken out. */
import fc from 'fast-check';

const REMOVED = 20;

/** Where to bend: which entry at each depth; the last may take it out. */
const paths = fc.array(fc.nat(REMOVED), { minLength: 1, maxLength: 5 });

function corrupt(value: unknown, path: readonly number[], replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null || path.length === 0) return replacement;
  const entries = Object.entries(value);
  const [step = 0, ...rest] = path;
  const chosen = entries[step % Math.max(entries.length, 1)];
  if (!chosen) return replacement;
  return Object.fromEntries(
    entries.flatMap(([key, one]) => {
      if (key !== chosen[0]) return [[key, one]];
      return rest[0] === REMOVED ? [] : [[key, corrupt(one, rest, replacement)]];
    }),
  );
}

/** A value bent at one place by anything at all. */
export const corruptionsOf = (whole: unknown): fc.Arbitrary<unknown> =>
  fc.tuple(paths, fc.anything()).map(([path, replacement]) => corrupt(whole, path, replacement));
