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
  /** Server errors that belong to no field. */
  generalErrors: readonly string[];
  changed: boolean;
  /** Sets a value and clears the field's error. */
  set: (name: string, value: FieldValue) => void;
  /** Validates an edited field when it loses focus. */
  blur: (name: string) => void;
  /** Validates all fields. Returns true if the form may be sent. */
  validate: () => boolean;
  /** Shows the errors of a 422 or of the contract's schema beside the fields. Returns false for any other error. */
  showServerErrors: (error: unknown) => boolean;
}

type Values = readonly [FormValues, (next: SetStateAction<FormValues>) => void];

/** State of a generic form that starts with `initial`. The caller may keep the values itself. */
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
      // Skip unchanged fields, and keep an error that is already shown, such as one from the server.
      if (field && values[name] !== initial[name] && errors[name] === undefined) {
        setFieldError(name, validateField(field, values[name], values));
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
 * For pages that validate a draft as a whole. `draftAtBlur` is the draft when a field last lost focus. Show the errors
 * found in both drafts; an error in the current draft alone is still being typed.
 */
export function useDraftOnBlur<T>(draft: T): { draftAtBlur: T; blur: () => void } {
  const [draftAtBlur, setDraftAtBlur] = useState(draft);
  return { draftAtBlur, blur: () => setDraftAtBlur(draft) };
}
