import { Alert, Button, Group, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { t } from './i18n.ts';

/** Notice that unsaved changes were restored. */
export function RestoredNotice({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <Alert
      variant="light"
      py="xs"
      role="status"
      icon={<IconHistory />}
      withCloseButton
      closeButtonLabel={t('Close')}
      onClose={onClose}
    >
      <Group gap="sm">
        <Text size="sm">{t('Your unsaved changes were restored')}</Text>
        <Button size="compact-xs" variant="default" onClick={onDiscard}>
          {t('Discard')}
        </Button>
      </Group>
    </Alert>
  );
}
