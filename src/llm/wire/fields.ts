/** Fields of vendors' events, read leniently: one odd field never costs an answer that is billed. */
import { z } from 'zod';

/** A text that may be missing, or be something else. */
export const optionalText = z.string().nullish().catch(null);
/** What the model has written, which may be a number. What is neither is refused: an answer has no gaps. */
export const written = z.union([z.string(), z.number().transform(String)]).nullish();

const isList = (value: object): boolean => Array.isArray(value) || Object.keys(value).every((key) => /^\d+$/.test(key));

/** A list, whose only item may come alone; a list may be an object with numbers for its keys, and have gaps. */
export const listOf = <Shape extends z.ZodType>(item: Shape) =>
  z.preprocess((value) => {
    if (typeof value !== 'object' || value === null) return value;
    return (isList(value) ? Object.values(value) : [value]).filter((one: unknown) => one !== null);
  }, z.array(item).nullish());

/** Spell a name as `prompt_tokens` and `promptTokens` have it in common. */
export const plainName = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();

function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

/** What a vendor reports to have used: a function that returns the first number with one of these names, null if none. */
export const usageReport = z
  .record(z.string(), z.unknown())
  .transform((fields) => {
    const numbers = new Map(Object.entries(fields).map(([name, value]) => [plainName(name), toNumber(value)]));
    return (...names: readonly string[]): number | null => {
      for (const name of names) {
        const number = numbers.get(plainName(name));
        if (number != null) return number;
      }
      return null;
    };
  })
  .nullish()
  .catch(null);

/**
 * Return the tokens of request and answer; null if nothing of a report could be read. Some count thoughts in the total
 * alone (xAI, Gemini).
 */
export function usedTokens(report: {
  readonly input: number | null;
  readonly output: number | null;
  readonly total: number | null;
}): { readonly input: number; readonly output: number } | null {
  const { input, output, total } = report;
  if (input === null && output === null && total === null) return null;
  return { input: input ?? 0, output: Math.max(output ?? 0, (total ?? 0) - (input ?? 0)) };
}
