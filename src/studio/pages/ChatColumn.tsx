/** One conversation with one model: its messages, its cost, and the state of the connection. */
import { ActionIcon, Alert, Button, Group, Select, Stack, Text, Tooltip } from '@mantine/core';
import { IconAlertCircle, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { LlmSettings } from '../../llm/settingsContract.ts';
import { DEFAULT_TEMPERATURE, llmVendorNames, llmVendors } from '../../products/contract.ts';
import { ConnectionBadge } from '../../ui/ConnectionBadge.tsx';
import type { ChatSocket } from '../../ui/chatSocket.ts';
import { formatDollars, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { MarkdownText } from '../../ui/MarkdownText.tsx';
import { NumberField } from '../../ui/NumberField.tsx';
import type { Chunk } from '../playgroundContract.ts';
import type { ChatTurn, ColumnMessage, ModelChoice } from './chatColumn.ts';
import classes from './playground.module.css';
import { CaseButtons, type CaseFields } from './shared/CaseButtons.tsx';
import { type ModelChatOptions, useModelChat } from './useModelChat.ts';

interface ChoiceProps {
  choice: ModelChoice;
  models: LlmSettings['models'];
  onChoice: (choice: ModelChoice) => void;
}

interface ChatColumnProps extends ModelChatOptions, ChoiceProps {
  /** The lead and the prompt of test cases that are made here. */
  caseFields: Pick<CaseFields, 'lead_id' | 'prompt_id'>;
  /** Null if it is the only column. */
  onRemove: (() => void) | null;
}

export function ChatColumn({ choice, models, onChoice, onRemove, caseFields, ...options }: ChatColumnProps) {
  const { messages, pending, socket } = useModelChat({ choice, ...options });
  return (
    <section className={classes.lane} aria-label={choice.model ?? t('The product’s model')}>
      <div className={classes.choice}>
        <ModelSelects choice={choice} models={models} onChoice={onChoice} />
        <ConnectionBadge className={classes.state ?? ''} state={socket.state} />
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.remove}
            aria-label={t('Remove this model')}
            onClick={onRemove}
          >
            <IconX size="1rem" />
          </ActionIcon>
        )}
      </div>
      <ConnectionFailure socket={socket} />
      <Thread importedTurns={options.importedTurns} messages={messages} pending={pending} caseFields={caseFields} />
    </section>
  );
}

function ModelSelects({ choice, models, onChoice }: ChoiceProps) {
  const available = models[choice.vendor] ?? [];
  return (
    <>
      <Select
        size="xs"
        aria-label={t('Vendor')}
        className={classes.vendor}
        data={llmVendors.map((vendor) => ({ value: vendor, label: llmVendorNames[vendor] }))}
        value={choice.vendor}
        allowDeselect={false}
        onChange={(value) => {
          const vendor = llmVendors.find((one) => one === value) ?? choice.vendor;
          if (vendor !== choice.vendor) onChoice({ ...choice, vendor, model: null });
        }}
      />
      <Select
        size="xs"
        aria-label={t('Model')}
        className={classes.model}
        placeholder={t('Choose a model')}
        searchable
        data={
          choice.model !== null && !available.includes(choice.model) ? [choice.model, ...available] : [...available]
        }
        value={choice.model}
        allowDeselect={false}
        comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        onChange={(model) => onChoice({ ...choice, model })}
      />
      <Tooltip label={t('Temperature')}>
        <NumberField
          size="xs"
          aria-label={t('Temperature')}
          className={classes.temperature}
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          value={choice.temperature}
          empty={DEFAULT_TEMPERATURE}
          onChange={(temperature) => onChoice({ ...choice, temperature })}
        />
      </Tooltip>
    </>
  );
}

