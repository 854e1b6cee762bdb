/** Corrupts what vendors send: replaces or removes one value at any depth. */
import fc from 'fast-check';

const REMOVED = 20;

/** Where to corrupt: the index of the entry at each depth; the last step may remove it. */
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

/** Generate copies of a value, corrupted at one place by any value. */
export const corruptionsOf = (whole: unknown): fc.Arbitrary<unknown> =>
  fc.tuple(paths, fc.anything()).map(([path, replacement]) => corrupt(whole, path, replacement));
