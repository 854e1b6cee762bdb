import { Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { Filter } from './filter.ts';

/** A boolean in a table, as an icon and a word. Unobtrusive, because it appears on every row. */
export function YesNo({ value, yes, no }: { value: boolean; yes: string; no: string }) {
  const Icon = value ? IconCheck : IconMinus;
  return (
    <Text span inherit {...(value ? {} : { c: 'dimmed' })}>
      <Icon size="1em" aria-hidden style={{ verticalAlign: 'text-bottom' }} /> {value ? yes : no}
    </Text>
  );
}

/** Build the filter for a boolean column. */
export function yesNoFilter({
  name,
  label,
  yes,
  no,
}: {
  name: string;
  label: string;
  yes: string;
  no: string;
}): Filter {
  const options = [
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ];
  return { kind: 'options', name, label, options };
}
