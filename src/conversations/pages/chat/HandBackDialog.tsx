/** Asks before a dialogue is handed back in which the lead waits: the bot may answer at once, whatever the time there. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { HandBack } from '../../../outreach/handBackContract.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { describeHandBack } from '../handBack.ts';

interface HandBackDialogProps {
  handBack: HandBack;
  onHandBack: (choice: { staySilent: boolean }) => void;
  onClose: () => void;
}

/** Mount it to open it. */
export function HandBackDialog({ handBack, onHandBack, onClose }: HandBackDialogProps) {
  const [opened, setOpened] = useState(true);
  const choose = (staySilent: boolean) => {
    setOpened(false);
    onHandBack({ staySilent });
  };
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      onExitTransitionEnd={onClose}
      title={t('Hand back to bot')}
      size={540}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">
          <PlainText text={describeHandBack(handBack)} />
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" color="gray" onClick={() => setOpened(false)}>
            {t('Cancel')}
          </Button>
          <Button variant="default" onClick={() => choose(true)}>
            {t('Hand back and stay silent')}
          </Button>
          <Button onClick={() => choose(false)} data-autofocus>
            {t('Hand back')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
