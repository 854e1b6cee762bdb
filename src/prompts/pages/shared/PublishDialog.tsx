/** The dialog that publishes a version of a prompt: what changes, what the test cases say, and who is affected. */
import { Alert, Box, Button, Group, List, Loader, Modal, Stack, Text, Textarea } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { ApiError, call, ifMatchOf } from '../../../ui/api.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { keyOf, useEndpoint } from '../../../ui/query.ts';
import { checkPromptVersion, type Prompt, type PromptChecks, publishPrompt, versionsOfPrompt } from '../../contract.ts';
import classes from '../prompts.module.css';
import { usePromptsInUse } from './promptUses.tsx';
import { usePublishConsequence } from './runningExperiment.ts';

const Diff = lazy(() => import('../../../ui/Diff.tsx'));

interface PublishDialogProps {
  prompt: Prompt;
  version: number;
  onPublished: (now: Prompt) => void;
  onClose: () => void;
}

/** Mount it to open it. */
export default function PublishDialog({ prompt, version, onPublished, onClose }: PublishDialogProps) {
  const [opened, setOpened] = useState(true);
  const [reason, setReason] = useState('');
  const uses = usePromptsInUse(prompt.product_id).data?.items ?? [];
  const read = useEndpoint(
    checkPromptVersion,
    { query: { prompt_id: prompt.id, version } },
    { staleTime: 0, refetchOnMount: 'always' },
  );
  const { gate, checks } = read.data ?? {};
  const isRefuted = gate !== 'off' && (checks?.state === 'red' || checks?.state === 'missing');
  const publishing = usePublish(prompt, version, (now) => {
    setOpened(false);
    onPublished(now);
  });
  const close = () => {
    if (!publishing.isPending) setOpened(false);
  };
  const { consequence, isExperimentRunning } = usePublishConsequence(uses, prompt);
  const needsReason = gate === 'block' && isRefuted;
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onClose}
      title={t('Publish version {{version}} of {{name}}', { version, name: prompt.name })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {consequence !== null && (
          <Alert color="yellow" icon={<IconAlertTriangle />} role="status">
            {consequence}
          </Alert>
        )}
        <Changes prompt={prompt} version={version} />
        {read.error && <Failure error={read.error} onRetry={() => read.refetch()} />}
        {checks !== undefined && gate !== 'off' && <Checks checks={checks} promptId={prompt.id} />}
        {isRefuted && (
          <Textarea
            label={t('Reason')}
            description={t('It is kept with your name in the history and the audit log.')}
            required={needsReason}
            autosize
            maxRows={6}
            maxLength={2000}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        {publishing.error && <Failure error={publishing.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={publishing.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            color={isRefuted ? 'red' : 'accent'}
            disabled={read.data === undefined || (needsReason && reason.trim() === '')}
            loading={publishing.isPending}
            onClick={() => publishing.mutate(isRefuted ? reason.trim() : '')}
          >
            {isRefuted || isExperimentRunning ? t('Publish anyway') : t('Publish')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Publish a version, with a reason if it is not blank. */
function usePublish(prompt: Prompt, version: number, onPublished: (now: Prompt) => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (reason: string) => {
      const { checks: _checks, ...now } = await call(publishPrompt, {
        params: { id: prompt.id },
        body: { version, ...(reason === '' ? {} : { override_reason: reason }) },
        ifMatch: ifMatchOf(prompt),
      });
      return now;
    },
    onSuccess: onPublished,
    onError: (error) => {
      // Its cases have failed since the dialog was opened.
      if (error instanceof ApiError && error.code === 'prompt.gate')
        void cache.invalidateQueries({ queryKey: keyOf(checkPromptVersion) });
    },
  });
}

/** The difference between what is live and the version. */
function Changes({ prompt, version }: { prompt: Prompt; version: number }) {
  const { live_version: live } = prompt;
  const wanted = live === null ? [version] : [live, version];
  const read = useEndpoint(versionsOfPrompt, { query: { prompt_id: prompt.id, version: wanted } });
  if (read.error) return <Failure error={read.error} onRetry={() => read.refetch()} />;
  if (!read.data) return <Loader size="sm" aria-label={t('Loading {{entity}}...', { entity: t('versions') })} />;
  const textOf = (one: number) => read.data.items.find((item) => item.version === one)?.text ?? '';
  return (
    <Stack gap="xs">
      <Text size="sm">
        {live === null
          ? t('No version was published yet. This one is used from the next answer on.')
          : t('Version {{version}} replaces version {{live}} from the next answer on.', { version, live })}
      </Text>
      {live === null ? (
        <pre className={classes.rendered} role="region" aria-label={t('Text of the prompt')} tabIndex={0}>
          {textOf(version)}
        </pre>
      ) : (
        <Suspense fallback={<Loader size="sm" />}>
          <Box __vars={{ '--diff-height': '36vh' }}>
            <Diff before={textOf(live)} after={textOf(version)} />
          </Box>
        </Suspense>
      )}
    </Stack>
  );
}

/** What the test cases say of the version. */
function Checks({ checks: { state, red }, promptId }: { checks: PromptChecks; promptId: number }) {
  const cases = (text: string): ReactNode => (
    <PageLink to="studio" params={{ promptId }} inText>
      {text}
    </PageLink>
  );
  switch (state) {
    case 'green':
      return (
        <Alert
          color="green"
          icon={<IconCircleCheck />}
          title={t('No test case is worse than what is live')}
          role="status"
        >
          {cases(t('Show the cases'))}
        </Alert>
      );
    case 'missing':
      return (
        <Alert color="yellow" icon={<IconAlertTriangle />} title={t('Not all test cases were run')} role="status">
          {t('So it is not known whether this version passes.')} {cases(t('Run the cases'))}
        </Alert>
      );
    case 'none':
      return (
        <Alert color="gray" icon={<IconInfoCircle />} title={t('No test cases')} role="status">
          {t('Nothing checks this prompt before it goes live.')} {cases(t('Add a case'))}
        </Alert>
      );
    case 'red':
      return (
        <Alert
          color="red"
          icon={<IconCircleX />}
          title={t('{{count}} test cases fail', {
            count: red.length,
            defaultValue_one: t('{{count}} test case fails', { count: red.length }),
          })}
          role="alert"
        >
          <List size="sm" spacing={4}>
            {red.map(({ case_id: id, name, reasons }) => (
              <List.Item key={id}>
                <Text span fw={600} size="sm">
                  {name}
                </Text>
                {reasons.length > 0 && `: ${reasons.join(' ')}`}
              </List.Item>
            ))}
          </List>
          {cases(t('Show the cases'))}
        </Alert>
      );
    default:
      return state satisfies never;
  }
}
