/** A generic form whose text outlives the page: kept in the browser until it is sent or discarded. */
import { type ReactNode, useMemo, useState } from 'react';
import { z } from 'zod';
import { bodyOf, type Field, type FormValues, rebaseChanges } from './form.ts';
import type { LeaveGuard } from './leaveGuard.tsx';
import { type DraftCodec, useDraft } from './useDraft.tsx';
import { type FormState, useForm } from './useForm.ts';

/** Values of a form, as they are kept. */
export const formValues = z.record(z.string(), z.unknown());

interface StoredFormValues {
  /** What the form began with: of a row that others changed meanwhile, only what was typed is put over it. */
  readonly before: FormValues;
  readonly now: FormValues;
}

const storedSchema = z.object({ before: formValues, now: formValues });

interface PersistedFormOptions {
  /** Where it is kept: `lead/7`; null: nowhere. */
  readonly draftKey: string | null;
  /** What it is called where unsaved changes are listed. */
  readonly what: string;
  readonly fields: readonly Field[];
  /** What the controls begin with; the same object each time. */
  readonly initial: FormValues;
  /** Something else in the form would be lost. */
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
