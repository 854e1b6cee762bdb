/** The page of a resource: its list, with dialogs for its form and deletion. */
import { Button } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { call } from './api.ts';
import { filterParamNames } from './filter.ts';
import { type Field, type FormValues, valuesOf } from './form.ts';
import { formTools } from './formTools.ts';
import { t } from './i18n.ts';
import { listQuery, readListState } from './listState.ts';
import { listTools, rowsForAssistant, rowTools } from './listTools.ts';
import { namesKey } from './optionSource.ts';
import { PageFrame } from './PageFrame.tsx';
import { hrefOf, type PageParams, usePage } from './page.ts';
import { usePageContext } from './pageContext.ts';
import { pageTools, type ToolWithHandler } from './pageTool.ts';
import { keyOf } from './query.ts';
import { type BulkActions, ResourceList, type ResourceListProps, type VisibleRows } from './ResourceList.tsx';
import { type RowAction, RowMenu } from './RowMenu.tsx';
import type { DeletableResource, ReadableResource, Row, WritableResource } from './resource.ts';
import { useProductZone, useScope } from './scope.ts';
import { toast } from './toast.ts';

interface ResourceForm<T extends Row> {
  crud: Pick<WritableResource<T>, 'create' | 'replace' | 'get'>;
  /** Fields of the form for a row; null for a new row. */
  fields: (row: T | null) => readonly Field[];
  /** Initial values of a new row. */
  preset?: FormValues;
  /** Whether the assistant may fill in the form. Only for forms without secrets. */
  allowAssistant?: boolean;
}

interface ResourcePageProps<T extends Row>
  extends Omit<ResourceListProps<T>, 'crud' | 'tools' | 'rowTarget' | 'createButton' | 'onRowsChange' | 'bulk'> {
  crud: ReadableResource<T>;
  title: string;
  /** Name of one row. Defaults to the resource name. */
  singular?: string;
  /** Purpose of the page in a sentence, for the assistant. */
  description: string;
  nameOf: (row: T) => string;
  /** The page that opens a row. Without it, a row opens in the form. */
  rowLink?: (row: T) => { page: string; params: PageParams };
  form?: ResourceForm<T>;
  /** Button that creates a row, when neither a form nor a page does. */
  createButton?: ReactNode;
  /** The page that creates a row, if there is one. */
  newLink?: { page: string; params: PageParams };
  removal?: {
    crud: Pick<DeletableResource<T>, 'remove'>;
    cascadeCounts?: (row: T) => Promise<string | null>;
    /** A sentence that counts what is deleted along with several rows. */
    bulkCascadeCounts?: (ids: readonly number[]) => Promise<string | null>;
  };
  /** Bulk actions. Defaults to deletion, if rows can be deleted. */
  bulk?: Omit<BulkActions<T>, 'nameOf'>;
  /** Row actions in addition to edit and delete. */
  actions?: (row: T) => readonly RowAction[];
  canWrite?: boolean;
  onBack?: () => void;
  /** Buttons in the heading, before `New`. */
  buttons?: ReactNode;
  aside?: ReactNode;
  /** Content between the heading and the list: tabs or a summary. */
  above?: ReactNode;
  /** Tools for the assistant in addition to filtering the list and opening and deleting rows. */
  assistant?: readonly ToolWithHandler[];
  /** Fields of a row for the assistant, in addition to id and name. */
  assistantFields?: (row: T) => object;
}

// Load the dialogs on demand, because lists are read far more often than changed.
const FormDialog = lazy(async () => ({ default: (await import('./FormDialog.tsx')).FormDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }));

const BulkDeleteDialog = lazy(async () => ({ default: (await import('./BulkDeleteDialog.tsx')).BulkDeleteDialog }));

type BulkSelection = Parameters<BulkActions<Row>['actions']>[0];
type OpenDialog<T> = { edit: T | null } | { remove: T } | { bulkActions: BulkSelection } | null;

