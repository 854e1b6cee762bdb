import { describe, expect, it, vi } from 'vitest';
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

describe('a list', () => {
  const values = { lead: { name: 'Anna', crm_fields: { wishes: ['Sea', 'Centre'], one: ['Sea'], none: [] } } };
  const filled = (text: string, forbidEmpty: boolean) => renderTemplate({ text, values, parts: {}, forbidEmpty });

  it.each([
    ['{{ lead.crm_fields.wishes }}', 'Sea, Centre'],
    ['{{ lead.crm_fields.one }}', 'Sea'],
    ['{{ lead.crm_fields.wishes | upcase }}', 'SEA, CENTRE'],
    ['{{ lead.crm_fields.wishes | default: "-" }}', 'Sea, Centre'],
    ['{{ lead.crm_fields.none | default: "-" }}', '-'],
    ['{{ "Wishes: %" | replace: "%", lead.crm_fields.wishes }}', 'Wishes: Sea, Centre'],
    ['{{ lead.crm_fields.wishes | truncate: 6 }}', 'Sea...'],
    ['{{ lead.crm_fields.wishes | escape }}', 'Sea, Centre'],
    ['{{ lead.crm_fields.wishes | join: "/" }}', 'Sea/Centre'],
    ['{{ lead.crm_fields.wishes | first }}, {{ lead.crm_fields.wishes | size }}', 'Sea, 2'],
    ['{% for one in lead.crm_fields.wishes %}[{{ one }}]{% endfor %}', '[Sea][Centre]'],
    ['{% for pair in lead.crm_fields limit: 1 %}{{ pair[0] }}: {{ pair[1] }}{% endfor %}', 'wishes: Sea, Centre'],
  ])('prints %s in a prompt as in a message', (text, expected) => {
    expect(filled(text, false)).toEqual({ kind: 'filled', text: expected });
    expect(filled(text, true)).toEqual({ kind: 'filled', text: expected });
  });

  it.each(['{{ lead }}', '{{ lead.crm_fields }}', '{{ lead.crm_fields.none }}'])('has no text for %s', (text) => {
    expect(filled(text, false)).toEqual({ kind: 'filled', text: '' });
    expect(filled(text, true)).toMatchObject({ kind: 'empty' });
  });
});

it.each(['America/New_York', 'Europe/Moscow'])('prints a day as that day in %s', (zone) => {
  vi.stubEnv('TZ', zone);
  const values = { day: '1990-05-01', time: '2026-11-29 09:30' };
  const text = '{{ day | date: "%d.%m.%Y" }} {{ time | date: "%H:%M" }}';
  expect(renderTemplate({ text, values, parts: {}, forbidEmpty: true })).toMatchObject({ text: '01.05.1990 09:30' });
  vi.unstubAllEnvs();
});
