import { Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './Failure.tsx';
import { t } from './i18n.ts';

interface QueryListProps<L extends { items: readonly unknown[] }> {
  query: UseQueryResult<L, Error>;
  /** Plural name of the listed items. */
  entity: string;
  children: (list: L) => ReactNode;
}

/** A short list within a page, in each of its states: loading, failed, empty or loaded. */
export function QueryList<L extends { items: readonly unknown[] }>({ query, entity, children }: QueryListProps<L>) {
  if (query.data === undefined) {
    if (query.error) return <Failure error={query.error} onRetry={() => query.refetch()} />;
    return (
      <Stack gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {t('Loading {{entity}}...', { entity })}
        </Text>
        <Skeleton height="1lh" width="60%" />
      </Stack>
    );
  }
  return (
    <>
      {query.error && <Failure error={query.error} onRetry={() => query.refetch()} />}
      {query.data.items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No {{entity}} found', { entity })}
        </Text>
      ) : (
        children(query.data)
      )}
    </>
  );
}
