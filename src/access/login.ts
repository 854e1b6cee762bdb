/** Rules for logins. Pure and browser-safe. */

/** Scripts that a login may be written in. Japanese and Korean names use several at once. */
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
/**
 * Invisible characters: control and format characters, line breaks, fillers. The plain space between words is allowed.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/**
 * Return why a new login is not allowed; null if it is. A login must not be mistaken for another one in a list or in
 * the audit log. The database refuses one that looks like an existing login (`login_skeleton`).
 */
export function loginFault(login: string): string | null {
  if (INVISIBLE.test(login)) return 'Use only characters that can be seen';
  if (login !== login.normalize('NFKC')) return 'Use ordinary letters and digits';
  if (!SINGLE_SCRIPT_PATTERNS.some((pattern) => pattern.test(login))) return 'Use letters of one alphabet';
  return null;
}
