/** Ask before logging out discards unsaved changes. */
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../ui/i18n.ts';
import { endSession } from './session.ts';

interface LogOutDialogProps {
  /** Names of the unsaved documents. */
  unsaved: readonly string[];
  onClose: () => void;
}

export default function LogOutDialog({ unsaved, onClose }: LogOutDialogProps) {
  const [leaving, setLeaving] = useState(false);
  const logOut = async () => {
    setLeaving(true);
    await endSession();
    // Still mounted, so the logout failed. A toast shows the reason.
    setLeaving(false);
  };
  return (
    <Modal opened onClose={onClose} title={t('Log out')} centered closeButtonProps={{ 'aria-label': t('Close') }}>
      <Stack gap="md">
        <Text size="sm">{t('You have unsaved changes. Logging out discards them.')}</Text>
        <List size="sm">
          {unsaved.map((what) => (
            <List.Item key={what}>{what}</List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('Stay signed in')}
          </Button>
          <Button color="red" loading={leaving} onClick={() => void logOut()}>
            {t('Discard and log out')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
