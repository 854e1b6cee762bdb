/** Bulk actions on leads. */
import { Button } from '@mantine/core';
import { IconArrowsExchange, IconTag, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../ui/i18n.ts';
import type { BulkAction } from '../bulkContract.ts';

const BulkDialog = lazy(() => import('./BulkDialog.tsx'));

interface Selection {
  ids: readonly number[];
  /** Set the selection that remains afterwards. */
  keepSelected: (remaining: readonly number[]) => void;
}

/** The buttons of the selection bar. */
export function BulkLeads({ chosen }: { chosen: Selection }) {
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconArrowsExchange size="1rem" />}
        onClick={() => setAction({ kind: 'change_stage', new_stage: 'pending', update_in_crm: true })}
      >
        {t('Change stage')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUserOff size="1rem" />}
        onClick={() => setAction({ kind: 'deactivate' })}
      >
        {t('Deactivate')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconTag size="1rem" />}
        onClick={() => setAction({ kind: 'change_tags', add: [], remove: [] })}
      >
        {t('Tags')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUserCheck size="1rem" />}
        onClick={() => setAction({ kind: 'set_owner', owner_id: null })}
      >
        {t('Owner')}
      </Button>
      <Button
        size="xs"
        variant="light"
        color="red"
        leftSection={<IconTrash size="1rem" />}
        onClick={() => setAction({ kind: 'delete' })}
      >
        {t('Delete')}
      </Button>
      {action && (
        <Suspense>
          <BulkDialog
            ids={chosen.ids}
            action={action}
            onChange={setAction}
            onDeleted={chosen.keepSelected}
            onClose={() => setAction(null)}
          />
        </Suspense>
      )}
    </>
  );
}
