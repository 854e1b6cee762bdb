/** Generic forms: the kinds of fields, their validation, and the conversion of typed values into a request body. */
import { z } from 'zod';
import { normalizeLineEndings } from '../platform/lineEndings.ts';
import { violationsOf } from '../platform/validationMessages.ts';
import { ApiError } from './api.ts';
import { type CrmEntry, type CrmFields, duplicateCrmKeys, parseCrmFields, toCrmEntries } from './crmFields.ts';
import type { DocumentField } from './documentField.ts';
import { t } from './i18n.ts';
import type { OptionSource } from './optionSource.ts';

export interface Option {
  value: string;
  label: string;
}

interface FieldBase {
  /** Path of the value in the body. Dots lead into objects: `credentials.api_key`. */
  name: string;
  label: string;
  description?: string;
  required?: boolean;
  /** Whether the field is required beside these values of the others. */
  requiredIf?: (values: FormValues) => boolean;
  /** Rarely used: collapsed at the end of the form. */
  advanced?: boolean;
  /** Value sent when the field is left empty. Defaults to null. */
  empty?: '';
  /** Runs on non-empty values only. Returns an error message, or null. */
  validate?: (value: FieldValue) => string | null;
}

export type Field = FieldBase &
  (
    | { kind: 'text'; placeholder?: string }
    /** `rows`: minimum number of visible rows. */
    | { kind: 'textarea'; placeholder?: string; rows?: number }
    | { kind: 'number'; min?: number; max?: number; integer?: boolean }
    | { kind: 'boolean' }
    | { kind: 'select'; options: readonly Option[] }
    /** Selects a row by name; the value is its id. */
    | { kind: 'select'; source: OptionSource }
    /** Displayed, not sent. */
    | { kind: 'readonly' }
    /** Sent unchanged, not displayed. */
    | { kind: 'hidden' }
    | { kind: 'crm_fields' }
    /** Masked while typing and sent untrimmed. */
    | { kind: 'password' }
    /** Selects rows by name; the value is their ids. */
    | { kind: 'several'; source: OptionSource }
    /** Checks some of a few options; the value is theirs. */
    | { kind: 'checks'; options: readonly Option[] }
  );

const ERROR_LOCATIONS = ['body', 'query', 'path'];

/** Value of a control. A `hidden` field keeps whatever the row had. */
export type FieldValue = unknown;
export type FormValues = Readonly<Record<string, FieldValue>>;
export type FormErrors = Readonly<Record<string, string>>;

/** Build the control values for a row (null: a new one). `preset` fills fields that the row does not have. */
export function valuesOf(fields: readonly Field[], row: object | null, preset: FormValues = {}): FormValues {
  return Object.fromEntries(
    fields.map((field) => {
      const stored = row === null ? undefined : getPath(row, field.name);
      return [field.name, controlValue(field, stored === undefined ? preset[field.name] : stored)];
    }),
  );
}

/** Validate all fields and return the errors by field name. */
export function validateForm(fields: readonly Field[], values: FormValues): FormErrors {
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const error = validateField(field, values[field.name], values);
    if (error !== null) errors[field.name] = error;
  }
  return errors;
}

/**
 * Return the error of one field, or null. Empty values are only checked for being required; validators check the rest.
 */
export function validateField(field: Field, value: FieldValue, values: FormValues = {}): string | null {
  if (field.kind === 'readonly' || field.kind === 'hidden') return null;
  if (isEmpty(field, value))
    return field.required || field.requiredIf?.(values) ? t('{{label}} is required', { label: field.label }) : null;
  if (field.kind === 'number') {
    const error = validateNumber(field, Number(value));
    if (error !== null) return error;
  }
  if (field.kind === 'crm_fields') {
    const duplicates = duplicateCrmKeys(asCrmEntries(value));
    if (duplicates.length > 0) return t('{{key}} is entered twice', { key: duplicates.join(', ') });
  }
  return field.validate?.(value) ?? null;
}

