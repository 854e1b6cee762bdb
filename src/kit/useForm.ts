import { type SetStateAction, useState } from 'react';
import {
  type Field,
  type FieldValue,
  type FormErrors,
  type FormValues,
  fieldErrorsOf,
  isChanged,
  placeErrors,
  validateField,
  validateForm,
} from './form.ts';

export interface FormState {
  fields: readonly Field[];
  values: FormValues;
  errors: FormErrors;
  /** What the server said that belongs to no field. */
  rest: readonly string[];
  changed: boolean;
  /** Puts a value in; the field's error goes. */
  set: (name: string, value: FieldValue) => void;
  /** Checks a field that was edited, on leaving it. */
  leave: (name: string) => void;
  /** Checks everything; true when it may be sent. */
  check: () => boolean;
  /** Places what a 422 or the contract's schema says beside the fields. Answers false for any other error. */
  refuse: (error: unknown) => boolean;
}

type Values = readonly [FormValues, (next: SetStateAction<FormValues>) => void];

/** State of a generic form that begins with `initial`; its values may be held elsewhere. */
export function useForm(fields: readonly Field[], initial: FormValues, held?: Values): FormState {
  const own = useState(initial);
  const [values, setValues] = held ?? own;
  const [errors, setErrors] = useState<FormErrors>({});
  const [rest, setRest] = useState<readonly string[]>([]);
  const settle = (name: string, error: string | null) =>
    setErrors(({ [name]: _former, ...others }) => (error === null ? others : { ...others, [name]: error }));

  return {
    fields,
    values,
    errors,
    rest,
    changed: isChanged(fields, initial, values),
    set: (name, value) => {
      setValues((former) => ({ ...former, [name]: value }));
      settle(name, null);
    },
    leave: (name) => {
      const field = fields.find((one) => one.name === name);
      // An untouched field is not scolded; what the server said about it stays.
      if (field && values[name] !== initial[name] && errors[name] === undefined) {
        settle(name, validateField(field, values[name]));
      }
    },
    check: () => {
      const found = validateForm(fields, values);
      setErrors(found);
      setRest([]);
      return Object.keys(found).length === 0;
    },
    refuse: (error) => {
      const found = fieldErrorsOf(error);
      if (found.length === 0) return false;
      const placed = placeErrors(fields, found);
      setErrors(placed.byField);
      setRest(placed.rest);
      return true;
    },
  };
}

/**
 * For a page that checks what it edits as one: `left` is the draft as it was when a field was left last. What is wrong
 * with both is shown; what is wrong only now is still being typed.
 */
export function useOnLeave<T>(draft: T): { left: T; leave: () => void } {
  const [left, setLeft] = useState(draft);
  return { left, leave: () => setLeft(draft) };
}
