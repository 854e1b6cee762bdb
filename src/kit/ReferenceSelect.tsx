import { Loader, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Source } from './source.ts';
import { t } from './t.ts';
import { toast } from './toast.ts';

interface ReferenceSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange' | 'searchable' | 'filter'> {
  source: Source;
  /** The chosen row's id as text; '' for none. */
  value: string;
  onChange: (value: string) => void;
}

const TYPING_MS = 250;

/** Chooses a row by its name; the server searches. */
export function ReferenceSelect({ source, value, onChange, ...props }: ReferenceSelectProps) {
  const chosen = useChosen(source, value);
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  // The field holds the chosen name until something else is typed: that is no search.
  const wanted = chosen && typed === chosen.label ? '' : typed;
  const [search] = useDebouncedValue(wanted, TYPING_MS);
  const found = useQuery({
    queryKey: [...source.listKey, search],
    queryFn: ({ signal }) => source.search(search, signal),
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const failed = found.isError && !found.isFetching ? (source.failed ?? t('Could not be loaded')) : null;
  const told = found.isError ? source.failed : null;
  useEffect(() => {
    if (told !== null) toast.error(told);
  }, [told, found.errorUpdatedAt]);
  const listed = found.data ?? [];
  const missing = chosen && !listed.some((option) => option.value === chosen.value) && search === '';
  return (
    <Select
      {...props}
      searchable
      allowDeselect={false}
      data={missing ? [chosen, ...listed] : listed}
      // The server has searched already.
      filter={({ options }) => options}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => {
        setOpened(true);
        // What failed once is tried again with each opening.
        if (found.isError) void found.refetch();
      }}
      nothingFoundMessage={failed ?? nothingFound(found.isFetching || search !== wanted)}
      {...(found.isFetching && opened ? { rightSection: <Loader size="xs" /> } : {})}
      maxDropdownHeight="16rem"
    />
  );
}

/** The name of a row, for tables: nothing while it loads, its number when it is gone. */
export function ReferenceName({ source, id }: { source: Source; id: number }) {
  const { data, isPending } = useOne(source, String(id));
  if (isPending) return null;
  return <>{data?.label ?? `#${id}`}</>;
}

function useChosen(source: Source, value: string): { value: string; label: string } | null {
  const { data, isPending } = useOne(source, value);
  if (value === '' || isPending) return null;
  return data ?? { value, label: `#${value}` };
}

function useOne(source: Source, value: string) {
  return useQuery({
    queryKey: [...source.oneKey, value],
    queryFn: ({ signal }) => source.one(Number(value), signal),
    enabled: value !== '',
  });
}

function nothingFound(loading: boolean): string {
  return loading ? t('Loading…') : t('Nothing found');
}