/** Build the request body: numbers are converted, single-line texts trimmed, and empty values sent as null. */
export function bodyOf(fields: readonly Field[], values: FormValues): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.kind === 'readonly') continue;
    const value = bodyValue(field, values[field.name]);
    setPath(body, field.name.split('.'), value === null && field.empty !== undefined ? field.empty : value);
  }
  return body;
}

/** Return the values with their field labels, for comparing two states of a form. */
export function describeForm(fields: readonly Field[], values: FormValues): DocumentField[] {
  return fields.flatMap((field): DocumentField[] => {
    const { name, label } = field;
    const value = values[name];
    switch (field.kind) {
      case 'hidden':
      case 'readonly':
      case 'password':
        return [];
      case 'boolean':
        return [{ label, value: value === true ? t('On') : t('Off') }];
      case 'crm_fields':
        return [{ label, value: JSON.stringify(parseCrmFields(asCrmEntries(value)), null, 2), isText: true }];
      case 'several':
        return [{ label, value: asIds(value).join(', ') }];
      case 'checks':
        return [{ label, value: checkedLabels(field.options, value).join(', ') }];
      case 'select':
        if ('source' in field) return [{ label, value: toText(value), source: field.source }];
        return [{ label, value: field.options.find((one) => one.value === value)?.label ?? toText(value) }];
      case 'textarea':
        return [{ label, value: toText(value), isText: true }];
      case 'text':
      case 'number':
        return [{ label, value: toText(value) }];
      default:
        return field satisfies never;
    }
  });
}

/** Return whether the request body would differ. */
export function isChanged(fields: readonly Field[], before: FormValues, now: FormValues): boolean {
  return JSON.stringify(bodyOf(fields, before)) !== JSON.stringify(bodyOf(fields, now));
}

/**
 * Rebase the changes made from `before` to `now` onto `stored`, the row as it is now. Unchanged fields take the stored
 * value. CRM fields are compared one by one.
 */
export function rebaseChanges(
  fields: readonly Field[],
  { before, now }: { before: FormValues; now: FormValues },
  stored: FormValues,
): FormValues {
  return Object.fromEntries(
    fields.map((field) => {
      const { name, kind } = field;
      if (!isChanged([field], before, now)) return [name, stored[name]];
      return [name, kind === 'crm_fields' ? rebaseCrmFields(before[name], now[name], stored[name]) : now[name]];
    }),
  );
}

interface FieldIssue {
  loc: readonly (string | number)[];
  msg: string;
}

/** Return the field errors of a server response or of a contract schema; none for any other error. */
export function fieldErrorsOf(error: unknown): readonly FieldIssue[] {
  if (error instanceof ApiError) return error.fields;
  if (!(error instanceof z.ZodError)) return [];
  return violationsOf(error).map(({ path, message }) => ({ loc: path, msg: message }));
}

/**
 * Assign the server's validation errors to fields. `loc` may begin with `body`, `query` or `path`. An error inside a
 * field's value (`crm_fields`, `city`) belongs to that field. Errors that match no field are shown above the form.
 */
export function assignErrors(
  fields: readonly Field[],
  issues: readonly FieldIssue[],
): { byField: FormErrors; general: string[] } {
  const byField: Record<string, string> = {};
  const general: string[] = [];
  for (const { loc, msg } of issues) {
    const path = (ERROR_LOCATIONS.some((where) => where === loc[0]) ? loc.slice(1) : loc).join('.');
    const field = fields.find(
      ({ name, kind }) => kind !== 'hidden' && kind !== 'readonly' && (path === name || path.startsWith(`${name}.`)),
    );
    if (!field) general.push(path === '' ? msg : `${path}: ${msg}`);
    else byField[field.name] ??= path === field.name ? msg : `${path.slice(field.name.length + 1)}: ${msg}`;
  }
  return { byField, general };
}

