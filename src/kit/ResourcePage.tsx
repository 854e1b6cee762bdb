/** The page of a noun: its list, and its form and deletion in dialogs. */
import { Button } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { call } from './api.ts';
import { namesOf } from './filter.ts';
import { type Field, type FormValues, valuesOf } from './form.ts';
import { formTools } from './formTools.ts';
import { listQuery, readListState } from './listState.ts';
import { listTools, rowsTold, rowTools } from './listTools.ts';
import { PageFrame } from './PageFrame.tsx';
import { hrefOf, type PageParams, usePage } from './page.ts';
import { usePageContext } from './pageContext.ts';
import { pageTools, type ToolOfPage } from './pageTool.ts';
import { keyOf } from './query.ts';
import { type Bulk, ResourceList, type ResourceListProps, type Shown } from './ResourceList.tsx';
import { type RowAction, RowMenu } from './RowMenu.tsx';
import type { Readable, Removable, Row, Writable } from './resource.ts';
import { useProductZone, useScope } from './scope.ts';
import { namesKey } from './source.ts';
import { t } from './t.ts';
import { toast } from './toast.ts';

interface ResourceForm<T extends Row> {
  crud: Pick<Writable<T>, 'create' | 'replace' | 'get'>;
  /** Fields for a row; null: a new one. */
  fields: (row: T | null) => readonly Field[];
  /** What a new row begins with. */
  preset?: FormValues;
  /** The assistant may fill it in as well: nothing in it is a secret. */
  assisted?: boolean;
}

interface ResourcePageProps<T extends Row>
  extends Omit<ResourceListProps<T>, 'crud' | 'tools' | 'opening' | 'begin' | 'onShown' | 'bulk'> {
  crud: Readable<T>;
  title: string;
  /** What one row is called; without it the wire's word. */
  noun?: string;
  /** What this page is for, in a sentence; for the assistant. */
  description: string;
  nameOf: (row: T) => string;
  /** The page a row opens; without it the form. */
  rowLink?: (row: T) => { page: string; params: PageParams };
  form?: ResourceForm<T>;
  /** The button that makes a new row, where that is neither a form nor a page. */
  begin?: ReactNode;
  /** Where a new row is made on a page of its own. */
  newLink?: { page: string; params: PageParams };
  removal?: {
    crud: Pick<Removable<T>, 'remove'>;
    alongside?: (row: T) => Promise<string | null>;
    /** What goes with several, counted, in a sentence. */
    alongsideAll?: (ids: readonly number[]) => Promise<string | null>;
  };
  /** What can be done with several rows at once; without it they can be deleted where one can. */
  bulk?: Omit<Bulk<T>, 'nameOf'>;
  /** Besides edit and delete. */
  actions?: (row: T) => readonly RowAction[];
  canWrite?: boolean;
  onBack?: () => void;
  /** Buttons of the heading, before `New`. */
  buttons?: ReactNode;
  aside?: ReactNode;
  /** Between the heading and the list: tabs, a summary. */
  above?: ReactNode;
  /** What the assistant may do here besides narrowing the list, opening and deleting rows. */
  assistant?: readonly ToolOfPage[];
  /** What the assistant is told of a row besides id and name. */
  told?: (row: T) => object;
}

// A list is read far more often than changed, so its dialogs come when they are asked for.
const FormDialog = lazy(async () => ({ default: (await import('./FormDialog.tsx')).FormDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }));

const BulkDeleteDialog = lazy(async () => ({ default: (await import('./BulkDeleteDialog.tsx')).BulkDeleteDialog }));

type Several = Parameters<Bulk<Row>['actions']>[0];
type Doing<T> = { edit: T | null } | { remove: T } | { several: Several } | null;

