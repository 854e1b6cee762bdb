import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

interface CascadeCountsProps {
  /** Identifies what is deleted. A new key starts a new count. */
  queryKey: readonly unknown[];
  count: () => Promise<string | null>;
}

/** A sentence that counts what a deletion also removes. Reserves its space while the count loads. */
export function CascadeCounts({ queryKey, count }: CascadeCountsProps) {
  const counts = useQuery({ queryKey: ['alongside', ...queryKey], queryFn: count, gcTime: 0 });
  return (
    <Text size="sm" c="dimmed" mih="1lh">
      {counts.data}
    </Text>
  );
}
