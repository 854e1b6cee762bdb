/** A generic form whose text outlives the page: kept in the browser until it is sent or discarded. */
import { type ReactNode, useMemo, useState } from 'react';
import { z } from 'zod';
import { type DraftForm, useEdited } from './edited.tsx';
import { bodyOf, changesOn, type Field, type FormValues } from './form.ts';
import type { LeaveGuard } from './leaveGuard.tsx';
import { type FormState, useForm } from './useForm.ts';

/** Values of a form, as they are kept. */
export const formValues = z.record(z.string(), z.unknown());

interface KeptValues {
  /** What the form began with: of a row that others changed meanwhile, only what was typed is put over it. */
  readonly before: FormValues;
  readonly now: FormValues;
}

const shape = z.object({ before: formValues, now: formValues });

interface KeptForm {
  /** Where it is kept: `lead/7`; null: nowhere. */
  readonly place: string | null;
  /** What it is called where unsaved changes are listed. */
  readonly what: string;
  readonly fields: readonly Field[];
  /** What the controls begin with; the same object each time. */
  readonly initial: FormValues;
  /** Something else in the form would be lost. */
  readonly alsoUnsaved?: boolean;
}

export function useKeptForm({ place, what, fields, initial, alsoUnsaved = false }: KeptForm): {
  form: FormState;
  guard: LeaveGuard;
  notice: ReactNode;
} {
  const [shown] = useState(fields);
  const written = useMemo(
    (): DraftForm<FormValues, KeptValues> => ({
      shape,
      plain: (now) => ({ before: initial, now }),
      drawn: (kept) => changesOn(shown, kept, initial),
    }),
    [shown, initial],
  );
  const edited = useEdited({
    place,
    what,
    found: initial,
    draftOf: itself,
    form: written,
    compared: (values) => bodyOf(fields, values),
    alsoUnsaved,
    secret: fields.some(({ kind }) => kind === 'password'),
  });
  const form = useForm(fields, initial, [edited.draft, edited.setDraft]);
  return { form, guard: edited.guard, notice: edited.notice };
}

const itself = (values: FormValues): FormValues => values;
