import { Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { Filter } from './filter.ts';

/** A yes or no in a table: told apart by icon and word; quiet, because it stands on every row. */
export function YesNo({ value, yes, no }: { value: boolean; yes: string; no: string }) {
  const Icon = value ? IconCheck : IconMinus;
  return (
    <Text span inherit {...(value ? {} : { c: 'dimmed' })}>
      <Icon size="1em" aria-hidden style={{ verticalAlign: 'text-bottom' }} /> {value ? yes : no}
    </Text>
  );
}

/** The filter of a boolean. */
export function yesNoFilter(name: string, label: string, yes: string, no: string): Filter {
  const options = [
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ];
  return { kind: 'options', name, label, options };
}
