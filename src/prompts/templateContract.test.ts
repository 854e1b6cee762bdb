import { describe, expect, it } from 'vitest';
import { unknownVariables } from './templateContract.ts';

const paths = (text: string): string[] => unknownVariables(text).map((one) => one.path);

describe('unknown variables', () => {
  it.each([
    ['plain text with {single} braces', []],
    ['{{ lead.name }} {{lead.stage}} {{ lead.crm_fields.city }} {{ lead.crm_fields.any_thing }}', []],
    ['{{ contact.contact }} {{ contact.type }} {{ product.name }} {{ company.name }} {{ now | date: "%Y" }}', []],
    ['{{ lead.nmae }}', ['lead.nmae']],
    ['{{ customer }} and {{ lead.name | default: friend }}', ['customer', 'friend']],
    ["{{ lead.name | default: 'friend' | upcase }}", []],
    ['{% if lead.stage == "ongoing" and lead.budget > 5 %}x{% endif %}', ['lead.budget']],
    ['{% for tag in lead.crm_fields.tags limit: 2 %}{{ tag }} {{ tag.size }} {{ forloop.index }}{% endfor %}', []],
    ['{% for tag in tags %}{{ tag }}{% endfor %}', ['tags']],
    ["{% render 'Greeting' %}", []],
    ['{% raw %}{{ anything }}{% endraw %}{% comment %}{{ else }}{% endcomment %}', []],
    ['{% case lead.stage %}{% when "started" %}{% endcase %}', []],
    ['{{- product.nam -}}', ['product.nam']],
  ])('%s', (text, expected) => expect(paths(text)).toEqual(expected));

  it.each([
    '{',
    '{{',
    '{{ a',
    '{%',
    '{% raw %}',
    '{% for a in ',
    "{{ '",
    '{{ a | b',
    '{{ a.b: ',
    '{%- ',
    ' ',
    '{{ a }}',
  ])('finds unknown variables in 100,000 characters of %j quickly', (unit) => {
    const text = unit.repeat(Math.ceil(100_000 / unit.length));
    const before = process.cpuUsage();
    unknownVariables(text);
    // This took 2,000 ms when each opening brace was followed to the end of the text.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(700);
  });

  it('locates each unknown variable', () => {
    const text = 'Hello {{ lead.name }} of {{ lead.twon }}!';
    expect(unknownVariables(text).map(({ from, to }) => text.slice(from, to))).toEqual(['lead.twon']);
  });
});
