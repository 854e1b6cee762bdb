/** What a login may look like. Pure and browser-safe. */

/** Scripts in which a name may be written; Japanese and Korean names use several at once. */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Telugu',
  'Thai',
  'Ethiopic',
  'Khmer',
].map((script) => [script]);
const SCRIPT_SETS = [['Han', 'Hiragana', 'Katakana'], ['Han', 'Hangul'], ['Han', 'Bopomofo'], ...SCRIPTS];
const SINGLE_SCRIPT_PATTERNS = SCRIPT_SETS.map(
  (scripts) =>
    new RegExp(`^[\\p{sc=Common}\\p{sc=Inherited}${scripts.map((script) => `\\p{scx=${script}}`).join('')}]*$`, 'u'),
);
/** Control and format characters, line breaks, fillers: whatever takes no ink. The plain space does, between words. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/**
 * Why nobody new may be called so; null: he may. A login must not pass for another one in a list or in the audit log.
 * The database refuses one that looks like an existing login (`login_skeleton`).
 */
export function loginFault(login: string): string | null {
  if (INVISIBLE.test(login)) return 'Use only characters that can be seen';
  if (login !== login.normalize('NFKC')) return 'Use ordinary letters and digits';
  if (!SINGLE_SCRIPT_PATTERNS.some((pattern) => pattern.test(login))) return 'Use letters of one alphabet';
  return null;
}
