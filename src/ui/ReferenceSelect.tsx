import { Loader, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { t } from './i18n.ts';
import type { OptionSource } from './optionSource.ts';
import { useOption } from './ReferenceName.tsx';
import { toast } from './toast.ts';

interface ReferenceSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange' | 'searchable' | 'filter'> {
  source: OptionSource;
  /** Id of the chosen row as text; '' for none. */
  value: string;
  onChange: (value: string) => void;
}

const SEARCH_DEBOUNCE_MS = 250;

/** Select a row by name. The server does the search. */
export function ReferenceSelect({ source, value, onChange, ...props }: ReferenceSelectProps) {
  const chosen = useSelectedOption(source, value);
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  // The input holds the chosen row's name until the operator types something else. That name is not a search.
  const searchText = chosen && typed === chosen.label ? '' : typed;
  const [search] = useDebouncedValue(searchText, SEARCH_DEBOUNCE_MS);
  const results = useQuery({
    queryKey: [...source.listKey, search],
    queryFn: ({ signal }) => source.search(search, signal),
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const failed = results.isError && !results.isFetching ? (source.failureText ?? t('Could not be loaded')) : null;
  const { failureText } = source;
  const failedAt = results.isError ? results.errorUpdatedAt : 0;
  useEffect(() => {
    if (failedAt > 0 && failureText !== null) toast.error(failureText);
  }, [failedAt, failureText]);
  const options = results.data ?? [];
  const missing = chosen && !options.some((option) => option.value === chosen.value) && search === '';
  return (
    <Select
      {...props}
      searchable
      // What is typed may still be on its way to the server: the first option may match something else.
      selectFirstOptionOnChange={false}
      allowDeselect={false}
      data={missing ? [chosen, ...options] : options}
      // The server has already filtered the options.
      filter={({ options }) => options}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => {
        setOpened(true);
        // Retry a failed search each time the dropdown opens.
        if (results.isError) void results.refetch();
      }}
      nothingFoundMessage={failed ?? noResultsText(results.isFetching || search !== searchText)}
      {...(results.isFetching && opened ? { rightSection: <Loader size="xs" /> } : {})}
      maxDropdownHeight="16rem"
    />
  );
}

function useSelectedOption(source: OptionSource, value: string): { value: string; label: string } | null {
  const { data, isPending } = useOption(source, value);
  if (value === '' || isPending) return null;
  return data ?? { value, label: `#${value}` };
}

function noResultsText(loading: boolean): string {
  return loading ? t('Loading…') : t('Nothing found');
}
