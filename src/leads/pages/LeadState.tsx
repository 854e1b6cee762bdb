import { Group, ThemeIcon, Tooltip } from '@mantine/core';
import { IconCloudUpload, IconPlayerPause } from '@tabler/icons-react';
import { t } from '../../ui/i18n.ts';
import type { Lead } from '../contract.ts';
import { activityLabel, StageBadge } from './shared/stage.tsx';

/** The stage, with icons for an inactive lead and for a stage not yet written to the CRM. */
export function LeadState({ lead }: { lead: Lead }) {
  const state = activityLabel(lead);
  return (
    <Group gap="xs" wrap="nowrap">
      <StageBadge stage={lead.stage} />
      {!lead.is_active && (
        <Tooltip label={state}>
          <ThemeIcon variant="light" color="gray" size="xs" role="img" aria-label={state}>
            <IconPlayerPause size={12} />
          </ThemeIcon>
        </Tooltip>
      )}
      {lead.crm_pending && (
        <Tooltip label={t('Waiting to sync to the CRM')}>
          <ThemeIcon variant="light" color="yellow" size="xs" role="img" aria-label={t('Waiting to sync to the CRM')}>
            <IconCloudUpload size={12} />
          </ThemeIcon>
        </Tooltip>
      )}
    </Group>
  );
}
