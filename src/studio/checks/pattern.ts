/** Operators' patterns, in RE2 syntax: they are matched in time linear to the text, which the built-in engine does not promise. */
import { RE2JS, RE2JSException } from 're2js';

/**
 * Most of what repetitions with a number may expand to, and most instructions of a pattern. [`a{0,999}` sixty times takes
 * 3.4 s to compile; 4,000 instructions take 0.1 s, and 0.2 s for a text of 10,000 characters.]
 */
const MAX_EXPANSION = 20_000;
const MAX_INSTRUCTIONS = 4000;

const compiled = new Map<string, RE2JS>();
const MAX_COMPILED = 500;

/** Return why a pattern cannot be used; null if it can. */
export function patternProblem(pattern: string): string | null {
  const repetitions = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least));
  if (repetitions.reduce((sum, count) => sum + count, 0) * pattern.length > MAX_EXPANSION) return 'it repeats too much';
  try {
    return compile(pattern).programSize() > MAX_INSTRUCTIONS ? 'it is too long' : null;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message.replace(/^error parsing regexp: /, '');
  }
}

/** Whether a pattern matches somewhere in a text. Letter case does not count. Throws for a pattern that cannot be used. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compile(pattern).matcher(text).find();
}

function compile(pattern: string): RE2JS {
  const existing = compiled.get(pattern);
  if (existing) return existing;
  const created = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(pattern, created);
  return created;
}
