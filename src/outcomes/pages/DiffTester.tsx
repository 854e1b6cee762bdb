import { Button, Group, Loader, Modal, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../ui/i18n.ts';

const Diff = lazy(() => import('../../ui/Diff.tsx'));

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

/** Compare two texts that are typed in. */
export function DiffTester({ onClose }: { onClose: () => void }) {
  const [before, setBefore] = useState('');
  const [after, setAfter] = useState('');
  const [compared, setCompared] = useState<{ before: string; after: string } | null>(null);
  // Clear the diff: one of texts that are no longer in the fields would mislead.
  const setBoth = (old: string, now: string) => {
    setBefore(old);
    setAfter(now);
    setCompared(null);
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
              onClick={() => setBoth(sample.before, sample.after)}
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
            onChange={(event) => setBoth(event.currentTarget.value, after)}
          />
          <Textarea
            label={t('New text')}
            autosize
            minRows={5}
            maxRows={12}
            value={after}
            onChange={(event) => setBoth(before, event.currentTarget.value)}
          />
        </SimpleGrid>
        {compared && (
          <Suspense fallback={<Loader size="sm" />}>
            <Diff before={compared.before} after={compared.after} />
          </Suspense>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setBoth('', '')}>
            {t('Clear')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('Close')}
          </Button>
          <Button disabled={before === '' || after === ''} onClick={() => setCompared({ before, after })}>
            {t('Show Diff')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
