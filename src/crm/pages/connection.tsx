/** Describe the connection of an integration, and the action that repairs it. */
import { Badge, Tooltip } from '@mantine/core';
import { type Icon, IconAlertTriangle, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { dateTimeInSentence, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import type { Tone } from '../../ui/theme.ts';
import type { IntegrationState, SkippedEntity } from '../amocrmContract.ts';

/** Milliseconds: with less time left, the monthly renewal has failed more than once. */
const ENDING_MS = 30 * 86_400_000;

interface Connection {
  readonly label: string;
  readonly tone: Tone;
  /** What the state means and what to do; null if there is nothing to do. */
  readonly text: string | null;
  readonly action: 'connect' | 'reconnect' | 'sync' | null;
}

/** @param now Unix milliseconds. */
export function describeConnection(state: IntegrationState, now: number): Connection {
  switch (state.state) {
    case 'never':
      return {
        label: t('Never connected'),
        tone: 'gray',
        text: t('Connect the account to start reading and writing.'),
        action: 'connect',
      };
    case 'disconnected':
      return {
        label: state.reason === IN_AMOCRM ? t('Disconnected in amoCRM') : t('Disconnected'),
        tone: 'gray',
        text: t('Nothing is read or written. Leads, cards and settings stay. Reconnect the account to continue.'),
        action: 'reconnect',
      };
    case 'reconnect':
      return {
        label: t('Needs reconnect'),
        tone: 'red',
        text: t('amoCRM no longer accepts the keys. Nothing is lost: pending changes wait.'),
        action: 'reconnect',
      };
    case 'connected':
      return describeConnected(state, now);
    default:
      return state.state satisfies never;
  }
}

/** The reason that the server stores; also the label of that state. */
const IN_AMOCRM = 'Disconnected in amoCRM';

function describeConnected(state: IntegrationState, now: number): Connection {
  if (state.keys_until !== null && Date.parse(state.keys_until) - now < ENDING_MS)
    return {
      label: t('Keys expire soon'),
      tone: 'yellow',
      text: t('The keys expire on {{date}}, and renewing them has failed so far. Reconnect to get new ones.', {
        date: dateTimeInSentence(state.keys_until),
      }),
      action: 'reconnect',
    };
  if (hasFailed(state))
    return {
      label: t('Sync failed'),
      tone: 'orange',
      text: t('The last sync failed. It is retried automatically.'),
      action: 'sync',
    };
  return { label: t('Connected'), tone: 'teal', text: null, action: null };
}

/** Check whether the last sync failed; a successful one clears the error. */
export const hasFailed = ({ last_error: error }: IntegrationState): boolean => error !== null;

const icons: Readonly<Partial<Record<Tone, Icon>>> = { teal: IconPlugConnected, gray: IconPlugConnectedX };

export function ConnectionBadge({ state, now }: { state: IntegrationState; now: number }) {
  const { label, tone, text } = describeConnection(state, now);
  const Glyph = icons[tone] ?? IconAlertTriangle;
  const badge = (
    <Badge color={tone} leftSection={<Glyph size={12} aria-hidden />}>
      {/* A badge holds a word or two; the text beside it says by whom. */}
      {state.state === 'disconnected' ? t('Disconnected') : label}
    </Badge>
  );
  return text === null ? (
    badge
  ) : (
    <Tooltip label={text} multiline maw="20rem">
      {badge}
    </Tooltip>
  );
}

/** Describe how changes in amoCRM reach us. */
export function describeHooks({ hooks, hooks_reason: reason }: IntegrationState): string {
  switch (hooks) {
    case 'subscribed':
      return t('Changes arrive at once. A full comparison runs every half hour.');
    case 'unavailable':
      return reason === null
        ? t('amoCRM sends no changes, so the account is synced every 5 minutes.')
        : t('amoCRM sends no changes ({{reason}}), so the account is synced every 5 minutes.', { reason });
    case 'unknown':
      return t('Not known yet');
    default:
      return hooks satisfies never;
  }
}

/** Describe the counts of the last sync, the most important first. Counts of zero are omitted, except cards read. */
export function describeSync(counts: IntegrationState['last_sync']): string {
  const countOf = (key: string) => counts[key] ?? 0;
  const countParams = (count: number) => ({ count: count < 1000 ? count : formatNumber(count) });
  const parts: (string | null)[] = [
    t('{{count}} cards read', { ...countParams(countOf('read')), defaultValue_one: '{{count}} card read' }),
    countOf('imported') > 0
      ? t('{{count}} leads imported', {
          ...countParams(countOf('imported')),
          defaultValue_one: '{{count}} lead imported',
        })
      : null,
    countOf('unreachable') > 0 ? t('{{count}} of them without an address', countParams(countOf('unreachable'))) : null,
    countOf('known') > 0 ? t('{{count}} existing', countParams(countOf('known'))) : null,
    countOf('forgotten') > 0 ? t('{{count}} deleted here before, skipped', countParams(countOf('forgotten'))) : null,
    countOf('moved') > 0
      ? t('{{count}} leads moved', { ...countParams(countOf('moved')), defaultValue_one: '{{count}} lead moved' })
      : null,
    countOf('unmapped') > 0
      ? t('{{count}} in steps that are not mapped, handed to a human', countParams(countOf('unmapped')))
      : null,
    countOf('deleted') > 0
      ? t('{{count}} cards gone', { ...countParams(countOf('deleted')), defaultValue_one: '{{count}} card gone' })
      : null,
    countOf('skipped') > 0
      ? t('{{count}} cards skipped', {
          ...countParams(countOf('skipped')),
          defaultValue_one: '{{count}} card skipped',
        })
      : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** Describe how many of a kind were skipped. */
export function describeSkippedCount(entity: SkippedEntity, count: number): string {
  switch (entity) {
    case 'card':
      return t('{{count}} cards', { count, defaultValue_one: '{{count}} card' });
    case 'contact':
      return t('{{count}} contacts', { count, defaultValue_one: '{{count}} contact' });
    case 'pipeline':
      return t('{{count}} pipelines', { count, defaultValue_one: '{{count}} pipeline' });
    case 'step':
      return t('{{count}} steps', { count, defaultValue_one: '{{count}} step' });
    case 'field':
      return t('{{count}} fields', { count, defaultValue_one: '{{count}} field' });
    case 'address':
      return t('refused addresses of {{count}} leads', {
        count,
        defaultValue_one: 'refused addresses of {{count}} lead',
      });
    default:
      return entity satisfies never;
  }
}
