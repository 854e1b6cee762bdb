import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

interface CascadeCountsProps {
  /** What is deleted: counted anew for another. */
  queryKey: readonly unknown[];
  count: () => Promise<string | null>;
}

/** What goes with a deletion, counted, in a sentence; its place is kept while it is counted. */
export function CascadeCounts({ queryKey, count }: CascadeCountsProps) {
  const counts = useQuery({ queryKey: ['alongside', ...queryKey], queryFn: count, gcTime: 0 });
  return (
    <Text size="sm" c="dimmed" mih="1lh">
      {counts.data}
    </Text>
  );
}
