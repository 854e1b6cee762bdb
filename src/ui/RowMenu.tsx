import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { t } from './i18n.ts';

export interface RowAction {
  label: string;
  icon: ComponentType<{ size?: number | string }>;
  run: () => void;
  danger?: boolean;
}

/** Menu with the actions of a row. */
export function RowMenu({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  if (actions.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('Actions for {{name}}', { name })}>
          <IconDots size="1rem" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, icon: Icon, run, danger = false }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size="1rem" />}
            onClick={run}
            {...(danger ? { c: 'var(--mantine-color-error)' } : {})}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