function ConnectionFailure({ socket: { state, error, dismiss, retry } }: { socket: ChatSocket }) {
  const retryButton = (
    <Button size="xs" variant="default" onClick={retry}>
      {t('Retry Connection')}
    </Button>
  );
  if (error === null)
    return (
      state === 'disconnected' && (
        <Group gap="xs" m="xs">
          {retryButton}
        </Group>
      )
    );
  return (
    <Alert
      color="red"
      role="alert"
      icon={<IconAlertCircle />}
      title={error}
      withCloseButton
      closeButtonLabel={t('Dismiss')}
      onClose={dismiss}
      m="xs"
    >
      <Group gap="xs">
        {retryButton}
        <Button size="xs" variant="default" onClick={() => window.location.reload()}>
          {t('Reload Page')}
        </Button>
      </Group>
    </Alert>
  );
}

interface ThreadProps {
  importedTurns: readonly ChatTurn[];
  messages: readonly ColumnMessage[];
  pending: boolean;
  caseFields: ChatColumnProps['caseFields'];
}

function Thread({ importedTurns, messages, pending, caseFields }: ThreadProps) {
  const bottom = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (messages.length > 0) bottom.current?.scrollIntoView({ block: 'nearest' });
  }, [messages]);
  return (
    // Focusable, so that the keyboard can scroll it.
    <div className={classes.thread} role="log" aria-label={t('Conversation')} tabIndex={0}>
      {messages.length === 0 && importedTurns.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Write as a lead would. The model answers with the prompt in the editor, saved or not.')}
        </Text>
      )}
      <Stack gap="xs">
        {importedTurns.map(({ role, content }, index) => (
          <article
            key={`imported ${index} ${role}`}
            className={classes.bubble}
            data-from={role === 'user' ? 'operator' : 'model'}
            data-imported
          >
            {content}
          </article>
        ))}
        {messages.map((one, index) => (
          <article
            key={`${index} ${one.from}`}
            className={classes.bubble}
            data-from={one.from}
            data-failed={one.failed || undefined}
          >
            <MessageContent message={one} isPending={pending} />
            {one.usage && <UsageFacts usage={one.usage} />}
            {one.usage && !one.failed && (
              <CaseButtons
                fields={{
                  ...caseFields,
                  answer: one.text,
                  history: conversationBefore(importedTurns, messages.slice(0, index)),
                }}
              />
            )}
          </article>
        ))}
        {pending && messages.at(-1)?.from === 'operator' && (
          <Text size="xs" c="dimmed" role="status">
            {t('The model is writing…')}
          </Text>
        )}
      </Stack>
      <div ref={bottom} />
    </div>
  );
}

/** What the operator has written is shown as typed, and an answer as the model formats it. */
function MessageContent({
  message: { from, text, failed },
  isPending,
}: {
  message: ColumnMessage;
  isPending: boolean;
}) {
  if (text === '' && isPending) return t('…');
  return from === 'operator' || failed ? text : <MarkdownText text={text} />;
}

/** The conversation before an answer, as a test case holds it. */
function conversationBefore(
  importedTurns: readonly ChatTurn[],
  messages: readonly ColumnMessage[],
): NonNullable<CaseFields['history']> {
  const imported = importedTurns.map(({ role, content }) => ({
    side: role === 'user' ? ('user' as const) : ('bot' as const),
    text: content,
  }));
  const own = messages
    .filter(({ failed }) => !failed)
    .map(({ from, text }) => ({ side: from === 'operator' ? ('user' as const) : ('bot' as const), text }));
  return [...imported, ...own];
}

function UsageFacts({ usage }: { usage: NonNullable<Chunk['usage']> }) {
  const tokens = (count: number | null) => (count === null ? '?' : formatNumber(count));
  const parts = [
    t('{{input}} in, {{output}} out', { input: tokens(usage.input), output: tokens(usage.output) }),
    usage.cost === null ? t('price unknown') : formatDollars(usage.cost),
    t('{{count}} ms', { count: formatNumber(usage.ms) }),
  ];
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {parts.join(' · ')}
    </Text>
  );
}
