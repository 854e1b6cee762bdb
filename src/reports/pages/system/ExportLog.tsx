import { Button } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { callText } from '../../../kit/api.ts';
import { saveFile } from '../../../kit/csv.ts';
import { type Filter, namesOf } from '../../../kit/filter.ts';
import { listQuery, narrowingOf } from '../../../kit/listState.ts';
import { useProductZone } from '../../../kit/scope.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { useListState } from '../../../kit/useListState.ts';
import { audit, exportAudit } from '../../../operators/auditContract.ts';

/** Saves all entries that the filters in view find, with what stood before and after. */
export function ExportLog({ filters }: { filters: readonly Filter[] }) {
  const [state] = useListState({ orderBy: audit.orderBy, filters: filters.flatMap(namesOf), searchable: true });
  const zone = useProductZone();
  const saving = useMutation({
    mutationFn: () => callText(exportAudit, { query: narrowingOf(listQuery(state, zone)) }),
    onSuccess: (text) => saveFile('audit-log.ndjson', text, exportAudit.media),
    onError: toast.failure,
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconFileExport size="1rem" />}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      {t('Export log')}
    </Button>
  );
}
