import { ActionIcon, Checkbox, Popover, Stack, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import { type Column, type ColumnVisibility, primaryColumn, visibleColumns } from './columns.ts';
import { t } from './i18n.ts';

interface ColumnChooserProps<T> {
  columns: readonly Column<T>[];
  choice: ColumnVisibility;
  onChange: (choice: ColumnVisibility) => void;
}

/** Menu for choosing the visible columns of a table. */
export function ColumnChooser<T>({ columns, choice, onChange }: ColumnChooserProps<T>) {
  const primary = primaryColumn(columns);
  const visible = new Set(visibleColumns(columns, choice).map((column) => column.key));
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Tooltip label={t('Columns')}>
          <ActionIcon variant="default" size="input-xs" aria-label={t('Columns')}>
            <IconColumns3 size="1rem" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {columns.map((column) => (
            <Checkbox
              key={column.key}
              size="xs"
              label={column.label}
              checked={visible.has(column.key)}
              disabled={column.key === primary}
              onChange={(event) => onChange({ ...choice, [column.key]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The operator's column choice for a page, stored in this browser. */
export function useColumnChoice(key: string): [ColumnVisibility, (choice: ColumnVisibility) => void] {
  const [choice, setChoice] = useLocalStorage<ColumnVisibility>({
    key: `rapport-columns-${key}`,
    defaultValue: {},
    getInitialValueInEffect: false,
    deserialize: readChoice,
  });
  return [choice, setChoice];
}

function readChoice(stored: string | undefined): ColumnVisibility {
  try {
    const read: unknown = JSON.parse(stored ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(
      Object.entries(read).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
  } catch {
    return {};
  }
}
