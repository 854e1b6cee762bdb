import { ActionIcon, Checkbox, Popover, Stack, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import { type Column, type ColumnChoice, mainColumn, shownColumns } from './columns.ts';
import { t } from './t.ts';

interface ColumnChooserProps<T> {
  columns: readonly Column<T>[];
  choice: ColumnChoice;
  onChange: (choice: ColumnChoice) => void;
}

/** Which columns a table shows. */
export function ColumnChooser<T>({ columns, choice, onChange }: ColumnChooserProps<T>) {
  const main = mainColumn(columns);
  const shown = new Set(shownColumns(columns, choice).map((column) => column.key));
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
              checked={shown.has(column.key)}
              disabled={column.key === main}
              onChange={(event) => onChange({ ...choice, [column.key]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The operator's choice of columns for a page, remembered in this browser. */
export function useColumnChoice(key: string): [ColumnChoice, (choice: ColumnChoice) => void] {
  const [choice, setChoice] = useLocalStorage<ColumnChoice>({
    key: `rapport-columns-${key}`,
    defaultValue: {},
    getInitialValueInEffect: false,
    deserialize: readChoice,
  });
  return [choice, setChoice];
}

function readChoice(stored: string | undefined): ColumnChoice {
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
