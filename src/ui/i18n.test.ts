import { expect, it } from 'vitest';
import { t } from './i18n.ts';

it('inserts values once, so a value that looks like a placeholder stays as it is', () => {
  expect(t('{{name}} of {{count}}', { name: '{{count}} <b>', count: 2 })).toBe('{{count}} <b> of 2');
});

it('uses the singular for one, and the plural for any other number', () => {
  const leads = (count: number) => t('{{count}} leads', { count, defaultValue_one: '{{count}} lead' });
  expect([0, 1, 2].map(leads)).toEqual(['0 leads', '1 lead', '2 leads']);
});

it('separates the thousands of a number where the text asks for it', () => {
  expect(t('{{count, number}} rows of {{total}}', { count: 12_345, total: 54_321 })).toBe('12,345 rows of 54321');
});
