/** The menu of saved views beside the filters of a list. */
import { Button, Menu, Text } from '@mantine/core';
import { IconBookmark, IconCheck, IconDots, IconPlus, IconUsers } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import type { ListMenuProps } from '../../../ui/listMenu.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { type SavedView, savedViews } from '../../viewContract.ts';

const ViewDialog = lazy(() => import('./ViewDialog.tsx'));

export function SavedViews(props: ListMenuProps) {
  const { company } = useScope();
  return company && <ViewsMenu {...props} companyId={company.id} />;
}

/** What the dialog is about: a new view, or one that exists. */
type Editing = { readonly view: SavedView | null };

function ViewsMenu({ list, params, open, companyId }: ListMenuProps & { companyId: number }) {
  const { operator } = useScope();
  const [opened, setOpened] = useState(false);
  const [editing, setEditing] = useState<Editing | null>(null);
  const { data } = useEndpoint(savedViews, { params: { id: companyId }, query: { page: list } });
  const views = data?.views ?? [];
  const current = views.find((view) => isSame(view.params, params));
  const label = current?.name ?? t('Views');
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
              onClick={() => open(view.params)}
            >
              {view.name}
            </Menu.Item>
          ))}
          {views.length === 0 && <Menu.Label>{t('No saved views')}</Menu.Label>}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => setEditing({ view: null })}>
            {t('Save view')}
          </Menu.Item>
          {current && mayChange(current) && (
            <Menu.Item leftSection={<IconDots size={16} />} onClick={() => setEditing({ view: current })}>
              {t('Rename, share or delete {{name}}', { name: current.name })}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
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

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
