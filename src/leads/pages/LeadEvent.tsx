/** What happened to a lead, in words. */
import { Group, Text, VisuallyHidden } from '@mantine/core';
import { type Icon, IconArrowsExchange, IconPlayerPlay, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import type { Option } from '../../kit/form.ts';
import { t } from '../../kit/t.ts';
import type { Tone } from '../../kit/theme.ts';
import { type LeadEvent, type LeadEventType, leadEventTypes, stages } from '../contract.ts';
import { StageBadge } from './stage.tsx';

interface EventLook {
  label: string;
  tone: Tone;
  icon: Icon;
}

const looks: Readonly<Record<LeadEventType, EventLook>> = {
  activated: { label: 'Activated', tone: 'teal', icon: IconPlayerPlay },
  deactivated: { label: 'Deactivated', tone: 'gray', icon: IconPlayerStop },
  stage_changed: { label: 'Stage', tone: 'accent', icon: IconArrowsExchange },
  crm_status_changed: { label: 'CRM status', tone: 'blue', icon: IconRefresh },
};

/** The kind of the event, and what it says. @param oneLine what is too long is cut, and said whole on hover. */
export function LeadEventLine({ event, oneLine = false }: { event: LeadEvent['event']; oneLine?: boolean }) {
  const { label, tone, icon: Glyph } = looks[event.event_type];
  const { from, to, by: _by, ...rest } = event.event_data;
  const more = Object.entries(rest).map(([key, value]) => `${key}: ${inWords(value)}`);
  return (
    <Group gap="xs" wrap={oneLine ? 'nowrap' : 'wrap'}>
      <Glyph size={16} style={{ flex: 'none' }} color={`var(--mantine-color-${tone}-light-color)`} aria-hidden />
      {oneLine && from !== undefined && to !== undefined && event.event_type === 'stage_changed' ? (
        <VisuallyHidden>{t(label)}</VisuallyHidden>
      ) : (
        <Text span inherit>
          {t(label)}
        </Text>
      )}
      {from !== undefined && <EndOf value={from} />}
      {from !== undefined && to !== undefined && <span aria-hidden>→</span>}
      {to !== undefined && <EndOf value={to} />}
      {more.length > 0 && (
        <Text span inherit c="dimmed" {...(oneLine ? { truncate: true, title: more.join(', ') } : {})}>
          {more.join(', ')}
        </Text>
      )}
    </Group>
  );
}

/** The kinds of events, for controls that choose some. */
export function eventTypeOptions(): Option[] {
  return leadEventTypes.map((type) => ({ value: type, label: t(looks[type].label) }));
}

/** Who or what caused it. */
export function authorOf(event: LeadEvent['event']): string {
  return event.event_data.by === undefined ? '–' : inWords(event.event_data.by);
}

function EndOf({ value }: { value: unknown }) {
  const stage = stages.find((known) => known === value);
  return stage ? <StageBadge stage={stage} /> : <span>{inWords(value)}</span>;
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
