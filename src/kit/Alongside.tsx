import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';

interface AlongsideProps {
  /** What is deleted: counted anew for another. */
  of: readonly unknown[];
  count: () => Promise<string | null>;
}

/** What goes with a deletion, counted, in a sentence; its place is kept while it is counted. */
export function Alongside({ of, count }: AlongsideProps) {
  const counted = useQuery({ queryKey: ['alongside', ...of], queryFn: count, gcTime: 0 });
  return (
    <Text size="sm" c="dimmed" mih="1lh">
      {counted.data}
    </Text>
  );
}
