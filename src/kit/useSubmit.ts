import { useMutation } from '@tanstack/react-query';
import { bodyOf, fieldErrorsOf, validateForm } from './form.ts';
import type { FormState } from './useForm.ts';

interface Submit {
  /** Checks the form and sends it, once. */
  submit: () => void;
  pending: boolean;
  /** Why it failed, when that is not said beside a field. */
  error: Error | null;
}

/** Sends a generic form. `send` gets the body; what it answers goes to `onDone`. */
export function useSubmit<A>(
  form: FormState,
  send: (body: Record<string, unknown>) => Promise<A>,
  onDone: (answer: A) => void,
): Submit {
  const sending = useMutation({
    mutationFn: () => send(bodyOf(form.fields, form.values)),
    onSuccess: onDone,
    onError: (error) => form.refuse(error),
  });
  const placed = fieldErrorsOf(sending.error).length > 0;
  return {
    submit: () => {
      if (sending.isPending) return;
      if (form.check()) sending.mutate();
      else focusFirstError();
    },
    pending: sending.isPending,
    error: placed ? null : sending.error,
  };
}

/** Sends a generic form where the assistant asks for it. Throws, in words, why it cannot be sent. */
export async function sendForm<A>(form: FormState, send: (body: Record<string, unknown>) => Promise<A>): Promise<A> {
  const faults = Object.values(validateForm(form.fields, form.values));
  form.check();
  if (faults.length > 0) throw new Error(faults.join(' '));
  try {
    return await send(bodyOf(form.fields, form.values));
  } catch (error) {
    form.refuse(error);
    throw error;
  }
}

/** After the errors are on the screen. */
function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
}
