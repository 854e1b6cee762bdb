/** How a generated message came about: prompt and version, model, tokens, time, and what the model was given. */
import { Alert, Button, Popover, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { useContext, useState } from 'react';
import { z } from 'zod';
import type { LlmRun } from '../../../llm/contract.ts';
import { CaseButtons } from '../../../studio/pages/shared/CaseButtons.tsx';
import { formatDollars, formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import { isDialogOpen } from '../../../ui/shortcuts.ts';
import { FirstFrame } from '../../../ui/Tip.tsx';
import { leadOfDialogue, type Message } from '../../contract.ts';
import { runsOfMessage } from '../../runsContract.ts';
import classes from './chat.module.css';

/** Whether a model wrote the text, so that there are run details to show. */
export function isGenerated(message: Pick<Message, 'author' | 'model_name'>): boolean {
  // An operator can have a model write a document too.
  return message.author === 'bot' || message.model_name !== null;
}

/** @param label the text of the button; defaults to the prompt, else the model. */
export function RunDetails({ message, label }: { message: Message; label?: string }) {
  const [opened, setOpened] = useState(false);
  const text = label ?? shortSource(message);
  const button = (
    <UnstyledButton
      className={classes.why}
      aria-label={t('{{source}}: why the bot said this', { source: text })}
      onClick={() => setOpened((open) => !open)}
    >
      {text}
    </UnstyledButton>
  );
  if (useContext(FirstFrame)) return button;
  // A dialog that was opened from here is outside of it, and goes with it.
  const change = (next: boolean) => {
    if (!isDialogOpen()) setOpened(next);
  };
  return (
    <Popover opened={opened} onChange={change} width={340} position="top-end" withinPortal trapFocus>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown aria-label={t('Why the bot said this')}>
        {opened && <RunDetailsContent message={message} />}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Return `Sales prompt v3`, else the model, else a generic label. */
function shortSource(message: Message): string {
  if (message.prompt_name !== null) return promptOf(message);
  return message.model_name ?? t('Why?');
}

function promptOf({ prompt_name, prompt_version }: Message): string {
  if (prompt_name === null) return t('None');
  return prompt_version === null
    ? prompt_name
    : t('{{name}} v{{version}}', { name: prompt_name, version: prompt_version });
}

function RunDetailsContent({ message }: { message: Message }) {
  const [isPromptVisible, setPromptVisible] = useState(false);
  const runs = useEndpoint(runsOfMessage, { params: { id: message.id } });
  // The playground shows the prompt as rendered for this lead.
  const lead = useEndpoint(leadOfDialogue, { params: { id: message.dialogue_id } });
  return (
    <Stack gap="xs" data-autofocus tabIndex={-1}>
      <dl className={classes.facts}>
        <dt>{t('Prompt')}</dt>
        <dd>{promptOf(message)}</dd>
        {message.trace !== null && (
          <>
            <dt>{t('Trace')}</dt>
            <dd>{message.trace}</dd>
          </>
        )}
        {message.ping_step_number !== null && (
          <>
            <dt>{t('Ping step')}</dt>
            <dd>{formatNumber(message.ping_step_number)}</dd>
          </>
        )}
      </dl>
      {runs.isPending && <Skeleton height={60} aria-label={t('Loading {{entity}}...', { entity: t('LLM runs') })} />}
      {runs.isError && (
        <Alert color="red" p="xs" title={runs.error.message}>
          <Button size="compact-xs" variant="light" color="red" onClick={() => void runs.refetch()}>
            {t('Retry')}
          </Button>
        </Alert>
      )}
      {runs.data?.items.map((run) => (
        <Run key={run.id} run={run} />
      ))}
      {runs.data?.items.length === 0 && (
        <Text size="xs" c="dimmed">
          {t('No model wrote this message.')}
        </Text>
      )}
      {message.prompt_id !== null && (
        <PageLink to="chatbot" params={{ promptId: message.prompt_id, leadId: lead.data?.id, messageId: message.id }}>
          {t('Open in the playground')}
        </PageLink>
      )}
      {message.author === 'bot' && message.prompt_id !== null && <CaseButtons messageId={message.id} />}
      {message.rendered_prompt !== null && (
        <>
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isPromptVisible}
            onClick={() => setPromptVisible(!isPromptVisible)}
          >
            {isPromptVisible ? t('Hide full prompt') : t('View full prompt')}
          </Button>
          {isPromptVisible && (
            <pre className={classes.prompt} tabIndex={0}>
              {message.rendered_prompt}
            </pre>
          )}
        </>
      )}
    </Stack>
  );
}

const lookupShape = z.array(z.object({ name: z.string(), version: z.int() }));

/** Return the texts that the model looked up, in order. */
function lookupsOf(run: LlmRun): string[] {
  const lookups = lookupShape.safeParse(run.metadata['read']).data ?? [];
  return lookups.map(({ name, version }) => t('{{name}} v{{version}}', { name, version }));
}

function Run({ run }: { run: LlmRun }) {
  const tokens = (count: number | null) => (count === null ? t('unknown') : formatNumber(count));
  return (
    <dl className={classes.facts}>
      <dt>{t('Run')}</dt>
      <dd>{run.name}</dd>
      {lookupsOf(run).length > 0 && (
        <>
          <dt>{t('Read')}</dt>
          <dd>{lookupsOf(run).join(', ')}</dd>
        </>
      )}
      <dt>{t('Model')}</dt>
      <dd>
        {run.model_vendor} / {run.model_name}
      </dd>
      <dt>{t('Tokens')}</dt>
      <dd>
        {t('{{input}} in, {{output}} out', {
          input: tokens(run.token_input_usage),
          output: tokens(run.token_output_usage),
        })}
      </dd>
      <dt>{t('Cost')}</dt>
      <dd>{run.cost === null ? t('price unknown') : formatDollars(run.cost)}</dd>
      <dt>{t('Time')}</dt>
      <dd>{t('{{count}} ms', { count: formatNumber(run.execution_ms) })}</dd>
      {run.error !== null && (
        <>
          <dt>{t('Error')}</dt>
          <dd>{run.error}</dd>
        </>
      )}
    </dl>
  );
}
