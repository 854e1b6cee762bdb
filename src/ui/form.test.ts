import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from './api.ts';
import {
  assignErrors,
  bodyOf,
  type Field,
  fieldErrorsOf,
  isChanged,
  rebaseChanges,
  validateField,
  validateForm,
  valuesOf,
} from './form.ts';

const fields: Field[] = [
  { kind: 'text', name: 'name', label: 'Name', required: true },
  { kind: 'text', name: 'crm_id', label: 'CRM id' },
  { kind: 'textarea', name: 'note', label: 'Note' },
  { kind: 'number', name: 'delay', label: 'Delay', min: 0, max: 10, integer: true },
  { kind: 'boolean', name: 'is_active', label: 'Active' },
  { kind: 'select', name: 'stage', label: 'Stage', options: [{ value: 'initial', label: 'Initial' }], required: true },
  { kind: 'text', name: 'credentials.api_key', label: 'API key', required: true },
  { kind: 'text', name: 'credentials.channel_id', label: 'Channel id' },
  { kind: 'crm_fields', name: 'crm_fields', label: 'CRM fields' },
  { kind: 'readonly', name: 'created_at', label: 'Created' },
  { kind: 'hidden', name: 'config', label: 'Config' },
];
const row = {
  id: 7,
  name: 'Anna',
  crm_id: null,
  note: ' two\nlines ',
  delay: 3,
  is_active: true,
  stage: 'initial',
  credentials: { api_key: '…1234', channel_id: 'c' },
  crm_fields: { city: 'Riga', tags: ['a', 'b'] },
  created_at: '2026-01-01T00:00:00.000Z',
  config: { lead_expires_in_hours: 4 },
};

test('sends a row back as it was read', () => {
  const { id: _id, created_at: _created, ...body } = row;
  expect(bodyOf(fields, valuesOf(fields, row))).toEqual(body);
});

test('reports an empty required field by its label', () => {
  const values = valuesOf(fields, null);
  expect(validateForm(fields, values)).toEqual({
    name: 'Name is required',
    stage: 'Stage is required',
    'credentials.api_key': 'API key is required',
  });
  expect(validateForm(fields, { ...values, name: '   ' })).toHaveProperty('name', 'Name is required');
});

test('runs validators on non-empty values only', () => {
  const seen: unknown[] = [];
  const field: Field = {
    kind: 'text',
    name: 'timezone',
    label: 'Time zone',
    validate: (value) => {
      seen.push(value);
      return 'Unknown';
    },
  };
  expect(validateField(field, ' ')).toBeNull();
  expect(validateField(field, '')).toBeNull();
  expect(validateField(field, 'Mars')).toBe('Unknown');
  expect(seen).toEqual(['Mars']);
});

test.each([
  ['3', null],
  ['0', null],
  ['', null],
  ['-1', 'Delay has to be at least 0'],
  ['11', 'Delay has to be at most 10'],
  ['2.5', 'Delay has to be a whole number'],
  ['abc', 'Delay has to be a number'],
])('parses the number %j', (typed, error) => {
  const field = fields.find(({ name }) => name === 'delay');
  expect(field && validateField(field, typed)).toBe(error);
});

test('sends numbers as numbers, blanks as null, names trimmed and texts as typed', () => {
  const values = { ...valuesOf(fields, row), name: ' Anna ', crm_id: '  ', delay: '8', note: ' x ' };
  expect(bodyOf(fields, values)).toMatchObject({ name: 'Anna', crm_id: null, delay: 8, note: ' x ' });
});

test('sends a chosen row as its id', () => {
  const source = { listKey: [], itemKey: [], failureText: null, search: async () => [], get: async () => null };
  const chosen: Field[] = [{ kind: 'select', name: 'company_id', label: 'Company', source }];
  expect(bodyOf(chosen, valuesOf(chosen, { company_id: 12 }))).toEqual({ company_id: 12 });
});

test('presets fields of a new row, never of a stored one', () => {
  const preset = { name: 'Preset', config: { a: 1 } };
  expect(valuesOf(fields, null, preset)).toMatchObject({ name: 'Preset', config: { a: 1 } });
  expect(valuesOf(fields, row, preset)).toMatchObject({ name: 'Anna', config: { lead_expires_in_hours: 4 } });
});

test('is changed when it would send something else', () => {
  const before = valuesOf(fields, row);
  expect(isChanged(fields, before, { ...before, name: 'Anna ' })).toBe(false);
  expect(isChanged(fields, before, { ...before, name: 'Ann' })).toBe(true);
});

test('refuses duplicate keys of a map', () => {
  const crm = fields.filter(({ kind }) => kind === 'crm_fields');
  const line = { key: 'a', text: '1', stored: null };
  expect(validateForm(crm, { crm_fields: [line, line] })).toEqual({ crm_fields: 'a is entered twice' });
});

test("shows the server's errors beside their fields, others above", () => {
  const { byField, general: rest } = assignErrors(fields, [
    { loc: ['body', 'name'], msg: 'Too long' },
    { loc: ['body', 'name'], msg: 'Second' },
    { loc: ['credentials', 'api_key'], msg: 'Wrong' },
    { loc: ['body', 'crm_fields', 'city'], msg: 'Not allowed' },
    { loc: ['body', 'config', 'x'], msg: 'Unknown key' },
    { loc: ['body'], msg: 'Not an object' },
  ]);
  expect(byField).toEqual({ name: 'Too long', 'credentials.api_key': 'Wrong', crm_fields: 'city: Not allowed' });
  expect(rest).toEqual(['config.x: Unknown key', 'Not an object']);
});

test('names fields of a 422 and of a schema the same way', () => {
  const server = new ApiError(422, null, [{ loc: ['body', 'name'], msg: 'Too long', type: 'too_big' }]);
  const schema = z
    .strictObject({ crm_fields: z.record(z.string(), z.string()) })
    .safeParse({ crm_fields: { city: 1 } });
  expect(assignErrors(fields, fieldErrorsOf(server)).byField).toEqual({ name: 'Too long' });
  expect(assignErrors(fields, fieldErrorsOf(schema.error)).byField).toEqual({
    crm_fields: 'city: This must be text',
  });
  expect(fieldErrorsOf(new ApiError(409, 'No'))).toEqual([]);
});

test('applies changes to the current row and keeps the rest', () => {
  const before = valuesOf(fields, row);
  const now = {
    ...before,
    note: 'other words',
    crm_fields: [
      { key: 'city', text: 'Vilnius', stored: 'Riga' },
      { key: 'floor', text: '3', stored: null },
    ],
  };
  const stored = valuesOf(fields, {
    ...row,
    name: 'Anna B.',
    is_active: false,
    config: { lead_expires_in_hours: 9 },
    crm_fields: { city: 'Riga', tags: ['a', 'b'], budget: 900 },
  });
  expect(bodyOf(fields, rebaseChanges(fields, { before, now }, stored))).toEqual({
    ...bodyOf(fields, stored),
    note: 'other words',
    // One field was changed, one added here, one added by others; `tags` was removed here.
    crm_fields: { budget: 900, city: 'Vilnius', floor: 3 },
  });
  expect(rebaseChanges(fields, { before, now: before }, stored)).toEqual(stored);
});

test('treats a text with other line endings as unchanged', () => {
  const stored = valuesOf(fields, { ...row, note: 'one\r\ntwo\rthree' });
  expect(stored['note']).toBe('one\ntwo\nthree');
  expect(isChanged(fields, stored, { ...stored, note: 'one\ntwo\nthree' })).toBe(false);
});
