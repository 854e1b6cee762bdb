/**
 * Translation of all texts shown to operators through `t()`. Keys are the English texts, so a new language is one file.
 */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: {} } },
  keySeparator: false,
  nsSeparator: false,
  // React already escapes values.
  interpolation: { escapeValue: false },
  // Modules call `t()` while they load, before anything could be awaited.
  initAsync: false,
  react: { useSuspense: false },
});

/**
 * Translate a text into the operator's language. For numbers, give `count` and the singular: `t('{{count}} leads', {
 * count, defaultValue_one: '{{count}} lead' })`.
 */
export function t(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  return i18next.t(english, { ...values });
}

/** Return the BCP 47 tag for formatting dates and numbers. */
export function language(): string {
  return i18next.language;
}
