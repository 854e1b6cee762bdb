import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Failure } from './Failure.tsx';
import { t } from './i18n.ts';

interface ConfirmDialogProps<A> {
  title: string;
  /** What the action will do. */
  text: string;
  /** What is shown below the text. */
  children?: ReactNode;
  /** Label of the confirm button. */
  confirm: string;
  /** Colour of the confirm button; red for actions that cannot be undone. */
  color?: 'accent' | 'red';
  run: () => Promise<A>;
  onDone: (answer: A) => void;
  onClose: () => void;
}

/** Ask for confirmation, run the action and show its error inside the dialog. Mount it to open it. */
export function ConfirmDialog<A>(props: ConfirmDialogProps<A>) {
  const [opened, setOpened] = useState(true);
  const running = useMutation({
    mutationFn: props.run,
    onSuccess: (answer) => {
      setOpened(false);
      props.onDone(answer);
    },
  });
  const close = () => {
    if (!running.isPending) setOpened(false);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">{props.text}</Text>
        {props.children}
        {running.error && <Failure error={running.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={running.isPending} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button color={props.color ?? 'accent'} loading={running.isPending} onClick={() => running.mutate()}>
            {props.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
