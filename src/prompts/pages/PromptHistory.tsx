import { Box, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { ifMatchOf } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { type Prompt, type PromptVersion, prompts, versionsOfPrompt } from '../contract.ts';
import { useConsequenceQuestion, usePromptsInUse } from './shared/promptUses.tsx';

const Diff = lazy(() => import('../../ui/Diff.tsx'));

interface PromptHistoryProps {
  prompt: Prompt;
  /** The editor has unsaved changes that a restored text would discard. */
  unsaved: boolean;
  onRestored: (now: Prompt) => void;
}

const PER_PAGE = 25;

/** All saved versions of a prompt. Restoring one saves it as a new version. */
export function PromptHistory({ prompt, unsaved, onRestored }: PromptHistoryProps) {
  const [limit, setLimit] = useState(PER_PAGE);
  const list = useEndpoint(
    versionsOfPrompt,
    { query: { prompt_id: prompt.id, limit: Math.min(limit, 100) } },
    { keepPrevious: true },
  );
  const restore = useCall(prompts.change);
  const uses = usePromptsInUse(prompt.product_id);
  const isUsed = uses.data?.items.some((one) => one.prompt_id === prompt.id && one.is_on) === true;
  const replacement = useConsequenceQuestion();
  const bringBack = ({ text, version }: PromptVersion) =>
    restore.mutate(
      { params: { id: prompt.id }, body: { text }, ifMatch: ifMatchOf(prompt) },
      {
        onSuccess: (now) => {
          toast.success(t('Version {{version}} restored', { version }));
          onRestored(now);
        },
        onError: (error) => toast.error(error.message),
      },
    );
  const askToRestore = (version: PromptVersion) =>
    replacement.ask(
      isUsed
        ? t('“{{name}}” is in use. Version {{version}} replaces its current text at once.', {
            name: prompt.name,
            version: version.version,
          })
        : null,
      t('Restore'),
      () => bringBack(version),
    );
  const versions = list.data?.items ?? [];
  if (list.error) return <Failure error={list.error} onRetry={() => list.refetch()} />;
  if (!list.data) return <Loader size="sm" aria-label={t('Loading {{entity}}...', { entity: t('versions') })} />;
  return (
    <Stack gap="xs">
      {versions.map((version) => (
        <Version
          key={version.version}
          version={version}
          prompt={prompt}
          unsaved={unsaved}
          isRestoring={restore.isPending && restore.variables.body?.text === version.text}
          onRestore={() => askToRestore(version)}
        />
      ))}
      {(list.data.total ?? 0) > versions.length && limit < 100 && (
        <Button variant="default" size="xs" onClick={() => setLimit(limit + PER_PAGE)}>
          {t('Earlier versions')}
        </Button>
      )}
      {replacement.question}
    </Stack>
  );
}

interface VersionProps {
  version: PromptVersion;
  prompt: Prompt;
  unsaved: boolean;
  isRestoring: boolean;
  onRestore: () => void;
}

function Version({ version, prompt, unsaved, isRestoring, onRestore }: VersionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {t('Version {{version}}', { version: version.version })} · {version.author ?? '–'} ·{' '}
          <Timestamp iso={version.created_at} />
        </Text>
        {version.version === prompt.version ? (
          <Text size="xs" c="dimmed">
            {t('Current')}
          </Text>
        ) : (
          <Group gap="xs">
            <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? t('Hide Diff') : t('Show Diff')}
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              disabled={unsaved}
              loading={isRestoring}
              title={unsaved ? t('Save or discard your changes first.') : undefined}
              onClick={onRestore}
            >
              {t('Restore')}
            </Button>
          </Group>
        )}
      </Group>
      {isOpen && (
        <Box mt="sm">
          <Suspense fallback={<Loader size="sm" />}>
            <Diff before={version.text} after={prompt.text} />
          </Suspense>
        </Box>
      )}
    </Paper>
  );
}
