import { Button, Group, List, Modal, Progress, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { ApiError } from './api.ts';
import { t } from './t.ts';
import { toast } from './toast.ts';

interface BulkDeleteDialogProps {
  ids: readonly number[];
  /** What they are called, one and many. */
  noun: string;
  plural: string;
  /** What goes with them, in a sentence. */
  alongside?: string | undefined;
  remove: (id: number) => Promise<unknown>;
  /** Told what is gone; what was refused stays chosen. */
  onDone: (gone: readonly number[]) => void;
  onClose: () => void;
}

/** Asks once and deletes one by one; what is refused stays and says why. Mount it to open it. */
export function BulkDeleteDialog(props: BulkDeleteDialogProps) {
  const { ids, noun, plural, alongside, remove } = props;
  const [opened, setOpened] = useState(true);
  const [done, setDone] = useState<number | null>(null);
  const [refusals, setRefusals] = useState<Readonly<Record<string, number>>>({});
  const stopped = useRef(false);
  const what = `${ids.length} ${ids.length === 1 ? noun : plural}`;
  const stayed = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  const running = done !== null && done < ids.length && !stopped.current;
  const over = done !== null && !running;

  const run = async () => {
    const gone: number[] = [];
    const told: Record<string, number> = {};
    setDone(0);
    for (const [index, id] of ids.entries()) {
      if (stopped.current) break;
      try {
        await remove(id);
        gone.push(id);
      } catch (error) {
        // What somebody else has deleted meanwhile is gone as wished.
        if (error instanceof ApiError && error.status === 404) gone.push(id);
        else {
          const why = error instanceof Error ? error.message : String(error);
          told[why] = (told[why] ?? 0) + 1;
          // Without a connection each of them would fail alike.
          if (error instanceof ApiError && (error.status === 0 || error.status === 401)) stopped.current = true;
        }
      }
      setDone(index + 1);
    }
    setRefusals(told);
    props.onDone(gone);
    if (gone.length > 0)
      toast.success(t('Deleted {{what}}', { what: `${gone.length} ${gone.length === 1 ? noun : plural}` }));
    if (Object.keys(told).length === 0) setOpened(false);
  };

  return (
    <Modal
      opened={opened}
      onClose={() => {
        if (running) stopped.current = true;
        else setOpened(false);
      }}
      onExitTransitionEnd={props.onClose}
      title={t('Delete')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {over ? (
          <Text size="sm">{t('Some stayed, and why:')}</Text>
        ) : (
          <Text size="sm">
            {t('Are you sure you want to delete {{what}}? This action cannot be undone.', { what })}
          </Text>
        )}
        {!over && alongside && (
          <Text size="sm" c="dimmed">
            {alongside}
          </Text>
        )}
        {running && <Progress value={((done ?? 0) / ids.length) * 100} aria-label={t('Progress')} />}
        {stayed > 0 && (
          <List size="sm" role="alert">
            {Object.entries(refusals).map(([why, count]) => (
              <List.Item key={why}>{count === 1 ? why : `${count} × ${why}`}</List.Item>
            ))}
          </List>
        )}
        <Group justify="flex-end">
          {over ? (
            <Button variant="default" onClick={() => setOpened(false)}>
              {t('Close')}
            </Button>
          ) : (
            <>
              <Button
                variant="default"
                data-autofocus
                onClick={() => {
                  if (running) stopped.current = true;
                  else setOpened(false);
                }}
              >
                {running ? t('Stop') : t('Cancel')}
              </Button>
              <Button color="red" loading={running} onClick={() => void run()}>
                {t('Delete')}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
