import { Button } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { audit, exportAudit } from '../../access/auditContract.ts';
import { callText } from '../../ui/api.ts';
import { downloadFile } from '../../ui/downloadFile.ts';
import { type Filter, filterParamNames } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { listQuery, withoutPaging } from '../../ui/listState.ts';
import { useProductZone } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { useListState } from '../../ui/useListState.ts';

/** Button that saves all entries matching the present filters, with the state before and after. */
export function ExportLog({ filters }: { filters: readonly Filter[] }) {
  const [state] = useListState({
    orderBy: audit.orderBy,
    filters: filters.flatMap(filterParamNames),
    searchable: true,
  });
  const zone = useProductZone();
  const saving = useMutation({
    mutationFn: () => callText(exportAudit, { query: withoutPaging(listQuery(state, zone)) }),
    onSuccess: (text) => downloadFile('audit-log.ndjson', text, exportAudit.media),
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
