import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CascadeCounts } from './CascadeCounts.tsx';
import { Failure } from './Failure.tsx';
import { t } from './i18n.ts';

interface DeleteDialogProps {
  /** What is deleted, with its article and name: `the lead “Anna”`. */
  what: string;
  remove: () => Promise<unknown>;
  /** A sentence that counts what is deleted along with it. */
  cascadeCounts?: () => Promise<string | null>;
  onDone: () => void;
  onClose: () => void;
}

/** Ask before something is deleted and show an error inside the dialog. Mount it to open it. */
export function DeleteDialog({ what, remove, cascadeCounts, onDone, onClose }: DeleteDialogProps) {
  const [opened, setOpened] = useState(true);
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      setOpened(false);
      onDone();
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={() => !removing.isPending && setOpened(false)}
      onExitTransitionEnd={onClose}
      title={t('Delete')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('Are you sure you want to delete {{what}}? This action cannot be undone.', { what })}
        </Text>
        {cascadeCounts && <CascadeCounts queryKey={[what]} count={cascadeCounts} />}
        {removing.error && <Failure error={removing.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setOpened(false)} disabled={removing.isPending} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button color="red" loading={removing.isPending} onClick={() => removing.mutate()}>
            {t('Delete')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
