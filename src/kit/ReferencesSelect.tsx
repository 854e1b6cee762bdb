import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Source } from './source.ts';
import { t } from './t.ts';

interface ReferencesSelectProps
  extends Omit<MultiSelectProps, 'data' | 'value' | 'onChange' | 'searchable' | 'filter'> {
  source: Source;
  /** Ids of the chosen rows. */
  value: readonly number[];
  onChange: (value: readonly number[]) => void;
}

const TYPING_MS = 250;

/** Chooses several rows by their names; the server searches. */
export function ReferencesSelect({ source, value, onChange, ...props }: ReferencesSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const found = useQuery({
    queryKey: [...source.listKey, search],
    queryFn: ({ signal }) => source.search(search, signal),
    placeholderData: keepPreviousData,
  });
  const chosen = useQueries({
    queries: value.map((id) => ({
      queryKey: [...source.oneKey, String(id)],
      queryFn: ({ signal }: { signal: AbortSignal }) => source.one(id, signal),
    })),
  }).map(({ data }, index) => data ?? { value: String(value[index]), label: `#${value[index]}` });
  const listed = found.data ?? [];
  const missing = chosen.filter((one) => !listed.some((option) => option.value === one.value));
  return (
    <MultiSelect
      {...props}
      searchable
      hidePickedOptions
      data={[...listed, ...missing]}
      value={value.map(String)}
      onChange={(next) => onChange(next.map(Number))}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => {
        // What failed once is tried again with each opening.
        if (found.isError) void found.refetch();
      }}
      nothingFoundMessage={
        found.isFetching
          ? t('Loading…')
          : found.isError
            ? (source.failed ?? t('Could not be loaded'))
            : t('Nothing found')
      }
      maxDropdownHeight="16rem"
    />
  );
}
