import { Button, Group, List, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Alongside } from './Alongside.tsx';
import { ApiError } from './api.ts';
import { t } from './t.ts';
import { toast } from './toast.ts';

interface BulkDeleteDialogProps {
  ids: readonly number[];
  /** What they are called, one and many. */
  noun: string;
  plural: string;
  /** What goes with them, counted, in a sentence. */
  alongside?: ((ids: readonly number[]) => Promise<string | null>) | undefined;
  remove: (id: number) => Promise<unknown>;
  /** Told what is gone; what was refused stays chosen. */
  onDone: (gone: readonly number[]) => void;
  onClose: () => void;
}

/** The connection was lost on the way: what was gone by then. */
class Gone extends Error {
  readonly ids: readonly number[];
  constructor(ids: readonly number[]) {
    super('Not all were deleted');
    this.ids = ids;
  }
}

/** Asks once and deletes one by one; what is refused stays and says why. Mount it to open it. */
export function BulkDeleteDialog(props: BulkDeleteDialogProps) {
  const { ids, noun, plural, alongside, remove } = props;
  const [opened, setOpened] = useState(true);
  const [done, setDone] = useState(0);
  const stopped = useRef(false);
  const called = (count: number) => `${count} ${count === 1 ? noun : plural}`;

  const running = useMutation({
    mutationFn: async () => {
      const gone: number[] = [];
      const refusals: Record<string, number> = {};
      for (const [index, id] of ids.entries()) {
        if (stopped.current) break;
        try {
          await remove(id);
          gone.push(id);
        } catch (error) {
          const status = error instanceof ApiError ? error.status : null;
          // What somebody else has deleted meanwhile is gone as wished.
          if (status === 404) gone.push(id);
          // Without an answer or a session each of them would fail alike.
          else if (status === 0 || status === 401 || status === 408)
            throw Object.assign(new Gone(gone), { cause: error });
          else {
            const why = error instanceof Error ? error.message : String(error);
            refusals[why] = (refusals[why] ?? 0) + 1;
          }
        }
        setDone(index + 1);
      }
      return { gone, refusals };
    },
    onSuccess: ({ gone, refusals }) => {
      props.onDone(gone);
      if (gone.length > 0) toast.success(t('Deleted {{what}}', { what: called(gone.length) }));
      if (Object.keys(refusals).length === 0) setOpened(false);
    },
    onError: (error) => {
      if (error instanceof Gone) props.onDone(error.ids);
      toast.failure(error.cause);
      setOpened(false);
    },
  });
  const refusals = Object.entries(running.data?.refusals ?? {});
  const close = () => {
    if (running.isPending) stopped.current = true;
    else setOpened(false);
  };

  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={props.onClose}
      title={t('Delete')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {running.isSuccess ? (
          <>
            <Text size="sm">{t('Some stayed, and why:')}</Text>
            <List size="sm" role="alert">
              {refusals.map(([why, count]) => (
                <List.Item key={why}>{count === 1 ? why : `${count} × ${why}`}</List.Item>
              ))}
            </List>
          </>
        ) : (
          <>
            <Text size="sm">
              {t('Are you sure you want to delete {{what}}? This action cannot be undone.', {
                what: called(ids.length),
              })}
            </Text>
            {alongside && <Alongside of={[plural, ids]} count={() => alongside(ids)} />}
          </>
        )}
        {running.isPending && <Progress value={(done / ids.length) * 100} aria-label={t('Progress')} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            {running.isSuccess ? t('Close') : running.isPending ? t('Stop') : t('Cancel')}
          </Button>
          {!running.isSuccess && (
            <Button color="red" loading={running.isPending} onClick={() => running.mutate()}>
              {t('Delete')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
