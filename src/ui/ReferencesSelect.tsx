import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from './i18n.ts';
import type { OptionSource } from './optionSource.ts';

interface ReferencesSelectProps
  extends Omit<MultiSelectProps, 'data' | 'value' | 'onChange' | 'searchable' | 'filter'> {
  source: OptionSource;
  /** Ids of the chosen rows. */
  value: readonly number[];
  onChange: (value: readonly number[]) => void;
}

const SEARCH_DEBOUNCE_MS = 250;

/** Select several rows by name. The server does the search. */
export function ReferencesSelect({ source, value, onChange, ...props }: ReferencesSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, SEARCH_DEBOUNCE_MS);
  const results = useQuery({
    queryKey: [...source.listKey, search],
    queryFn: ({ signal }) => source.search(search, signal),
    placeholderData: keepPreviousData,
  });
  const chosen = useQueries({
    queries: value.map((id) => ({
      queryKey: [...source.itemKey, String(id)],
      queryFn: ({ signal }: { signal: AbortSignal }) => source.get(id, signal),
    })),
  }).map(({ data }, index) => data ?? { value: String(value[index]), label: `#${value[index]}` });
  const options = results.data ?? [];
  const missing = chosen.filter((one) => !options.some((option) => option.value === one.value));
  return (
    <MultiSelect
      {...props}
      searchable
      hidePickedOptions
      data={[...options, ...missing]}
      value={value.map(String)}
      onChange={(next) => onChange(next.map(Number))}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => {
        // Retry a failed search each time the dropdown opens.
        if (results.isError) void results.refetch();
      }}
      nothingFoundMessage={
        results.isFetching
          ? t('Loading…')
          : results.isError
            ? (source.failureText ?? t('Could not be loaded'))
            : t('Nothing found')
      }
      maxDropdownHeight="16rem"
    />
  );
}
