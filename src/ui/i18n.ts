/**
 * Translation of all texts shown to operators through `t()`. Keys are the English texts, so a new language is one map
 * from them to its own.
 */

const LANGUAGE = 'en';

/** Which plural form of a text a number takes. */
const pluralRules = new Intl.PluralRules(LANGUAGE);
const numberFormat = new Intl.NumberFormat(LANGUAGE);

/** `{{name}}`, or `{{name, number}}` for a number with the language's separators. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*(?:,\s*(number))?\s*\}\}/g;

/**
 * Translate a text into the operator's language. For numbers, give `count` and the singular: `t('{{count}} leads', {
 * count, defaultValue_one: '{{count}} lead' })`.
 */
export function t(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = textFor(english, values);
  if (!text.includes('{{')) return text;
  return text.replace(PLACEHOLDER, (_, name: string, format: string | undefined) => {
    const value = values[name] ?? '';
    return format === 'number' && typeof value === 'number' ? numberFormat.format(value) : String(value);
  });
}

/** Choose the plural form that `count` takes. */
function textFor(english: string, values: Readonly<Record<string, string | number>>): string {
  const { count } = values;
  if (typeof count !== 'number') return english;
  const form = values[`defaultValue_${pluralRules.select(count)}`];
  return typeof form === 'string' ? form : english;
}

/** Return the BCP 47 tag for formatting dates and numbers. */
export function language(): string {
  return LANGUAGE;
}
