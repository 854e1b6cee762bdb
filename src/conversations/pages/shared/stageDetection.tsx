/** Whether a product's stage detection is on, and the card that turns it on. */
import { Button, Group, type MantineSpacing, Paper, Text } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import { classificationConfigs } from '../../classificationConfigContract.ts';
import { turnOnStageDetection } from '../../stageDetectionContract.ts';
import { refreshStageDetection } from './stageDetectionTool.ts';

/** Read a product's settings of stage detection. It is on if a configuration exists. */
export function useStageDetection(productId: number) {
  return useEndpoint(
    classificationConfigs.list,
    { query: { product_id: [productId], limit: 1 } },
    { enabled: productId > 0 },
  );
}

interface StageDetectionOffProps {
  productId: number;
  m?: MantineSpacing;
  mb?: MantineSpacing;
}

/** Shown where stage detection is off: turns it on with ready-made prompts. Renders nothing while it is on. */
export function StageDetectionOff({ productId, ...margins }: StageDetectionOffProps) {
  const turnOn = useCall(turnOnStageDetection);
  const found = useStageDetection(productId);
  if (found.data?.items.length !== 0) return null;
  return (
    <Paper withBorder p="sm" {...margins} component="section" aria-label={t('Stage detection')}>
      <Group justify="space-between" gap="sm">
        <div style={{ flex: '1 1 14rem' }}>
          <Text size="sm" fw={600}>
            {t('Stage detection is off.')}
          </Text>
          <Text size="sm" c="dimmed">
            {t('Ready-made prompts find out which leads agree, decline or need time. You can edit them later.')}
          </Text>
        </div>
        <Button
          size="xs"
          variant="light"
          leftSection={<IconTags size="1rem" />}
          loading={turnOn.isPending}
          onClick={() =>
            turnOn.mutate(
              { params: { id: productId } },
              {
                onSuccess: () => toast.success(t('Stage detection is on')),
                onError: toast.failure,
                // Another operator may have turned it on at the same time.
                onSettled: () => void refreshStageDetection(),
              },
            )
          }
        >
          {t('Turn on')}
        </Button>
      </Group>
    </Paper>
  );
}