function rebaseCrmFields(before: FieldValue, now: FieldValue, stored: FieldValue): readonly CrmEntry[] {
  const [was, is, current] = [before, now, stored].map((lines) => parseCrmFields(asCrmEntries(lines)));
  const changed = (key: string) => JSON.stringify(was?.[key]) !== JSON.stringify(is?.[key]);
  const untouched = Object.entries(current ?? {}).filter(([key]) => !changed(key));
  const touched = Object.entries(is ?? {}).filter(([key]) => changed(key));
  return toCrmEntries(Object.fromEntries([...untouched, ...touched]));
}

function controlValue(field: Field, value: unknown): FieldValue {
  switch (field.kind) {
    case 'hidden':
    case 'readonly':
      return value;
    case 'boolean':
      return value === true;
    case 'several':
      return asIds(value);
    case 'checks':
      return asTexts(value);
    case 'crm_fields':
      return toCrmEntries(isCrmFields(value) ? value : {});
    case 'textarea':
      // Normalized as the control does it, so that an untouched field does not count as changed.
      return normalizeLineEndings(toText(value));
    case 'text':
    case 'password':
    case 'number':
    case 'select':
      return toText(value);
    default:
      return field satisfies never;
  }
}

const toText = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

function isEmpty(field: Field, value: FieldValue): boolean {
  if (field.kind === 'boolean') return false;
  if (field.kind === 'several') return asIds(value).length === 0;
  if (field.kind === 'checks') return asTexts(value).length === 0;
  if (field.kind === 'crm_fields') return Object.keys(parseCrmFields(asCrmEntries(value))).length === 0;
  return value === null || value === undefined || String(value).trim() === '';
}

function validateNumber(field: { min?: number; max?: number; integer?: boolean; label: string }, value: number) {
  const { label, min, max } = field;
  if (!Number.isFinite(value)) return t('{{label}} has to be a number', { label });
  if (field.integer && !Number.isInteger(value)) return t('{{label}} has to be a whole number', { label });
  if (min !== undefined && value < min) return t('{{label}} has to be at least {{min}}', { label, min });
  if (max !== undefined && value > max) return t('{{label}} has to be at most {{max}}', { label, max });
  return null;
}

function bodyValue(field: Field, value: FieldValue): unknown {
  switch (field.kind) {
    case 'hidden':
    case 'readonly':
    case 'boolean':
      return value;
    case 'crm_fields':
      return parseCrmFields(asCrmEntries(value));
    case 'several':
      return asIds(value);
    case 'checks':
      // In the order of the options, so that unchecking and checking again changes nothing.
      return field.options.map((option) => option.value).filter((one) => asTexts(value).includes(one));
    case 'number':
      return isEmpty(field, value) ? null : Number(value);
    case 'select':
      if (isEmpty(field, value)) return null;
      return 'source' in field ? Number(value) : value;
    case 'text':
      return isEmpty(field, value) ? null : String(value).trim();
    case 'textarea':
    case 'password':
      return isEmpty(field, value) ? null : value;
    default:
      return field satisfies never;
  }
}

/** Return the ids in the value of a `several` control. */
export function asIds(value: FieldValue): readonly number[] {
  return Array.isArray(value) ? value.map(Number).filter(Number.isInteger) : [];
}

/** Return the texts in the value of a `checks` control. */
export function asTexts(value: FieldValue): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

const checkedLabels = (options: readonly Option[], value: FieldValue): string[] =>
  options.filter((option) => asTexts(value).includes(option.value)).map(({ label }) => label);

/** Return the lines in the value of a `crm_fields` control. */
export function asCrmEntries(value: FieldValue): readonly CrmEntry[] {
  return Array.isArray(value) ? value : [];
}

function isCrmFields(value: unknown): value is CrmFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function getPath(row: object, name: string): unknown {
  let value: unknown = row;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, step)?.value;
  }
  return value;
}

function setPath(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first, ...deeper] = path;
  if (first === undefined) return;
  if (deeper.length === 0) {
    body[first] = value;
    return;
  }
  const inner = body[first];
  const nested: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  setPath(nested, deeper, value);
  body[first] = nested;
}
