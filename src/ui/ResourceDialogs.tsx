/** The dialogs of a resource's page: its form, and the deletion of one or several rows. */
import { lazy, Suspense } from 'react';
import { call } from './api.ts';
import type { Field, FormValues } from './form.ts';
import { t } from './i18n.ts';
import type { BulkActions } from './ResourceList.tsx';
import type { DeletableResource, ReadableResource, Row, WritableResource } from './resource.ts';
import { useScope } from './scope.ts';
import { toast } from './toast.ts';

export interface ResourceForm<T extends Row> {
  crud: Pick<WritableResource<T>, 'create' | 'replace' | 'get'>;
  /** Fields of the form for a row; null for a new row. */
  fields: (row: T | null) => readonly Field[];
  /** Initial values of a new row. */
  preset?: FormValues;
  /** Called with a row that was created or changed. */
  onSaved?: (row: T) => void;
  /** Whether the assistant may fill in the form. Only for forms without secrets. */
  allowAssistant?: boolean;
}

export interface ResourceRemoval<T extends Row> {
  crud: Pick<DeletableResource<T>, 'remove'>;
  cascadeCounts?: (row: T) => Promise<string | null>;
  /** A sentence that counts what is deleted along with several rows. */
  bulkCascadeCounts?: (ids: readonly number[]) => Promise<string | null>;
}

type BulkSelection = Parameters<BulkActions<Row>['actions']>[0];
/** `edit: null` creates a row. */
export type OpenDialog<T> = { edit: T | null } | { remove: T } | { bulkRemove: BulkSelection };

// Load the dialogs on demand, because lists are read far more often than changed.
const RowFormDialog = lazy(() => import('./RowFormDialog.tsx'));
const DeleteDialog = lazy(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }));
const BulkDeleteDialog = lazy(async () => ({ default: (await import('./BulkDeleteDialog.tsx')).BulkDeleteDialog }));

interface ResourceDialogsProps<T extends Row> {
  dialog: OpenDialog<T>;
  crud: ReadableResource<T>;
  /** Name of one row. */
  noun: string;
  nameOf: (row: T) => string;
  form: ResourceForm<T> | undefined;
  removal: ResourceRemoval<T> | undefined;
  /** Called when rows were saved or deleted. */
  onChanged: () => void;
  onClose: () => void;
}

export function ResourceDialogs<T extends Row>(props: ResourceDialogsProps<T>) {
  const { dialog, crud, noun, nameOf, form, removal, onChanged, onClose } = props;
  if ('edit' in dialog) return form && <RowForm {...props} form={form} row={dialog.edit} />;
  if (!removal) return null;
  const remove = (id: number) => call(removal.crud.remove, { params: { id } });
  if ('bulkRemove' in dialog) {
    const { ids, keepSelected } = dialog.bulkRemove;
    return (
      <Suspense>
        <BulkDeleteDialog
          ids={ids}
          singular={noun}
          plural={t(crud.plural)}
          cascadeCounts={removal.bulkCascadeCounts}
          remove={remove}
          onDone={(deletedIds) => {
            keepSelected(ids.filter((id) => !deletedIds.includes(id)));
            onChanged();
          }}
          onClose={onClose}
        />
      </Suspense>
    );
  }
  const row = dialog.remove;
  const { cascadeCounts } = removal;
  return (
    <Suspense>
      <DeleteDialog
        what={t('the {{noun}} “{{name}}”', { noun, name: nameOf(row) })}
        remove={() => remove(row.id)}
        {...(cascadeCounts ? { cascadeCounts: () => cascadeCounts(row) } : {})}
        onDone={() => {
          toast.success(t('Deleted {{name}}', { name: nameOf(row) }));
          onChanged();
        }}
        onClose={onClose}
      />
    </Suspense>
  );
}

type RowFormProps<T extends Row> = ResourceDialogsProps<T> & { form: ResourceForm<T>; row: T | null };

function RowForm<T extends Row>({ crud, noun, nameOf, form, row, onChanged, onClose }: RowFormProps<T>) {
  const { product } = useScope();
  const fields = form.fields(row);
  const { create, replace, get } = form.crud;
  const save = async (body: Record<string, unknown>) => {
    if (row) {
      const saved = await call(replace, { params: { id: row.id }, body: replace.body.parse(body) });
      toast.success(t('Saved {{name}}', { name: nameOf(saved) }));
      form.onSaved?.(saved);
    } else {
      const created = await call(create, { body: create.body.parse(body) });
      toast.success(t('Created {{name}}', { name: nameOf(created) }));
      form.onSaved?.(created);
    }
  };
  return (
    <Suspense>
      <RowFormDialog
        title={row ? t('Edit {{noun}}', { noun }) : t('New {{noun}}', { noun })}
        fields={fields}
        row={row}
        preset={form.preset}
        {...(row ? { read: () => call(get, { params: { id: row.id } }) } : {})}
        submitLabel={row ? t('Save') : t('Create')}
        send={save}
        onDone={onChanged}
        onClose={onClose}
        draftKey={row ? `${crud.resource}/${row.id}` : `${crud.resource}/new/${product?.id ?? ''}`}
      />
    </Suspense>
  );
}
