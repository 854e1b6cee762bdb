import { Badge } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { Filter } from './filter.ts';

/** A yes or no in a table: told apart by icon, word and colour. */
export function YesNo({ value, yes, no }: { value: boolean; yes: string; no: string }) {
  const Icon = value ? IconCheck : IconMinus;
  return (
    <Badge color={value ? 'teal' : 'gray'} leftSection={<Icon size="0.8rem" aria-hidden />}>
      {value ? yes : no}
    </Badge>
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
