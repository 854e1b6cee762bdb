import { useQuery } from '@tanstack/react-query';
import type { OptionSource } from './optionSource.ts';

/** The name of a row, for tables. Empty while it loads; the row's id when the row no longer exists. */
export function ReferenceName({ source, id }: { source: OptionSource; id: number }) {
  const { data, isPending } = useOption(source, String(id));
  if (isPending) return null;
  return <>{data?.label ?? `#${id}`}</>;
}

/** Read the option of a row. */
export function useOption(source: OptionSource, value: string) {
  return useQuery({
    queryKey: [...source.itemKey, value],
    queryFn: ({ signal }) => source.get(Number(value), signal),
    enabled: value !== '',
  });
}
