/** A proposed tool call: exactly what it would do, with buttons to confirm or deny it. */
import { Alert, Badge, Button, Group, Loader, Paper, Stack, Text, Textarea } from '@mantine/core';
import { IconArrowBackUp, IconCheck } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { fieldLabel, flattenFields } from '../../ui/fieldLabels.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { type TextChange, usePublishedContext } from '../../ui/pageContext.ts';
import type { ToolCall } from '../contract.ts';
import classes from './AssistantPanel.module.css';
import { useAssistant } from './AssistantProvider.tsx';
import type { CallEntry, CallStatus } from './conversationState.ts';

const Diff = lazy(() => import('../../ui/Diff.tsx'));

/** Number of characters of the arguments shown initially. */
const PREVIEW = 100;

const STATUS_LABELS: Readonly<Record<CallStatus, string>> = {
  asked: 'Waiting for you',
  later: 'Next',
  confirming: 'Confirming',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  denied: 'Denied',
  undone: 'Undone',
  unknown: 'Unknown',
};
const COLORS: Readonly<Partial<Record<CallStatus, string>>> = {
  asked: 'yellow',
  done: 'green',
  failed: 'red',
  denied: 'gray',
  unknown: 'orange',
};

export function Proposal({ entry }: { entry: CallEntry }) {
  const { call, status } = entry;
  const { toolOf, canUndo, undo } = useAssistant();
  // Subscribe, so that the proposal renders again when the page publishes a new context.
  usePublishedContext();
  const { tool } = toolOf(call);
  const lines = flattenFields(call.arguments);
  const compact =
    Object.keys(call.arguments).length === 0 ? '' : lines.map(({ label, value }) => `${label}: ${value}`).join(' · ');
  const isCut = isLong(compact);
  const [whole, setWhole] = useState(false);
  const [diff, setDiff] = useState<TextChange | string | null>(null);
  // The diff says the same in place of the arguments.
  const showsDiff = status === 'asked' && isChange(diff);
  // A successful call that changes nothing takes a single line.
  if (tool && tool.confirm !== true && status !== 'failed')
    return (
      <Group gap="xs" wrap="nowrap" component="section" aria-label={t('Done: {{tool}}', { tool: call.name })}>
        <Text size="xs" fw={500} className={classes.name ?? ''} title={call.name}>
          {fieldLabel(call.name)}
        </Text>
        <Text size="xs" c="dimmed" className={classes.note ?? ''}>
          <PlainText text={cut(compact)} />
        </Text>
        {status === 'running' && <Loader size="xs" aria-label={t('Running')} />}
      </Group>
    );
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('Proposal: {{tool}}', { tool: call.name })}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600} className={classes.name ?? ''} title={call.name}>
            {fieldLabel(call.name)}
          </Text>
          <Badge size="sm" color={COLORS[status] ?? 'blue'} role="status">
            {t(STATUS_LABELS[status])}
          </Badge>
        </Group>
        {tool && (
          <Text size="sm" c="dimmed">
            {tool.description}
          </Text>
        )}
        {compact !== '' && !showsDiff && <Arguments lines={lines} compact={compact} whole={whole} onWhole={setWhole} />}
        {status === 'asked' && <Answer entry={entry} seen={!isCut || whole} diff={diff} onDiff={setDiff} />}
        {status === 'unknown' && <Unknown entry={entry} />}
        {status === 'done' && canUndo(call) && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconArrowBackUp size={16} />}
              onClick={() => void undo(call)}
            >
              {t('Undo')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

interface ArgumentsProps {
  lines: ReturnType<typeof flattenFields>;
  /** All in one line. */
  compact: string;
  whole: boolean;
  onWhole: (whole: boolean) => void;
}

/** What the call is made with: its beginning, or all of it. */
function Arguments({ lines, compact, whole, onWhole }: ArgumentsProps) {
  return (
    <>
      {whole ? (
        <dl className={classes.arguments} aria-label={t('Details')}>
          {lines.map(({ path, label, value }) => (
            <div key={path}>
              <dt>{label}</dt>
              <dd>
                <PlainText text={value} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <Text size="sm" className={classes.note ?? ''}>
          <PlainText text={cut(compact)} />
        </Text>
      )}
      {isLong(compact) && (
        <Button size="compact-xs" variant="subtle" className={classes.more ?? ''} onClick={() => onWhole(!whole)}>
          {whole ? t('Show less') : t('Show all')}
        </Button>
      )}
    </>
  );
}

const isLong = (text: string): boolean => Array.from(text).length > PREVIEW;

const cut = (text: string): string => {
  const signs = Array.from(text);
  return signs.length <= PREVIEW ? text : `${signs.slice(0, PREVIEW).join('')}…`;
};

interface AnswerProps {
  entry: CallEntry;
  seen: boolean;
  /** What is compared, or why nothing can be; null: it is not shown. */
  diff: TextChange | string | null;
  onDiff: (diff: TextChange | string | null) => void;
}

const isChange = (diff: TextChange | string | null): diff is TextChange => diff !== null && typeof diff !== 'string';

/** Calls `onShown` when what is lazily loaded beside it is on the page. */
function Shown({ onShown }: { onShown: () => void }) {
  useEffect(() => onShown(), [onShown]);
  return null;
}

/**
 * Confirm, deny and diff buttons. `seen`: all arguments are visible. Confirm stays enabled once they or the whole diff
 * have been visible.
 */
function Answer({ entry: { call }, seen, diff, onDiff }: AnswerProps) {
  const { toolOf, placeOf, confirm, socket } = useAssistant();
  const { tool, handler } = toolOf(call);
  const [once] = useState({ seen });
  const [denying, setDenying] = useState(false);
  const buttons = useRef<HTMLDivElement>(null);
  const showButtons = useCallback(() => buttons.current?.scrollIntoView({ block: 'nearest' }), []);
  if (seen || isChange(diff)) once.seen = true;
  const offline = socket.state !== 'connected';
  const place = placeOf(call);
  if (denying) return <Denial call={call} onBack={() => setDenying(false)} />;
  return (
    <Stack gap="xs">
      {tool?.irreversible !== undefined && (
        <Text size="sm" fw={500}>
          {t('This cannot be undone: {{why}}', { why: tool.irreversible })}
        </Text>
      )}
      {!handler && (
        <Alert color="yellow" p="xs">
          {t('This belongs to another page.')}
          {place !== null && (
            <>
              {' '}
              <PageLink {...place}>{t('Open it')}</PageLink>
            </>
          )}
        </Alert>
      )}
      {!once.seen && (
        <Text size="sm" c="dimmed">
          {t('Review all details before you confirm.')}
        </Text>
      )}
      {typeof diff === 'string' && (
        <Text size="sm" c="red">
          {diff}
        </Text>
      )}
      {isChange(diff) && (
        <div className={classes.diff}>
          <Suspense fallback={<Text size="sm">{t('Loading')}</Text>}>
            <Diff before={diff.before} after={diff.after} />
            <Shown onShown={showButtons} />
          </Suspense>
        </div>
      )}
      <Group gap="xs" ref={buttons}>
        <Button
          size="xs"
          leftSection={<IconCheck size={16} />}
          disabled={offline || !handler || !once.seen}
          onClick={() => confirm(call)}
        >
          {t('Confirm')}
        </Button>
        <Button size="xs" variant="default" disabled={offline} onClick={() => setDenying(true)}>
          {t('Deny & Tell Different')}
        </Button>
        {handler?.diff && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() => onDiff(diff === null ? changeOf(() => handler.diff?.(call.arguments)) : null)}
          >
            {diff === null ? t('Show Diff') : t('Hide Diff')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Denial({ call, onBack }: { call: ToolCall; onBack: () => void }) {
  const { deny, socket } = useAssistant();
  const [reason, setReason] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        deny(call, reason);
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={t('What should be different?')}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2000}
          data-autofocus
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Button size="xs" type="submit" disabled={socket.state !== 'connected'}>
            {t('Deny')}
          </Button>
          <Button size="xs" variant="default" onClick={onBack}>
            {t('Back')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function changeOf(read: () => TextChange | undefined): TextChange | string {
  try {
    return read() ?? t('There is nothing to compare.');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function Unknown({ entry: { call } }: { entry: CallEntry }) {
  const { settle, socket } = useAssistant();
  return (
    <Stack gap="xs">
      <Text size="sm">
        {t('You confirmed this, but it may not have been carried out. Check the page before you repeat it.')}
      </Text>
      <Group>
        <Button size="xs" variant="default" disabled={socket.state !== 'connected'} onClick={() => settle(call)}>
          {t('Continue')}
        </Button>
      </Group>
    </Stack>
  );
}
