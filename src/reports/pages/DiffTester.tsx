import { Button, Group, Loader, Modal, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../kit/t.ts';

const Diff = lazy(() => import('../../kit/Diff.tsx'));

const SAMPLES = [
  {
    name: 'A price',
    before: 'You are a consultant.\nA kitchen costs from 4,200 euros.\nBe brief.',
    after: 'You are a consultant.\nA kitchen costs from 4,500 euros.\nBe brief.',
  },
  {
    name: 'A new rule',
    before: 'Answer first.\nThen ask one question.',
    after: 'Answer first.\nNever promise what is not written here.\nThen ask one question.',
  },
] as const;

/** Compares two texts that are typed in. */
export function DiffTester({ onClose }: { onClose: () => void }) {
  const [before, setBefore] = useState('');
  const [after, setAfter] = useState('');
  const [shown, setShown] = useState<{ before: string; after: string } | null>(null);
  // A diff of what no longer stands in the fields would mislead.
  const put = (old: string, now: string) => {
    setBefore(old);
    setAfter(now);
    setShown(null);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={t('Text diff tester')}
      closeButtonProps={{ 'aria-label': t('Close dialog') }}
    >
      <Stack gap="md">
        <Group gap="xs">
          {SAMPLES.map((sample) => (
            <Button
              key={sample.name}
              size="compact-sm"
              variant="default"
              onClick={() => put(sample.before, sample.after)}
            >
              {t('Sample: {{name}}', { name: t(sample.name) })}
            </Button>
          ))}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Textarea
            label={t('Old text')}
            autosize
            minRows={5}
            maxRows={12}
            value={before}
            onChange={(event) => put(event.currentTarget.value, after)}
          />
          <Textarea
            label={t('New text')}
            autosize
            minRows={5}
            maxRows={12}
            value={after}
            onChange={(event) => put(before, event.currentTarget.value)}
          />
        </SimpleGrid>
        {shown && (
          <Suspense fallback={<Loader size="sm" />}>
            <Diff before={shown.before} after={shown.after} />
          </Suspense>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => put('', '')}>
            {t('Clear')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('Close')}
          </Button>
          <Button disabled={before === '' || after === ''} onClick={() => setShown({ before, after })}>
            {t('Show Diff')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