export function ResourcePage<T extends Row>(props: ResourcePageProps<T>) {
  const { crud, title, nameOf, rowLink, form, newLink, removal, actions, canWrite = true, onBack } = props;
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const [openDialog, setOpenDialog] = useState<OpenDialog<T>>(null);
  const [visibleRows, setVisibleRows] = useState<VisibleRows<T> | null>(null);
  const noun = props.singular ?? t(crud.resource.replaceAll('_', ' '));
  const close = () => setOpenDialog(null);
  const refresh = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: keyOf(crud.list) }),
      cache.invalidateQueries({ queryKey: keyOf(crud.get) }),
      cache.invalidateQueries({ queryKey: namesKey(crud) }),
    ]);
  const save = async (to: ResourceForm<T>['crud'], row: T | null, body: Record<string, unknown>) => {
    if (row) {
      const saved = await call(to.replace, { params: { id: row.id }, body: to.replace.body.parse(body) });
      toast.success(t('Saved {{name}}', { name: nameOf(saved) }));
    } else {
      const created = await call(to.create, { body: to.create.body.parse(body) });
      toast.success(t('Created {{name}}', { name: nameOf(created) }));
    }
  };
  const reload = async (to: ResourceForm<T>, row: T) =>
    valuesOf(to.fields(row), await call(to.crud.get, { params: { id: row.id } }), to.preset);
  const editable = canWrite && form !== undefined;
  const canCreate = canWrite && (form !== undefined || newLink !== undefined);
  const createButton =
    props.createButton ??
    (canCreate && (
      <Button
        size="xs"
        leftSection={<IconPlus size="1rem" />}
        onClick={() => (newLink ? page.go(newLink.page, newLink.params) : setOpenDialog({ edit: null }))}
      >
        {t('New {{noun}}', { noun })}
      </Button>
    ));
  const actionsOf = (row: T): RowAction[] => [
    ...(actions?.(row) ?? []),
    ...(editable ? [{ label: t('Edit'), icon: IconPencil, run: () => setOpenDialog({ edit: row }) }] : []),
    ...(canWrite && removal
      ? [{ label: t('Delete'), icon: IconTrash, run: () => setOpenDialog({ remove: row }), danger: true }]
      : []),
  ];
  const bulkActions: Omit<BulkActions<T>, 'nameOf'> | undefined =
    props.bulk ??
    (removal && {
      actions: (chosen) => (
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<IconTrash size="1rem" />}
          onClick={() => setOpenDialog({ bulkActions: chosen })}
        >
          {t('Delete')}
        </Button>
      ),
    });
  const remove = async (row: T) => {
    if (!removal) return;
    await call(removal.crud.remove, { params: { id: row.id } });
    toast.success(t('Deleted {{name}}', { name: nameOf(row) }));
    void refresh();
  };
  const rowTarget = (row: T) => {
    if (rowLink) {
      const { page: key, params } = rowLink(row);
      return { href: hrefOf(key, params), open: () => page.go(key, params) };
    }
    return editable ? { open: () => setOpenDialog({ edit: row }) } : null;
  };

  const describeRow = (row: T) => ({ id: row.id, name: nameOf(row), ...props.assistantFields?.(row) });
  const zone = useProductZone();
  const shape = { orderBy: crud.orderBy, searchable: crud.search.length > 0 };
  usePageContext({
    description: props.description,
    summary: summaryOf(title, page.params, visibleRows, describeRow),
    ...pageTools(
      ...listTools(t(crud.plural), shape, props.filters ?? [], page.params, async (changed) => {
        page.setParams(changed);
        const state = readListState(changed, { ...shape, filters: (props.filters ?? []).flatMap(filterParamNames) });
        const { items, total } = await call(crud.list, { query: { ...listQuery(state, zone), ...props.fixedQuery } });
        return { total, ...rowsForAssistant(items.map(describeRow)) };
      }),
      ...rowTools<T>({
        singular: noun,
        read: (id) => call(crud.get, { params: { id } }),
        nameOf,
        open: rowLink || editable ? (row) => rowTarget(row)?.open() : null,
        remove: canWrite && removal ? (row) => remove(row) : null,
      }),
      ...(editable && form.allowAssistant && removal
        ? formTools<T>({
            singular: noun,
            crud: { resource: crud.resource, ...form.crud, ...removal.crud },
            fields: form.fields(null),
            preset: form.preset ?? {},
            nameOf,
            refresh,
          })
        : []),
      ...(props.assistant ?? []),
    ),
  });

  return (
    <PageFrame
      title={title}
      fill
      aside={props.aside}
      {...(onBack ? { onBack } : {})}
      actions={
        <>
          {props.buttons}
          {createButton}
        </>
      }
    >
      {props.above}
      <ResourceList
        crud={crud}
        columns={props.columns}
        filters={props.filters ?? []}
        fixedQuery={props.fixedQuery ?? {}}
        rowTarget={rowTarget}
        createButton={createButton}
        onRowsChange={setVisibleRows}
        {...(canWrite && bulkActions ? { bulk: { ...bulkActions, nameOf } } : {})}
        {...(props.failureText === undefined ? {} : { failureText: props.failureText })}
        {...(props.emptyText === undefined ? {} : { emptyText: props.emptyText })}
        {...(editable || removal || actions
          ? { tools: (row: T) => <RowMenu name={nameOf(row)} actions={actionsOf(row)} /> }
          : {})}
      />
      <Suspense>
        {openDialog && 'edit' in openDialog && form && (
          <FormDialog
            title={openDialog.edit ? t('Edit {{noun}}', { noun }) : t('New {{noun}}', { noun })}
            fields={form.fields(openDialog.edit)}
            initial={valuesOf(form.fields(openDialog.edit), openDialog.edit, form.preset)}
            {...(openDialog.edit ? { reload: reload.bind(null, form, openDialog.edit) } : {})}
            submitLabel={openDialog.edit ? t('Save') : t('Create')}
            send={(body) => save(form.crud, openDialog.edit, body)}
            onDone={() => void refresh()}
            onClose={close}
            draftKey={
              openDialog.edit ? `${crud.resource}/${openDialog.edit.id}` : `${crud.resource}/new/${product?.id ?? ''}`
            }
          />
        )}
        {openDialog && 'remove' in openDialog && removal && (
          <DeleteDialog
            what={t('the {{noun}} “{{name}}”', { noun, name: nameOf(openDialog.remove) })}
            remove={() => call(removal.crud.remove, { params: { id: openDialog.remove.id } })}
            {...(removal.cascadeCounts
              ? { cascadeCounts: () => removal.cascadeCounts?.(openDialog.remove) ?? Promise.resolve(null) }
              : {})}
            onDone={() => {
              toast.success(t('Deleted {{name}}', { name: nameOf(openDialog.remove) }));
              void refresh();
            }}
            onClose={close}
          />
        )}
        {openDialog && 'bulkActions' in openDialog && removal && (
          <BulkDeleteDialog
            ids={openDialog.bulkActions.ids}
            singular={noun}
            plural={t(crud.plural)}
            cascadeCounts={removal.bulkCascadeCounts}
            remove={(id) => call(removal.crud.remove, { params: { id } })}
            onDone={(deletedIds) => {
              openDialog.bulkActions.keepSelected(openDialog.bulkActions.ids.filter((id) => !deletedIds.includes(id)));
              void refresh();
            }}
            onClose={close}
          />
        )}
      </Suspense>
    </PageFrame>
  );
}

/** Summarize the visible rows for the assistant. */
function summaryOf<T extends Row>(
  title: string,
  params: Readonly<Record<string, string>>,
  visibleRows: VisibleRows<T> | null,
  describeRow: (row: T) => object,
): string {
  if (visibleRows === null || visibleRows.stale)
    return JSON.stringify({ page: title, parameters: params, state: 'loading' });
  return JSON.stringify({
    page: title,
    parameters: params,
    total: visibleRows.total,
    ...rowsForAssistant(visibleRows.rows.map(describeRow)),
  });
}
