import { expect, test } from 'vitest';
import { diffFields, fieldLabel, flattenFields } from './fieldLabels.ts';

test('names fields as the pages do', () => {
  expect(['crm_fields', 'is_active', 'first_seen', 'name', '__proto__'].map(fieldLabel)).toEqual([
    'Fields',
    'Active',
    'First seen',
    'Name',
    'Proto',
  ]);
});

test('describes a change field by field, without unchanged fields', () => {
  const before = { id: 1, name: 'Anna', stage: 'initial', crm_fields: { city: 'Oslo' }, tags: ['a', 'b'] };
  const after = { id: 1, name: 'Anna', stage: 'ongoing', crm_fields: { city: 'Oslo', floor: 3 }, tags: ['a'] };
  expect(diffFields(before, after)).toEqual([
    { label: 'Stage', before: 'initial', after: 'ongoing' },
    { label: 'Fields: Floor', before: null, after: '3' },
    { label: 'Tags', before: 'a, b', after: 'a' },
  ]);
  expect(diffFields(null, { is_active: false, config: {} })).toEqual([
    { label: 'Active', before: null, after: 'No' },
    { label: 'Config', before: null, after: '–' },
  ]);
  expect(diffFields(null, null)).toEqual([]);
});

test('shows every value of a call in full', () => {
  const long = 'x'.repeat(500);
  expect(
    flattenFields({ text: long, steps: [{ after_minutes: 60 }, { after_minutes: 90 }], stage: null }),
  ).toMatchObject([
    { label: 'Text', value: long },
    { label: 'Steps: 1: After, minutes', value: '60' },
    { label: 'Steps: 2: After, minutes', value: '90' },
    { label: 'Stage', value: '–' },
  ]);
});
