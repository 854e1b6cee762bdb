/** The page of a resource: its list, with dialogs for its form and deletion. */
import { Button } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from './api.ts';
import { formTools } from './formTools.ts';
import { t } from './i18n.ts';
import { rowTools } from './listTools.ts';
import { namesKey } from './optionSource.ts';
import { PageFrame } from './PageFrame.tsx';
import { hrefOf, type PageParams, usePage } from './page.ts';
import type { ToolWithHandler } from './pageTool.ts';
import { keyOf } from './query.ts';
import { type OpenDialog, ResourceDialogs, type ResourceForm, type ResourceRemoval } from './ResourceDialogs.tsx';
import { type BulkActions, ResourceList, type ResourceListProps, type VisibleRows } from './ResourceList.tsx';
import { type RowAction, RowMenu } from './RowMenu.tsx';
import type { ReadableResource, Row } from './resource.ts';
import { toast } from './toast.ts';
import { useListContext } from './useListContext.ts';

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
  removal?: ResourceRemoval<T>;
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

export function ResourcePage<T extends Row>(props: ResourcePageProps<T>) {
  const { crud, nameOf, form, removal, actions, canWrite = true, onBack } = props;
  const [dialog, setDialog] = useState<OpenDialog<T> | null>(null);
  const [visibleRows, setVisibleRows] = useState<VisibleRows<T> | null>(null);
  const noun = props.singular ?? t(crud.resource.replaceAll('_', ' '));
  const refresh = useRefresh(crud);
  const rowTarget = useRowTarget(props, setDialog);
  const createButton = useCreateButton(props, noun, setDialog);
  const actionsOf = (row: T): RowAction[] => [
    ...(actions?.(row) ?? []),
    ...(canWrite && form ? [{ label: t('Edit'), icon: IconPencil, run: () => setDialog({ edit: row }) }] : []),
    ...(canWrite && removal
      ? [{ label: t('Delete'), icon: IconTrash, run: () => setDialog({ remove: row }), danger: true }]
      : []),
  ];
  const bulk = props.bulk ?? (removal && { actions: deleteButton((bulkRemove) => setDialog({ bulkRemove })) });
  useListContext({
    title: props.title,
    description: props.description,
    crud,
    filters: props.filters,
    fixedQuery: props.fixedQuery,
    visibleRows,
    describeRow: (row) => ({ id: row.id, name: nameOf(row), ...props.assistantFields?.(row) }),
    tools: [...rowToolsOf(props, { noun, rowTarget, refresh }), ...(props.assistant ?? [])],
  });

  return (
    <PageFrame
      title={props.title}
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
        {...(canWrite && bulk ? { bulk: { ...bulk, nameOf } } : {})}
        {...(props.failureText === undefined ? {} : { failureText: props.failureText })}
        {...(props.emptyText === undefined ? {} : { emptyText: props.emptyText })}
        {...((canWrite && form) || removal || actions
          ? { tools: (row: T) => <RowMenu name={nameOf(row)} actions={actionsOf(row)} /> }
          : {})}
      />
      {dialog && (
        <ResourceDialogs
          dialog={dialog}
          crud={crud}
          noun={noun}
          nameOf={nameOf}
          form={form}
          removal={removal}
          onChanged={() => void refresh()}
          onClose={() => setDialog(null)}
        />
      )}
    </PageFrame>
  );
}

/** Return a function that rereads the rows of a resource wherever they are shown. */
function useRefresh<T extends Row>(crud: ReadableResource<T>) {
  const cache = useQueryClient();
  return () =>
    Promise.all(
      [keyOf(crud.list), keyOf(crud.get), namesKey(crud)].map((queryKey) => cache.invalidateQueries({ queryKey })),
    );
}

/** Return what opening a row does: its page, else the form, else nothing. */
function useRowTarget<T extends Row>(
  { rowLink, form, canWrite = true }: ResourcePageProps<T>,
  openDialog: (dialog: OpenDialog<T>) => void,
) {
  const page = usePage();
  return (row: T) => {
    if (rowLink) {
      const { page: key, params } = rowLink(row);
      return { href: hrefOf(key, params), open: () => page.go(key, params) };
    }
    return canWrite && form ? { open: () => openDialog({ edit: row }) } : null;
  };
}

function useCreateButton<T extends Row>(
  { createButton, form, newLink, canWrite = true }: ResourcePageProps<T>,
  noun: string,
  openDialog: (dialog: OpenDialog<T>) => void,
): ReactNode {
  const page = usePage();
  if (!canWrite || (!form && !newLink)) return createButton;
  return (
    createButton ?? (
      <Button
        size="xs"
        leftSection={<IconPlus size="1rem" />}
        onClick={() => (newLink ? page.go(newLink.page, newLink.params) : openDialog({ edit: null }))}
      >
        {t('New {{noun}}', { noun })}
      </Button>
    )
  );
}

type BulkSelection = Parameters<BulkActions<Row>['actions']>[0];

const deleteButton = (open: (chosen: BulkSelection) => void) => (chosen: BulkSelection) => (
  <Button size="xs" variant="light" color="red" leftSection={<IconTrash size="1rem" />} onClick={() => open(chosen)}>
    {t('Delete')}
  </Button>
);

interface RowToolsContext<T> {
  noun: string;
  rowTarget: (row: T) => { open: () => void } | null;
  refresh: () => Promise<unknown>;
}

/** Create the assistant's tools that open, delete, create and change rows, as far as the operator may. */
function rowToolsOf<T extends Row>(
  { crud, nameOf, rowLink, form, removal, canWrite = true }: ResourcePageProps<T>,
  { noun, rowTarget, refresh }: RowToolsContext<T>,
): ToolWithHandler[] {
  const remove = async (row: T, { crud: removable }: ResourceRemoval<T>) => {
    await call(removable.remove, { params: { id: row.id } });
    toast.success(t('Deleted {{name}}', { name: nameOf(row) }));
    void refresh();
  };
  const isEditable = canWrite && form !== undefined;
  return [
    ...rowTools<T>({
      singular: noun,
      read: (id) => call(crud.get, { params: { id } }),
      nameOf,
      open: rowLink || isEditable ? (row) => rowTarget(row)?.open() : null,
      remove: canWrite && removal ? (row) => remove(row, removal) : null,
    }),
    ...(isEditable && form.allowAssistant && removal
      ? formTools<T>({
          singular: noun,
          crud: { resource: crud.resource, ...form.crud, ...removal.crud },
          fields: form.fields(null),
          preset: form.preset ?? {},
          nameOf,
          refresh,
        })
      : []),
  ];
}
