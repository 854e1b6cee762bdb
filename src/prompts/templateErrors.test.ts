import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTemplate } from './template.ts';
import { findTemplateErrors, templateErrorText } from './templateErrors.ts';

const unknownVariables = (text: string) => findTemplateErrors(text).filter((one) => one.code === 'unknown_variable');
const paths = (text: string): string[] => unknownVariables(text).map((one) => one.name);

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
    findTemplateErrors(text);
    // This took 2,000 ms when each opening brace was followed to the end of the text.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(700);
  });

  it('locates each unknown variable', () => {
    const text = 'Hello {{ lead.name }} of {{ lead.twon }}!';
    expect(unknownVariables(text).map(({ from, to }) => text.slice(from, to))).toEqual(['lead.twon']);
  });
});

describe('the errors of a template', () => {
  it('are none in a text that the engine cannot read', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      '{{ lead.name',
      '{{ lead.name }}',
      '| upcase',
      '| default: "x"',
      '{{ (1..2)',
      "'",
      '[',
      ']',

      '{% if lead.name %}',
      '{% elsif now %}',
      '{% else %}',
      '{% endif %}',
      '{% case lead.stage %}',
      '{% when "a" %}',
      '{% endcase %}',
      '{% for x in lead.crm_fields.a %}',
      '{{ x }}',
      '{% endfor %}',
      '{% raw %}',
      '{% endraw %}',

      'lead.crm_fields["a b"]',
      'contains',
      'not',
      '==',
      '5',
      ':',
      ',',
      'endif',
      '(',
      ')',
      'имя',
      '\u00a0',
      '“',
      '\n',
    );
    const values = { lead: { name: 'Anna', crm_fields: { a: ['b'] } } };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join(' ');
        if (findTemplateErrors(text).length > 0) return;
        expect(renderTemplate({ text, values, parts: {}, forbidEmpty: false })).toMatchObject({ kind: 'filled' });
      }),
      { numRuns: 3000 },
    );
  });

  it('name a subprompt that does not exist', () => {
    const text = '{% render \'Greeting\' %}{% render "Prices" %}';
    expect(findTemplateErrors(text, new Set(['Greeting'])).map(templateErrorText)).toEqual([
      'No subprompt is named Prices',
    ]);
  });
});
