import { Badge, Box, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { ifMatchOf } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { dateTimeInSentence } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import {
  type Prompt,
  type PromptPublication,
  type PromptVersion,
  prompts,
  publicationsOfPrompt,
  versionsOfPrompt,
} from '../contract.ts';
import { type LivePeriod, livePeriods } from './livePeriods.ts';
import { useConsequenceQuestion, usePromptsInUse } from './shared/promptUses.tsx';
import type { Publishing } from './shared/usePublishing.tsx';

const Diff = lazy(() => import('../../ui/Diff.tsx'));

interface PromptHistoryProps {
  prompt: Prompt;
  /** The editor has unsaved changes that a restored text would discard. */
  unsaved: boolean;
  publishing: Publishing;
  onRestored: (now: Prompt) => void;
}

const PER_PAGE = 25;
/** Most publications of which the history shows when they were live. */
const PUBLICATIONS = 100;
const NO_PERIODS: readonly LivePeriod[] = [];

/** All saved versions of a prompt, and when they were live. Restoring one saves it as a new version. */
export function PromptHistory({ prompt, unsaved, publishing, onRestored }: PromptHistoryProps) {
  const [limit, setLimit] = useState(PER_PAGE);
  const list = useEndpoint(
    versionsOfPrompt,
    { query: { prompt_id: prompt.id, limit: Math.min(limit, 100) } },
    { keepPrevious: true },
  );
  const published = useEndpoint(publicationsOfPrompt, { query: { prompt_id: prompt.id, limit: PUBLICATIONS } });
  const periods = livePeriods(published.data?.items ?? []);
  const restore = useCall(prompts.change);
  const uses = usePromptsInUse(prompt.product_id);
  const isUsed = uses.data?.items.some((one) => one.prompt_id === prompt.id && one.is_on) === true;
  const replacement = useConsequenceQuestion(t('This changes the text that is in use'));
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
      isUsed && !publishing.savesDraft
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
          periods={periods.get(version.version) ?? NO_PERIODS}
          publish={
            publishing.savesDraft && version.version !== prompt.live_version
              ? () => publishing.publish(version.version)
              : null
          }
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
  /** When it was live, newest first. */
  periods: readonly LivePeriod[];
  /** Opens the dialog that publishes it; null: it is live, or is live when it is saved. */
  publish: (() => void) | null;
}

function Version({ version, prompt, unsaved, isRestoring, onRestore, periods, publish }: VersionProps) {
  const [isOpen, setOpen] = useState(false);
  const isCurrent = version.version === prompt.version;
  const isLive = version.version === prompt.live_version;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <Stack gap={4}>
          <Group gap="xs">
            <Text size="sm">
              {t('Version {{version}}', { version: version.version })} · {version.author ?? '–'} ·{' '}
              <Timestamp iso={version.created_at} />
            </Text>
            {isLive && prompt.live_version !== prompt.version && <Badge color="green">{t('Live')}</Badge>}
            {isCurrent && prompt.live_version !== prompt.version && <Badge color="yellow">{t('Draft')}</Badge>}
          </Group>
          {periods.map((period) => (
            <Period key={period.publication.created_at} period={period} />
          ))}
        </Stack>
        <Group gap="xs">
          {isCurrent ? (
            <Text size="xs" c="dimmed">
              {t('Current')}
            </Text>
          ) : (
            <>
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
            </>
          )}
          {publish !== null && !isCurrent && (
            <Button size="compact-xs" variant="default" onClick={publish}>
              {t('Publish…')}
            </Button>
          )}
        </Group>
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

/** When a version was live, and how that came. */
function Period({ period: { publication, until } }: { period: LivePeriod }) {
  const from = dateTimeInSentence(publication.created_at);
  const { override_reason: reason } = publication;
  return (
    <Text size="xs" c="dimmed">
      {until === null
        ? t('Live since {{from}}', { from })
        : t('Live {{from}} – {{until}}', { from, until: dateTimeInSentence(until) })}
      {HOW[publication.kind] !== undefined &&
        ` · ${t(HOW[publication.kind] ?? '', { author: publication.author ?? '–' })}`}
      {reason !== null && ` · ${t('Published anyway: {{reason}}', { reason })}`}
    </Text>
  );
}

const HOW: Readonly<Partial<Record<PromptPublication['kind'], string>>> = {
  published: 'published by {{author}}',
  rolled_back: 'rolled back by {{author}}',
};
