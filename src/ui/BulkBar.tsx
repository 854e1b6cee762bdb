/** Actions for the selected rows. The bar floats over the foot of the list, so nothing shifts when it appears. */
import { Button, CloseButton, Group, Paper, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import classes from './BulkBar.module.css';
import { formatNumber } from './format.ts';
import { t } from './i18n.ts';
import { useShortcut } from './shortcuts.ts';
import { toast } from './toast.ts';

interface BulkBarProps {
  count: number;
  /** Number of rows that match the list's search and filters. */
  total: number;
  /** Selects every row that matches the list's search and filters. */
  chooseAll: () => Promise<void>;
  clear: () => void;
  children: ReactNode;
}

export function BulkBar({ count, total, chooseAll, clear, children }: BulkBarProps) {
  const choosing = useMutation({ mutationFn: chooseAll, onError: toast.failure });
  useShortcut('Escape', t('Clear the selection'), clear);
  return (
    <Paper withBorder shadow="md" className={classes.bar} role="toolbar" aria-label={t('Selected rows')}>
      <CloseButton size="md" aria-label={t('Clear the selection')} onClick={clear} />
      <Text size="sm" fw={500} role="status" className={classes.count}>
        {t('{{count}} selected', { count: formatNumber(count) })}
      </Text>
      {count < total && (
        <Button size="xs" variant="subtle" loading={choosing.isPending} onClick={() => choosing.mutate()}>
          {t('Select all {{count}} matching', { count: formatNumber(total) })}
        </Button>
      )}
      <Group gap="xs">{children}</Group>
    </Paper>
  );
}
