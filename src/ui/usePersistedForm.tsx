/** A generic form whose input is kept in the browser until it is sent or discarded. */
import { type ReactNode, useMemo, useState } from 'react';
import { z } from 'zod';
import { bodyOf, type Field, type FormValues, rebaseChanges } from './form.ts';
import type { LeaveGuard } from './leaveGuard.tsx';
import { type DraftCodec, useDraft } from './useDraft.tsx';
import { type FormState, useForm } from './useForm.ts';

/** Stored values of a form. */
export const formValues = z.record(z.string(), z.unknown());

interface StoredFormValues {
  /** The initial values. If others changed the row meanwhile, only the fields typed here overwrite it. */
  readonly before: FormValues;
  readonly now: FormValues;
}

const storedSchema = z.object({ before: formValues, now: formValues });

interface PersistedFormOptions {
  /** Key of the stored draft: `lead/7`. Null: not stored. */
  readonly draftKey: string | null;
  /** Name in the list of unsaved changes. */
  readonly what: string;
  readonly fields: readonly Field[];
  /** Initial values of the controls. Must be the same object at every render. */
  readonly initial: FormValues;
  /** The form has other unsaved input that is not kept. */
  readonly alsoUnsaved?: boolean;
}

export function usePersistedForm({ draftKey, what, fields, initial, alsoUnsaved = false }: PersistedFormOptions): {
  form: FormState;
  guard: LeaveGuard;
  notice: ReactNode;
} {
  const [initialFields] = useState(fields);
  const codec = useMemo(
    (): DraftCodec<FormValues, StoredFormValues> => ({
      schema: storedSchema,
      serialize: (now) => ({ before: initial, now }),
      deserialize: (stored) => rebaseChanges(initialFields, stored, initial),
    }),
    [initialFields, initial],
  );
  const edited = useDraft({
    draftKey,
    what,
    loaded: initial,
    draftOf: identity,
    codec: codec,
    compared: (values) => bodyOf(fields, values),
    alsoUnsaved,
    secret: fields.some(({ kind }) => kind === 'password'),
  });
  const form = useForm(fields, initial, [edited.draft, edited.setDraft]);
  return { form, guard: edited.guard, notice: edited.notice };
}

const identity = (values: FormValues): FormValues => values;
