/** Editing of one row on a page of its own: draft, form, conflict dialog and saving. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call, ifMatchOf } from './api.ts';
import { storeDraft } from './drafts.ts';
import { bodyOf, describeForm, type Field, type FormValues, valuesOf } from './form.ts';
import { t } from './i18n.ts';
import { keyOf, setCachedAnswer } from './query.ts';
import type { Row, WritableResource } from './resource.ts';
import { useScope } from './scope.ts';
import { toast } from './toast.ts';
import { isDeepEqual } from './undo.ts';
import { ConflictError, plainDraftCodec, useDraft } from './useDraft.tsx';
import { useForm } from './useForm.ts';
import { formValues } from './usePersistedForm.tsx';
import { sendForm, useSubmit } from './useSubmit.ts';

const CODEC = plainDraftCodec<FormValues>(formValues);

interface RowEditorOptions<T extends Row> {
  readonly crud: WritableResource<T>;
  /** The row as read; null: a new one. */
  readonly row: T | null;
  readonly fields: readonly Field[];
  /** Initial values of a new row. */
  readonly preset: FormValues;
  /** The key of the draft of a row; null: of a new one. */
  readonly draftKeyOf: (id: number | null) => string;
  /** Name in the list of unsaved changes. */
  readonly what: string;
  /** Called with every saved version. */
  readonly onStored?: (now: T) => void;
  /** Opens the page of a row that was created here. */
  readonly onCreated: (created: T) => void;
  /** Called with the reason if a save was refused. */
  readonly onFailed?: (error: unknown) => void;
  /** The page has other unsaved input that is not kept in the browser. */
  readonly alsoUnsaved?: boolean;
}

export function useRowEditor<T extends Row & { readonly name: string }>(options: RowEditorOptions<T>) {
  const { crud, row, fields, preset, draftKeyOf, what, alsoUnsaved = false } = options;
  const { operator } = useScope();
  const cache = useQueryClient();
  const draftOf = (stored: T | null) => valuesOf(fields, stored, preset);
  const refresh = (now: T) => {
    setCachedAnswer(cache, keyOf(crud.get, { params: { id: now.id } }), now);
    void cache.invalidateQueries({ queryKey: keyOf(crud.list) });
    options.onStored?.(now);
  };
  const edited = useDraft<T | null, FormValues, FormValues>({
    draftKey: draftKeyOf(row?.id ?? null),
    what,
    loaded: row,
    draftOf,
    codec: CODEC,
    compared: (values) => bodyOf(fields, values),
    shared: {
      reload: async () => row && call(crud.get, { params: { id: row.id } }),
      describe: (values) => describeForm(fields, values),
    },
    onStored: (now) => now && refresh(now),
    alsoUnsaved,
  });
  const { stored: saved, guard } = edited;
  const form = useForm(fields, draftOf(saved), [edited.draft, edited.setDraft]);
  // What was sent, not what is in the form when the answer comes: the two are compared then.
  const sent = useRef<Record<string, unknown>>({});
  const store = async (values: Record<string, unknown>): Promise<T> => {
    sent.current = values;
    try {
      if (saved === null) return await call(crud.create, { body: crud.create.body.parse(values) });
      const params = { id: saved.id };
      const body = crud.replace.body.parse(values);
      return (await edited.save((ifMatch) => call(crud.replace, { params, body, ifMatch }))) ?? saved;
    } catch (error) {
      options.onFailed?.(error);
      throw error;
    }
  };
  const latest = useRef(edited.draft);
  useEffect(() => {
    latest.current = edited.draft;
  });
  // The page of the created row is another one: what was typed meanwhile is unsaved there.
  const keepTyped = (created: T) => {
    const value = latest.current;
    if (isDeepEqual(bodyOf(fields, value), sent.current)) return;
    storeDraft(operator.id, draftKeyOf(created.id), { what, base: ifMatchOf(created), value });
  };
  const finish = (now: T) => {
    toast.success(t('Saved {{name}}', { name: now.name }));
    if (saved !== null) return;
    refresh(now);
    keepTyped(now);
    guard.release();
    options.onCreated(now);
  };
  const { submit, pending, error } = useSubmit(form, store, finish);
  return {
    /** The stored version; null: a new row. */
    saved,
    setStored: edited.setStored,
    form,
    notice: edited.notice,
    guard,
    submit,
    pending,
    /** The error of the last attempt, unless the page shows it elsewhere. */
    error: error instanceof ConflictError ? null : error,
    /** Saves for the assistant. Throws the reason if that is not possible. */
    saveNow: async (): Promise<T> => {
      const now = await sendForm(form, store);
      finish(now);
      return now;
    },
  };
}
