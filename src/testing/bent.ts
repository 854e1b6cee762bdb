/** Bending what vendors send: a value somewhere in it is put in the place of another, or taken out. */
import fc from 'fast-check';

const TAKEN_OUT = 20;

/** Where to bend: which entry at each depth; the last may take it out. */
const places = fc.array(fc.nat(TAKEN_OUT), { minLength: 1, maxLength: 5 });

function bend(value: unknown, path: readonly number[], into: unknown): unknown {
  if (typeof value !== 'object' || value === null || path.length === 0) return into;
  const entries = Object.entries(value);
  const [step = 0, ...rest] = path;
  const chosen = entries[step % Math.max(entries.length, 1)];
  if (!chosen) return into;
  return Object.fromEntries(
    entries.flatMap(([key, one]) => {
      if (key !== chosen[0]) return [[key, one]];
      return rest[0] === TAKEN_OUT ? [] : [[key, bend(one, rest, into)]];
    }),
  );
}

/** A value bent at one place by anything at all. */
export const bentOf = (whole: unknown): fc.Arbitrary<unknown> =>
  fc.tuple(places, fc.anything()).map(([path, into]) => bend(whole, path, into));
