/** One run: its progress, what it has found, and its results one by one. */
import { Alert, Badge, Button, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay, IconPlayerStop, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { llmVendorNames, llmVendors } from '../../../products/contract.ts';
import { type Prompt, prompts } from '../../../prompts/contract.ts';
import { isDraft } from '../../../prompts/pages/shared/liveState.tsx';
import { usePublishing } from '../../../prompts/pages/shared/usePublishing.tsx';
import { call } from '../../../ui/api.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Failure } from '../../../ui/Failure.tsx';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { PageLink } from '../../../ui/PageLink.tsx';
import { PageLoading } from '../../../ui/PageLoading.tsx';
import { parseId, usePage } from '../../../ui/page.ts';
import { usePageContext } from '../../../ui/pageContext.ts';
import { keyOf, setCachedAnswer, useEndpoint } from '../../../ui/query.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { cancelStudioRun, readStudioRun, type StudioRun } from '../../runContract.ts';
import { isActive, kindLabel, stateOf } from '../labels.ts';
import { RunResults } from './RunResults.tsx';
import { estimateText, versionText } from './runTexts.ts';
import { runContext } from './runTools.ts';
import { StartRunDialog } from './StartRunDialog.tsx';
import { Verdict } from './Verdict.tsx';

/** Milliseconds between readings of a run in progress, beside its live events. */
const REFRESH_MS = 5000;

export default function RunPage() {
  const page = usePage();
  const id = parseId(page.params['runId']);
  const read = useEndpoint(
    readStudioRun,
    { params: { id: id ?? 0 } },
    { enabled: id !== null, staleTime: 0, refetchInterval: REFRESH_MS },
  );
  if (read.data)
    return <Run key={read.data.id} run={read.data} error={read.error} onRetry={() => void read.refetch()} />;
  return (
    <PageLoading
      title={t('Run')}
      entity={t('run')}
      description={t('One run of the prompt studio.')}
      error={read.error}
      onRetry={() => void read.refetch()}
      onBack={() => page.back('studio')}
    />
  );
}

interface RunProps {
  run: StudioRun;
  error: Error | null;
  onRetry: () => void;
}

function Run({ run, error, onRetry }: RunProps) {
  const page = usePage();
  const cache = useQueryClient();
  const [asking, setAsking] = useState<'cancel' | 'again' | null>(null);
  const state = stateOf(run.state);
  const params = { id: run.id };
  const cancel = async () => {
    const now = await call(cancelStudioRun, { params });
    setCachedAnswer(cache, keyOf(readStudioRun, { params }), now);
    return now;
  };
  usePageContext(runContext(run, cancel));
  return (
    <PageFrame
      title={t('{{kind}}: {{prompt}}', { kind: kindLabel(run.kind), prompt: run.prompt_name })}
      onBack={() => page.back('studio')}
      aside={<Badge color={state.tone}>{state.label}</Badge>}
      actions={
        isActive(run) ? (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerStop size="1rem" />}
            onClick={() => setAsking('cancel')}
          >
            {t('Cancel run')}
          </Button>
        ) : (
          <EndedActions run={run} onAgain={() => setAsking('again')} />
        )
      }
    >
      <Stack gap="md">
        {error && <Failure error={error} onRetry={onRetry} />}
        <Facts run={run} />
        {run.reason !== null && !isActive(run) && (
          <Alert color={run.state === 'failed' ? 'red' : 'orange'} icon={<IconAlertTriangle />}>
            {run.reason}
          </Alert>
        )}
        <Verdict run={run} />
        <RunResults run={run} />
      </Stack>
      {asking === 'cancel' && (
        <ConfirmDialog
          title={t('Cancel this run?')}
          text={t('What was made so far stays and was paid for. A cancelled run cannot be continued.')}
          confirm={t('Cancel run')}
          color="red"
          run={cancel}
          onDone={() => toast.success(t('The run was cancelled'))}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'again' && (
        <StartRunDialog
          productId={run.product_id}
          preset={{
            kind: run.kind,
            promptId: run.prompt_id,
            ...(run.version === null ? { text: run.text } : { version: run.version }),
          }}
          onStarted={({ id }) => page.go('studio-run', { runId: id })}
          onClose={() => setAsking(null)}
        />
      )}
    </PageFrame>
  );
}

/** What can be done after a run: publish what it has tried, if that is a draft, and run it again. */
function EndedActions({ run, onAgain }: { run: StudioRun; onAgain: () => void }) {
  const { prompt_id: id } = run;
  const prompt = useEndpoint(prompts.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  const publishing = usePublishing(prompt.data ?? null, run.product_id);
  const version = prompt.data && publishing.savesDraft ? publishableVersion(run, prompt.data) : null;
  return (
    <>
      {version !== null && (
        <Button size="xs" leftSection={<IconUpload size="1rem" />} onClick={() => publishing.publish(version)}>
          {t('Publish version {{version}}…', { version })}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerPlay size="1rem" />}
        disabled={id === null}
        onClick={onAgain}
      >
        {t('Run again')}
      </Button>
      {publishing.dialog}
    </>
  );
}

/** The version that a run has tried, if it is still the newest one and not live. */
const publishableVersion = ({ version }: StudioRun, prompt: Prompt): number | null =>
  version !== null && version === prompt.version && isDraft(prompt) ? version : null;

/** What is tried against what, how far it is, and what it costs. */
function Facts({ run }: { run: StudioRun }) {
  const { progress, model } = run;
  const ended = progress.done + progress.failed;
  const share = progress.total === 0 ? 0 : (100 * ended) / progress.total;
  const vendor = llmVendors.find((one) => one === model.vendor);
  const live =
    run.live_version === null ? t('nothing is live') : t('live version {{version}}', { version: run.live_version });
  return (
    <Stack gap={6}>
      <Text size="sm">
        {run.prompt_id === null ? (
          run.prompt_name
        ) : (
          <PageLink to="prompt-detail" params={{ promptId: run.prompt_id }} inText>
            {run.prompt_name}
          </PageLink>
        )}
        {t(', {{candidate}} against {{live}}', { candidate: versionText(run), live })} ·{' '}
        {vendor === undefined ? model.model : `${llmVendorNames[vendor]} ${model.model}`} ·{' '}
        {run.author === null ? '' : `${run.author} · `}
        <Timestamp iso={run.created_at} />
      </Text>
      {isActive(run) && <Progress value={share} striped animated aria-label={t('Progress')} />}
      <Text size="sm" c="dimmed" role="status">
        {t('{{done, number}} of {{total, number}} answers', { done: ended, total: progress.total })}
        {progress.failed > 0 && ` · ${t('{{count}} failed', { count: progress.failed })}`} ·{' '}
        {t('{{spent}} of {{budget}} spent', { spent: formatDollars(run.spent), budget: formatDollars(run.budget) })} ·{' '}
        {t('planned: {{estimate}}', { estimate: estimateText(run.kind, run.estimate) })}
      </Text>
    </Stack>
  );
}