export function ResourcePage<T extends Row>(props: ResourcePageProps<T>) {
  const { crud, title, nameOf, rowLink, form, newLink, removal, actions, canWrite = true, onBack } = props;
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const [doing, setDoing] = useState<Doing<T>>(null);
  const [shown, setShown] = useState<Shown<T> | null>(null);
  const noun = props.noun ?? t(crud.noun.replaceAll('_', ' '));
  const close = () => setDoing(null);
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
  const reread = async (to: ResourceForm<T>, row: T) =>
    valuesOf(to.fields(row), await call(to.crud.get, { params: { id: row.id } }), to.preset);
  const editable = canWrite && form !== undefined;
  const begins = canWrite && (form !== undefined || newLink !== undefined);
  const begin =
    props.begin ??
    (begins && (
      <Button
        size="xs"
        leftSection={<IconPlus size="1rem" />}
        onClick={() => (newLink ? page.go(newLink.page, newLink.params) : setDoing({ edit: null }))}
      >
        {t('New {{noun}}', { noun })}
      </Button>
    ));
  const actionsOf = (row: T): RowAction[] => [
    ...(actions?.(row) ?? []),
    ...(editable ? [{ label: t('Edit'), icon: IconPencil, run: () => setDoing({ edit: row }) }] : []),
    ...(canWrite && removal
      ? [{ label: t('Delete'), icon: IconTrash, run: () => setDoing({ remove: row }), danger: true }]
      : []),
  ];
  const several: Omit<Bulk<T>, 'nameOf'> | undefined =
    props.bulk ??
    (removal && {
      actions: (chosen) => (
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<IconTrash size="1rem" />}
          onClick={() => setDoing({ several: chosen })}
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
  const opening = (row: T) => {
    if (rowLink) {
      const { page: key, params } = rowLink(row);
      return { href: hrefOf(key, params), open: () => page.go(key, params) };
    }
    return editable ? { open: () => setDoing({ edit: row }) } : null;
  };

  const tellRow = (row: T) => ({ id: row.id, name: nameOf(row), ...props.told?.(row) });
  const zone = useProductZone();
  const shape = { orderBy: crud.orderBy, searchable: crud.search.length > 0 };
  usePageContext({
    description: props.description,
    summary: summaryOf(title, page.params, shown, tellRow),
    ...pageTools(
      ...listTools(t(crud.plural), shape, props.filters ?? [], page.params, async (changed) => {
        page.setParams(changed);
        const state = readListState(changed, { ...shape, filters: (props.filters ?? []).flatMap(namesOf) });
        const { items, total } = await call(crud.list, { query: { ...listQuery(state, zone), ...props.fixedQuery } });
        return { total, ...rowsTold(items.map(tellRow)) };
      }),
      ...rowTools<T>({
        noun,
        read: (id) => call(crud.get, { params: { id } }),
        nameOf,
        open: rowLink || editable ? (row) => opening(row)?.open() : null,
        remove: canWrite && removal ? (row) => remove(row) : null,
      }),
      ...(editable && form.assisted && removal
        ? formTools<T>({
            noun,
            crud: { noun: crud.noun, ...form.crud, ...removal.crud },
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
          {begin}
        </>
      }
    >
      {props.above}
      <ResourceList
        crud={crud}
        columns={props.columns}
        filters={props.filters ?? []}
        fixedQuery={props.fixedQuery ?? {}}
        opening={opening}
        begin={begin}
        onShown={setShown}
        {...(canWrite && several ? { bulk: { ...several, nameOf } } : {})}
        {...(props.failed === undefined ? {} : { failed: props.failed })}
        {...(props.emptyText === undefined ? {} : { emptyText: props.emptyText })}
        {...(editable || removal || actions
          ? { tools: (row: T) => <RowMenu name={nameOf(row)} actions={actionsOf(row)} /> }
          : {})}
      />
      <Suspense>
        {doing && 'edit' in doing && form && (
          <FormDialog
            title={doing.edit ? t('Edit {{noun}}', { noun }) : t('New {{noun}}', { noun })}
            fields={form.fields(doing.edit)}
            initial={valuesOf(form.fields(doing.edit), doing.edit, form.preset)}
            {...(doing.edit ? { reread: reread.bind(null, form, doing.edit) } : {})}
            submitLabel={doing.edit ? t('Save') : t('Create')}
            send={(body) => save(form.crud, doing.edit, body)}
            onDone={() => void refresh()}
            onClose={close}
            place={doing.edit ? `${crud.noun}/${doing.edit.id}` : `${crud.noun}/new/${product?.id ?? ''}`}
          />
        )}
        {doing && 'remove' in doing && removal && (
          <DeleteDialog
            what={t('the {{noun}} “{{name}}”', { noun, name: nameOf(doing.remove) })}
            remove={() => call(removal.crud.remove, { params: { id: doing.remove.id } })}
            {...(removal.alongside
              ? { alongside: () => removal.alongside?.(doing.remove) ?? Promise.resolve(null) }
              : {})}
            onDone={() => {
              toast.success(t('Deleted {{name}}', { name: nameOf(doing.remove) }));
              void refresh();
            }}
            onClose={close}
          />
        )}
        {doing && 'several' in doing && removal && (
          <BulkDeleteDialog
            ids={doing.several.ids}
            noun={noun}
            plural={t(crud.plural)}
            alongside={removal.alongsideAll}
            remove={(id) => call(removal.crud.remove, { params: { id } })}
            onDone={(gone) => {
              doing.several.keep(doing.several.ids.filter((id) => !gone.includes(id)));
              void refresh();
            }}
            onClose={close}
          />
        )}
      </Suspense>
    </PageFrame>
  );
}

/** What is on the screen, compact, for the assistant. */
function summaryOf<T extends Row>(
  title: string,
  params: Readonly<Record<string, string>>,
  shown: Shown<T> | null,
  told: (row: T) => object,
): string {
  if (shown === null || shown.stale) return JSON.stringify({ page: title, parameters: params, state: 'loading' });
  return JSON.stringify({ page: title, parameters: params, total: shown.total, ...rowsTold(shown.rows.map(told)) });
}
