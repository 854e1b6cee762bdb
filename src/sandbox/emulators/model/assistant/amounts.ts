/** Which number of a wish belongs to which parameter. */
import type { Property } from './arguments.ts';
import { terms } from './lexicon.ts';
import { type Amount, amountsIn, inUnit } from './quantities.ts';
import type { Clause } from './wish.ts';

const SPANS: readonly (readonly [RegExp, number])[] = [
  [/(?<!per_)seconds?$/, 1],
  [/(?<!per_)minutes?$/, 60],
  [/(?<!per_)hours?$/, 3_600],
  [/(?<!per_)days?$/, 86_400],
];

/** Seconds of a parameter's unit; null: it counts no time. A daily limit counts none. */
const spanOf = ({ name }: Property): number | null => SPANS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** @param lenient parameters that a bare number may go to without a word for them. */
export function assignAmounts(
  properties: readonly Property[],
  clause: Clause,
  lenient: readonly string[],
): [name: string, value: number][] {
  if (properties.length === 0) return [];
  const amounts = amountsIn(withoutIds(clause.bare));
  const given = new Map<string, number>();
  // «One after 20 minutes»: what has a unit comes first.
  const order = [...amounts.entries()].toSorted(([, a], [, b]) => Number(a.unit === null) - Number(b.unit === null));
  for (const [index, amount] of order) {
    const fits = properties.filter((one) => !given.has(one.name) && fitting(one, amount));
    const scored = fits.map((property) => ({
      property,
      score: affinity(property, properties, clause.bare, amounts, index),
    }));
    const best = Math.max(0, ...scored.map(({ score }) => score));
    const chosen =
      best > 0
        ? scored.filter(({ score }) => score > best - 0.01)
        : scored.filter(({ property }) =>
            lenient.length > 0 ? lenient.includes(property.name) : sole(property, fits, properties),
          );
    for (const { property } of chosen) given.set(property.name, valueFor(property, amount));
  }
  return [...given];
}

/** A lone number goes to the only parameter that can take it. */
function sole(property: Property, fits: readonly Property[], all: readonly Property[]): boolean {
  return fits.length === 1 && (all.length === 1 || spanOf(property) !== null);
}

/** A span fits only where it counts whole units: five minutes are no hours. */
function fitting(property: Property, amount: Amount): boolean {
  const span = spanOf(property);
  if (amount.unit === null) return true;
  return span !== null && (property.schema.type !== 'integer' || Number.isInteger(inUnit(amount, span)));
}

function valueFor(property: Property, amount: Amount): number {
  const value = inUnit(amount, spanOf(property) ?? 1);
  return property.schema.type === 'integer' ? Math.round(value) : value;
}

/** How much the words around a number speak of a parameter, and of no other. */
function affinity(
  property: Property,
  all: readonly Property[],
  text: string,
  amounts: readonly Amount[],
  index: number,
): number {
  const [amount, before, after] = [amounts[index], amounts[index - 1], amounts[index + 1]];
  if (amount === undefined) return 0;
  const ahead = text.slice(before?.end ?? 0, amount.at);
  const behind = text.slice(amount.end, after?.at).split(/[,;]|\s(?:and|и|but)\s/iu)[0] ?? '';
  const near = [
    ...ownTerms(before === undefined ? ahead : (ahead.split(/[,;]|\s(?:and|и|but)\s/iu).at(-1) ?? '')).map(
      (one) => [one, 1] as const,
    ),
    ...ownTerms(behind).map((one) => [one, after === undefined || /^\s*\p{L}/u.test(behind) ? 0.8 : 0.4] as const),
  ];
  let score = 0;
  for (const [term, weight] of near) {
    if (!property.about.includes(term)) continue;
    const having = all.filter((one) => one.about.includes(term)).length;
    const named = terms(property.name).some((one) => one.replace(/^!/, '') === term);
    score += (weight * (named ? 1 : 0.5)) / having;
  }
  const unsaid = terms(property.name).filter((one) => !near.some(([term]) => term === one.replace(/^!/, ''))).length;
  return score === 0 ? 0 : Math.max(0.05, score - unsaid * 0.06);
}

const ownTerms = (text: string): string[] => [...new Set(terms(text).map((one) => one.replace(/^!/, '')))];

/** The text with the numbers that are ids made blank. */
function withoutIds(text: string): string {
  return text.replaceAll(
    /(?:\bid\s*[:=]?\s*|#|№\s*|(?<!\p{L})(?:lead|channel|prompt|message|dialogue|contact|row|лид|канал|промпт)\s+(?:number\s+)?)\d+/giu,
    (found) => ' '.repeat(found.length),
  );
}
