import { Skeleton, Stack, Text } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';

/** Skeleton of a conversation, so that the layout does not shift when it arrives. */
export function LoadingBubbles() {
  return (
    <Stack gap="sm" p="md" aria-busy>
      <Text size="xs" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('messages') })}
      </Text>
      <Skeleton height={56} width="60%" />
      <Skeleton height={72} width="55%" style={{ alignSelf: 'flex-end' }} />
      <Skeleton height={40} width="35%" />
      <Skeleton height={56} width="50%" style={{ alignSelf: 'flex-end' }} />
    </Stack>
  );
}
