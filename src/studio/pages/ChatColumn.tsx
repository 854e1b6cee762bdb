/** One conversation with one model: its messages, its cost, and the state of the connection. */
import { ActionIcon, Alert, Button, Group, Select, Stack, Text, Tooltip } from '@mantine/core';
import { IconAlertCircle, IconX } from '@tabler/icons-react';
import { useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { LlmSettings } from '../../llm/settingsContract.ts';
import { DEFAULT_TEMPERATURE, type LlmVendor, llmVendors } from '../../products/contract.ts';
import { ConnectionBadge } from '../../ui/ConnectionBadge.tsx';
import { type SocketState, useChatSocket } from '../../ui/chatSocket.ts';
import { formatDollars, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { type Chunk, chunk, MAX_HISTORY_MESSAGES } from '../playgroundContract.ts';
import classes from './playground.module.css';

export interface ModelChoice {
  readonly vendor: LlmVendor;
  /** Null if not chosen yet. */
  readonly model: string | null;
  readonly temperature: number;
}

/** Actions of a column that the page can call. */
export interface ColumnHandle {
  /** Sends to the model; returns whether it was sent. */
  ask: (content: string, frame: Record<string, unknown>) => boolean;
  /** Like `ask`, but drops this column's messages: asks on the imported conversation alone. */
  askAgain: (content: string, frame: Record<string, unknown>) => boolean;
  stop: () => void;
  clear: () => void;
}

export interface ColumnStatus {
  readonly state: SocketState;
  readonly pending: boolean;
}

interface ChatColumnProps {
  id: string;
  productId: number;
  /** The conversation imported from a dialogue, which this column continues. */
  importedTurns: readonly ChatTurn[];
  choice: ModelChoice;
  models: LlmSettings['models'];
  onChoice: (choice: ModelChoice) => void;
  onStatus: (id: string, status: ColumnStatus) => void;
  /** Null if it is the only column. */
  onRemove: (() => void) | null;
  handle: React.Ref<ColumnHandle>;
}

/** A turn as the model gets it. */
export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

interface ColumnMessage {
  readonly from: 'operator' | 'model';
  readonly text: string;
  readonly usage: Chunk['usage'] | null;
  readonly failed: boolean;
}

export const VENDORS: Readonly<Record<LlmVendor, string>> = {
  chatgpt: 'ChatGPT',
  gemini: 'Gemini',
  anthropic: 'Anthropic',
};

export function ChatColumn({
  id,
  productId,
  importedTurns,
  choice,
  models,
  onChoice,
  onStatus,
  onRemove,
  handle,
}: ChatColumnProps) {
  const [messages, setMessages] = useState<readonly ColumnMessage[]>([]);
  const [pending, setPending] = useState(false);
  const bottom = useRef<HTMLDivElement>(null);
  const socket = useChatSocket(`/v1/llm/ws/chat/simple?chat_id=${id}&product_id=${productId}`, {
    onFrame: (frame) => {
      const one = chunk.parse(frame);
      setMessages((previous) => appendChunk(previous, one));
      if (one.is_finished) setPending(false);
    },
    onUnreadable: () => setPending(false),
    onReconnected: () => {
      setMessages([]);
      setPending(false);
    },
  });
  const { state, send, retry } = socket;
  useEffect(() => onStatus(id, { state, pending }), [id, state, pending, onStatus]);
  useEffect(() => {
    if (state === 'disconnected') setPending(false);
  }, [state]);
  useEffect(() => {
    bottom.current?.scrollIntoView({ block: 'nearest' });
  }, [messages]);
  const ask = (content: string, frame: Record<string, unknown>, previous: readonly ColumnMessage[]) => {
    const { model, temperature } = choice;
    // The server does not know the imported turns, and after a reconnect none of the others either.
    const history =
      importedTurns.length === 0 ? null : [...importedTurns, ...previous.flatMap(toTurn)].slice(-MAX_HISTORY_MESSAGES);
    if (!send({ ...frame, content, model_name: model, temperature, history })) return false;
    setMessages([...previous, { from: 'operator', text: content, usage: null, failed: false }]);
    setPending(true);
    return true;
  };
  useImperativeHandle(handle, () => ({
    ask: (content, frame) => ask(content, frame, messages),
    askAgain: (content, frame) => ask(content, frame, []),
    stop: () => void send({ stop: true }),
    clear: () => {
      setMessages([]);
      setPending(false);
      // Reconnect: the server keeps the history only as long as the socket.
      retry();
    },
  }));
  const available = models[choice.vendor] ?? [];
  return (
    <section className={classes.lane} aria-label={choice.model ?? t('The product’s model')}>
      <div className={classes.choice}>
        <Select
          size="xs"
          aria-label={t('Vendor')}
          className={classes.vendor}
          data={llmVendors.map((vendor) => ({ value: vendor, label: VENDORS[vendor] }))}
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
        <ConnectionBadge className={classes.state ?? ''} state={state} />
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
      {socket.error !== null && (
        <Alert
          color="red"
          role="alert"
          icon={<IconAlertCircle />}
          title={socket.error}
          withCloseButton
          closeButtonLabel={t('Dismiss')}
          onClose={socket.dismiss}
          m="xs"
        >
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={retry}>
              {t('Retry Connection')}
            </Button>
            <Button size="xs" variant="default" onClick={() => window.location.reload()}>
              {t('Reload Page')}
            </Button>
          </Group>
        </Alert>
      )}
      {socket.error === null && state === 'disconnected' && (
        <Group gap="xs" m="xs">
          <Button size="compact-sm" variant="default" onClick={retry}>
            {t('Retry Connection')}
          </Button>
        </Group>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div className={classes.thread} role="log" aria-label={t('Conversation')} tabIndex={0}>
        {messages.length === 0 && importedTurns.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('Write as a lead would. The model answers with the prompt in the editor, saved or not.')}
          </Text>
        )}
        <Stack gap="xs">
          {importedTurns.map(({ role, content }, index) => (
            <article
              key={`brought ${index} ${role}`}
              className={classes.bubble}
              data-from={role === 'user' ? 'operator' : 'model'}
              data-brought
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
              {one.text === '' && pending ? t('…') : one.text}
              {one.usage && <UsageFacts usage={one.usage} />}
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
    </section>
  );
}

function toTurn({ from, text, failed }: ColumnMessage): ChatTurn[] {
  return failed || text === '' ? [] : [{ role: from === 'operator' ? 'user' : 'assistant', content: text }];
}

/** Append a streamed chunk to the conversation. */
function appendChunk(
  previous: readonly ColumnMessage[],
  { content, is_error, is_finished, usage }: Chunk,
): readonly ColumnMessage[] {
  const last = previous.at(-1);
  if (is_error) return [...previous, { from: 'model', text: content, usage: null, failed: true }];
  const openMessage = last?.from === 'model' && last.usage === null && !last.failed ? last : null;
  const updated: ColumnMessage = {
    from: 'model',
    text: (openMessage?.text ?? '') + content,
    usage: is_finished ? (usage ?? null) : null,
    failed: false,
  };
  return openMessage ? previous.with(previous.length - 1, updated) : [...previous, updated];
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
