/** The conversation: messages, proposals and the input. */
import { Alert, Button, Group, Loader, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertCircle, IconArrowUp, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../ui/i18n.ts';
import { MarkdownText } from '../../ui/MarkdownText.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { usePublishedContext } from '../../ui/pageContext.ts';
import { useSteady } from '../../ui/steady.tsx';
import classes from './AssistantPanel.module.css';
import { useAssistant } from './AssistantProvider.tsx';
import { currentCall, type Entry } from './conversationState.ts';
import { Proposal } from './Proposal.tsx';

/** Delay before the panel says that the page publishes no context, in milliseconds. */
const PAGE_LOAD_MS = 400;

export default function Conversation() {
  const { flow, socket, hasNoProduct } = useAssistant();
  const { context, error } = usePublishedContext();
  // Between two pages there is briefly no context.
  const [isSilent] = useDebouncedValue(context === null && error === null, PAGE_LOAD_MS);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (flow.entries.length > 0) end.current?.scrollIntoView({ block: 'nearest' });
  }, [flow.entries]);
  return (
    <>
      {/* What scrolls has to be reached by keyboard */}
      <div className={classes.body} role="log" aria-label={t('Conversation with the assistant')} tabIndex={0}>
        {error !== null && (
          <Alert color="red" role="alert" mb="sm">
            {error}
          </Alert>
        )}
        {isSilent && context === null && error === null && (
          <Text size="sm" c="dimmed" mb="sm" role="status">
            {t('No page context available')}
          </Text>
        )}
        {flow.entries.length === 0 && (
          <Text size="sm" c="dimmed">
            {hasNoProduct
              ? t('Choose a product first. The assistant works in one product at a time.')
              : t('Ask about this page, or say what to change. You see every change before it is made.')}
          </Text>
        )}
        <Stack gap="sm">
          {flow.entries.map((entry) => (
            <ConversationEntry key={entry.key} entry={entry} />
          ))}
          {flow.answering && !flow.streaming && (
            <Group gap="xs" role="status">
              <Loader size="xs" type="dots" aria-hidden />
              <Text size="xs" c="dimmed">
                {t('Master LLM is thinking…')}
              </Text>
            </Group>
          )}
        </Stack>
        <div ref={end} />
      </div>
      {!hasNoProduct && <ConnectionError error={socket.error ?? flow.error} />}
      <Composer />
    </>
  );
}

function ConversationEntry({ entry }: { entry: Entry }) {
  if (entry.kind === 'call') return <Proposal entry={entry} />;
  if (entry.kind === 'note')
    return (
      <Text size="sm" className={classes.note}>
        <PlainText text={entry.text} />
      </Text>
    );
  return (
    <article
      className={classes.said}
      data-from={entry.kind}
      aria-label={entry.kind === 'operator' ? t('You') : t('Master LLM')}
    >
      {entry.kind === 'assistant' ? <MarkdownText text={entry.text} /> : <PlainText text={entry.text} />}
    </article>
  );
}

/** Error message with a reconnect button. */
function ConnectionError({ error }: { error: string | null }) {
  const { socket, dismiss } = useAssistant();
  if (error === null && socket.state !== 'disconnected') return null;
  return (
    <Alert
      color="red"
      role="alert"
      className={classes.trouble ?? ''}
      icon={<IconAlertCircle />}
      title={t('Master LLM Error')}
      withCloseButton={error !== null}
      closeButtonLabel={t('Dismiss')}
      onClose={dismiss}
    >
      <Stack gap="xs" align="start">
        <Text size="sm">{error ?? t('The connection is closed.')}</Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            dismiss();
            socket.retry();
          }}
        >
          {t('Retry Connection')}
        </Button>
      </Stack>
    </Alert>
  );
}

function Composer() {
  const { flow, socket, mayAsk, hasNoProduct, ask, stop } = useAssistant();
  const [words, setWords] = useState('');
  const input = useRef<HTMLTextAreaElement>(null);
  const steady = useSteady(!mayAsk);
  const asks = currentCall(flow)?.status;
  const reply = () => {
    if (!mayAsk || words.trim() === '' || !ask(words.trim())) return;
    setWords('');
    // The button gives way to another one, and would take the focus with it.
    input.current?.focus();
  };
  const hint =
    socket.state !== 'connected'
      ? hasNoProduct
        ? t('No product')
        : t('Not connected')
      : asks === 'asked' || asks === 'unknown'
        ? t('Answer the proposal first')
        : t('Ask or say what to change');
  return (
    <form
      className={classes.foot}
      onSubmit={(event) => {
        event.preventDefault();
        reply();
      }}
    >
      <Textarea
        ref={input}
        className={classes.words ?? ''}
        aria-label={t('Message to the assistant')}
        placeholder={hint}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={20_000}
        value={words}
        {...steady}
        // Kept for what is asked next, which can be typed once the answer is there.
        readOnly={!mayAsk}
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          reply();
        }}
      />
      {flow.answering ? (
        <Button variant="default" aria-label={t('Stop')} px="xs" onClick={stop}>
          <IconPlayerStop size={18} />
        </Button>
      ) : (
        <Button type="submit" aria-label={t('Send')} px="xs" disabled={!mayAsk || words.trim() === ''}>
          <IconArrowUp size={18} />
        </Button>
      )}
    </form>
  );
}
