import { useMutation } from '@tanstack/react-query';
import { bodyOf, fieldErrorsOf, validateForm } from './form.ts';
import type { FormState } from './useForm.ts';

interface Submit {
  /** Validates the form and sends it. Ignored while it is being sent. */
  submit: () => void;
  pending: boolean;
  /** The error of the last attempt, unless it is shown beside a field. */
  error: Error | null;
}

/** Send a generic form. `send` gets the body; its result is passed to `onDone`. */
export function useSubmit<A>(
  form: FormState,
  send: (body: Record<string, unknown>) => Promise<A>,
  onDone: (answer: A) => void,
): Submit {
  const sending = useMutation({
    mutationFn: () => send(bodyOf(form.fields, form.values)),
    onSuccess: onDone,
    onError: (error) => form.showServerErrors(error),
  });
  const hasFieldErrors = fieldErrorsOf(sending.error).length > 0;
  return {
    submit: () => {
      if (sending.isPending) return;
      if (form.validate()) sending.mutate();
      else focusFirstError();
    },
    pending: sending.isPending,
    error: hasFieldErrors ? null : sending.error,
  };
}

/** Send a generic form for the assistant. Throws a readable message if it cannot be sent. */
export async function sendForm<A>(form: FormState, send: (body: Record<string, unknown>) => Promise<A>): Promise<A> {
  const errors = Object.values(validateForm(form.fields, form.values));
  form.validate();
  if (errors.length > 0) throw new Error(errors.join(' '));
  try {
    return await send(bodyOf(form.fields, form.values));
  } catch (error) {
    form.showServerErrors(error);
    throw error;
  }
}

/** Focus the first field with an error, after the errors have rendered. */
function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
}
