import { type SetStateAction, useState } from 'react';
import {
  assignErrors,
  type Field,
  type FieldValue,
  type FormErrors,
  type FormValues,
  fieldErrorsOf,
  isChanged,
  validateField,
  validateForm,
} from './form.ts';

export interface FormState {
  fields: readonly Field[];
  values: FormValues;
  errors: FormErrors;
  /** What the server said that belongs to no field. */
  generalErrors: readonly string[];
  changed: boolean;
  /** Puts a value in; the field's error goes. */
  set: (name: string, value: FieldValue) => void;
  /** Checks a field that was edited, on leaving it. */
  blur: (name: string) => void;
  /** Checks everything; true when it may be sent. */
  validate: () => boolean;
  /** Places what a 422 or the contract's schema says beside the fields. Answers false for any other error. */
  showServerErrors: (error: unknown) => boolean;
}

type Values = readonly [FormValues, (next: SetStateAction<FormValues>) => void];

/** State of a generic form that begins with `initial`; its values may be held elsewhere. */
export function useForm(fields: readonly Field[], initial: FormValues, externalValues?: Values): FormState {
  const own = useState(initial);
  const [values, setValues] = externalValues ?? own;
  const [errors, setErrors] = useState<FormErrors>({});
  const [generalErrors, setGeneralErrors] = useState<readonly string[]>([]);
  const setFieldError = (name: string, error: string | null) =>
    setErrors(({ [name]: _former, ...others }) => (error === null ? others : { ...others, [name]: error }));

  return {
    fields,
    values,
    errors,
    generalErrors,
    changed: isChanged(fields, initial, values),
    set: (name, value) => {
      setValues((former) => ({ ...former, [name]: value }));
      setFieldError(name, null);
    },
    blur: (name) => {
      const field = fields.find((one) => one.name === name);
      // An untouched field is not scolded; what the server said about it stays.
      if (field && values[name] !== initial[name] && errors[name] === undefined) {
        setFieldError(name, validateField(field, values[name]));
      }
    },
    validate: () => {
      const issues = validateForm(fields, values);
      setErrors(issues);
      setGeneralErrors([]);
      return Object.keys(issues).length === 0;
    },
    showServerErrors: (error) => {
      const issues = fieldErrorsOf(error);
      if (issues.length === 0) return false;
      const assigned = assignErrors(fields, issues);
      setErrors(assigned.byField);
      setGeneralErrors(assigned.general);
      return true;
    },
  };
}

/**
 * For a page that checks what it edits as one: `left` is the draft as it was when a field was left last. What is wrong
 * with both is shown; what is wrong only now is still being typed.
 */
export function useDraftOnBlur<T>(draft: T): { draftAtBlur: T; blur: () => void } {
  const [draftAtBlur, setDraftAtBlur] = useState(draft);
  return { draftAtBlur, blur: () => setDraftAtBlur(draft) };
}
