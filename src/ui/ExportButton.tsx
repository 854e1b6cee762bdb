import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { ExportOptions } from './exportRows.ts';
import { t } from './i18n.ts';
import type { Row } from './resource.ts';
import { toast } from './toast.ts';

/** Save every row that matches the current view as CSV, with its order and columns. */
export function ExportButton<T extends Row>({ crud, columns, query }: ExportOptions<T>) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { exportRows } = await import('./exportRows.ts');
      const count = await exportRows({ crud, columns, query });
      toast.success(t('{{count, number}} rows saved', { count, defaultValue_one: '{{count}} row saved' }));
    } catch (error) {
      toast.failure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Tooltip label={t('Save as CSV')}>
      <ActionIcon
        variant="default"
        size="input-xs"
        aria-label={t('Save as CSV')}
        loading={busy}
        onClick={() => void save()}
      >
        <IconDownload size="1rem" />
      </ActionIcon>
    </Tooltip>
  );
}
