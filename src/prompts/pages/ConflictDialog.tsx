import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { formatExact } from '../../kit/format.ts';
import { withLineFeeds } from '../../kit/lineEnds.ts';
import { t } from '../../kit/t.ts';
import type { Prompt } from '../contract.ts';

const Diff = lazy(() => import('../../kit/Diff.tsx'));

interface ConflictDialogProps {
  mine: string;
  theirs: Prompt;
  /** Keep working on one's own text. */
  onMine: () => void;
  /** Take the other text into the editor. */
  onTheirs: () => void;
}

/** Somebody saved in between: both texts, and the operator decides. */
export function ConflictDialog({ mine, theirs, onMine, onTheirs }: ConflictDialogProps) {
  return (
    <Modal
      opened
      onClose={onMine}
      size="xl"
      title={t('Changed by {{author}} at {{at}}', {
        author: theirs.author ?? t('somebody'),
        at: formatExact(theirs.saved_at),
      })}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">{t('Your text is not saved. This is how it differs from what stands there now.')}</Text>
        <Suspense fallback={<Loader size="sm" />}>
          <Diff before={withLineFeeds(theirs.text)} after={mine} />
        </Suspense>
        <Group justify="flex-end">
          <Button variant="default" onClick={onTheirs}>
            {t('Take theirs')}
          </Button>
          <Button onClick={onMine}>{t('Keep editing mine')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
