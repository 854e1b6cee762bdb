/** Every sentence an operator reads goes through `t()`, keyed by its English text: a language is one more file. */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: {} } },
  keySeparator: false,
  nsSeparator: false,
  // React escapes what it shows.
  interpolation: { escapeValue: false },
  // Sentences are needed while modules load, before anything could await.
  initAsync: false,
  react: { useSuspense: false },
});

/**
 * The sentence in the operator's language. For numbers give `count` and the singular:
 * `t('{{count}} leads', { count, defaultValue_one: '{{count}} lead' })`.
 */
export function t(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  return i18next.t(english, { ...values });
}

/** BCP 47 tag that dates and numbers are written in. */
export function language(): string {
  return i18next.language;
}
