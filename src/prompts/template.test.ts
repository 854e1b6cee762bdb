import { expect, it } from 'vitest';
import { renderTemplate } from './template.ts';

it('keeps nothing of one template for the next', () => {
  const plain = { values: {}, parts: {}, forbidEmpty: false };
  // Two of these together are longer than a text may be.
  const long = { ...plain, text: '{{ long }}', values: { long: 'x'.repeat(600_000) } };
  for (const _time of [1, 2]) expect(renderTemplate(long).kind).toBe('filled');
  expect(renderTemplate({ ...plain, text: '[{{ long }}]' })).toEqual({ kind: 'filled', text: '[]' });
  const including = { ...plain, text: "{% render 'Place' %}" };
  expect(renderTemplate({ ...including, parts: { Place: 'Omsk' } })).toEqual({ kind: 'filled', text: 'Omsk' });
  expect(renderTemplate(including).kind).toBe('refused');
  expect(renderTemplate({ ...plain, text: '{{ none }}', forbidEmpty: true }).kind).toBe('empty');
  expect(renderTemplate({ ...plain, text: '{{ none }}' })).toEqual({ kind: 'filled', text: '' });
});
