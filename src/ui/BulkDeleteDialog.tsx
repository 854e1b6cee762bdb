import { Button, Group, List, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from './api.ts';
import { CascadeCounts } from './CascadeCounts.tsx';
import { t } from './i18n.ts';
import { toast } from './toast.ts';

interface BulkDeleteDialogProps {
  ids: readonly number[];
  /** Names of the rows, singular and plural. */
  singular: string;
  plural: string;
  /** A sentence that counts what is deleted along with the rows. */
  cascadeCounts?: ((ids: readonly number[]) => Promise<string | null>) | undefined;
  remove: (id: number) => Promise<unknown>;
  /** Called with the ids that were deleted. Rows whose deletion was refused stay selected. */
  onDone: (deletedIds: readonly number[]) => void;
  onClose: () => void;
}

/** The connection was lost during a bulk deletion. `ids` are the rows deleted by then. */
class PartialDeleteError extends Error {
  readonly ids: readonly number[];
  constructor(ids: readonly number[]) {
    super('Not all were deleted');
    this.ids = ids;
  }
}

/**
 * Ask once, then delete the rows one by one. Rows that cannot be deleted stay, with the reason. Mount it to open it.
 */
export function BulkDeleteDialog(props: BulkDeleteDialogProps) {
  const { ids, singular, plural, cascadeCounts, remove } = props;
  const [opened, setOpened] = useState(true);
  const [done, setDone] = useState(0);
  const isStopped = useRef(false);
  const countedName = (count: number) => `${count} ${count === 1 ? singular : plural}`;

  const running = useMutation({
    mutationFn: () => deleteEach(ids, remove, { isStopped: () => isStopped.current, onProgress: setDone }),
    onSuccess: ({ deletedIds, refusals }) => {
      props.onDone(deletedIds);
      if (deletedIds.length > 0) toast.success(t('Deleted {{what}}', { what: countedName(deletedIds.length) }));
      if (Object.keys(refusals).length === 0) setOpened(false);
    },
    onError: (error) => {
      if (error instanceof PartialDeleteError) props.onDone(error.ids);
      toast.failure(error.cause);
      setOpened(false);
    },
  });
  const refusals = Object.entries(running.data?.refusals ?? {});
  const close = () => {
    if (running.isPending) isStopped.current = true;
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
              {refusals.map(([reason, count]) => (
                <List.Item key={reason}>{count === 1 ? reason : `${count} × ${reason}`}</List.Item>
              ))}
            </List>
          </>
        ) : (
          <>
            <Text size="sm">
              {t('Are you sure you want to delete {{what}}? This action cannot be undone.', {
                what: countedName(ids.length),
              })}
            </Text>
            {cascadeCounts && <CascadeCounts queryKey={[plural, ids]} count={() => cascadeCounts(ids)} />}
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

interface DeleteProgress {
  isStopped: () => boolean;
  onProgress: (done: number) => void;
}

/** Delete rows one by one. Return the deleted ones, and how often each reason prevented a deletion. */
async function deleteEach(
  ids: readonly number[],
  remove: (id: number) => Promise<unknown>,
  { isStopped, onProgress }: DeleteProgress,
) {
  const deletedIds: number[] = [];
  const refusals: Record<string, number> = {};
  for (const [index, id] of ids.entries()) {
    if (isStopped()) break;
    try {
      await remove(id);
      deletedIds.push(id);
    } catch (error) {
      const status = error instanceof ApiError ? error.status : null;
      // Another operator has already deleted it, which is the desired result.
      if (status === 404) deletedIds.push(id);
      // Without a response or a session, every further call would fail the same way.
      else if (status === 0 || status === 401 || status === 408)
        throw Object.assign(new PartialDeleteError(deletedIds), { cause: error });
      else {
        const reason = error instanceof Error ? error.message : String(error);
        refusals[reason] = (refusals[reason] ?? 0) + 1;
      }
    }
    onProgress(index + 1);
  }
  return { deletedIds, refusals };
}
