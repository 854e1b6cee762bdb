/** The menu of saved views beside the filters of a list. */
import { Button, Menu, Text } from '@mantine/core';
import { IconBookmark, IconCheck, IconDeviceFloppy, IconDots, IconPlus, IconUsers } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import type { ListMenuProps } from '../../../ui/listMenu.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { type SavedView, savedViews } from '../../viewContract.ts';
import { openedView, rememberView, viewInList } from './openedView.ts';
import { useSaveChanges } from './useSaveChanges.tsx';

const ViewDialog = lazy(() => import('./ViewDialog.tsx'));

export function SavedViews(props: ListMenuProps) {
  const { company } = useScope();
  return company && <ViewsMenu {...props} companyId={company.id} />;
}

/** What the dialog is about: a new view, or one that exists. */
type Editing = { readonly view: SavedView | null };

function ViewsMenu({ companyId, ...menu }: ListMenuProps & { companyId: number }) {
  const { list, params, open } = menu;
  const { operator } = useScope();
  const [opened, setOpened] = useState(false);
  const [editing, setEditing] = useState<Editing | null>(null);
  const { data } = useEndpoint(savedViews, { params: { id: companyId }, query: { page: list } });
  const views = data?.views ?? [];
  const { current, changed } = viewInList(views, { opened: openedView(list), params });
  const changes = useSaveChanges(menu, companyId);
  const label = current?.name ?? (changed ? t('{{name}} (changed)', { name: changed.name }) : t('Views'));
  const mayChange = ({ own }: SavedView) => own || operator.role === 'admin';
  return (
    <>
      <Menu position="bottom-end" opened={opened} onChange={setOpened}>
        <Menu.Target>
          <Button size="xs" variant="default" maw="12rem" aria-label={label}>
            <IconBookmark size="1rem" aria-hidden style={{ flex: 'none' }} />
            <Text span inherit truncate ml="xs" visibleFrom="sm">
              {label}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="24rem" style={{ overflowY: 'auto' }}>
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              leftSection={
                view === current ? <IconCheck size={16} /> : <span style={{ display: 'block', width: 16 }} />
              }
              rightSection={view.shared ? <IconUsers size={14} aria-label={t('Shared')} /> : null}
              title={view.own ? undefined : t('Shared by {{login}}', { login: view.operator })}
              onClick={() => {
                rememberView(list, view);
                open(view.params);
              }}
            >
              {view.name}
            </Menu.Item>
          ))}
          {views.length === 0 && <Menu.Label>{t('No saved views')}</Menu.Label>}
          <Menu.Divider />
          {changed && mayChange(changed) && (
            <Menu.Item
              leftSection={<IconDeviceFloppy size={16} />}
              disabled={changes.isSaving}
              onClick={() => changes.save(changed)}
            >
              {t('Save changes to {{name}}', { name: changed.name })}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => setEditing({ view: null })}>
            {changed ? t('Save as a new view') : t('Save view')}
          </Menu.Item>
          {current && mayChange(current) && (
            <Menu.Item leftSection={<IconDots size={16} />} onClick={() => setEditing({ view: current })}>
              {t('Rename, share or delete {{name}}', { name: current.name })}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {changes.question}
      {editing && (
        <Suspense>
          <ViewDialog
            companyId={companyId}
            list={list}
            params={params}
            view={editing.view}
            onClose={() => setEditing(null)}
          />
        </Suspense>
      )}
    </>
  );
}
