/** Describes a lead event in words. */
import { Group, Text, VisuallyHidden } from '@mantine/core';
import {
  type Icon,
  IconArrowsExchange,
  IconHandOff,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconRobot,
  IconUserQuestion,
} from '@tabler/icons-react';
import type { Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { Tone } from '../../ui/theme.ts';
import { type LeadEvent, type LeadEventType, leadEventTypes, stages } from '../contract.ts';
import { ownerReasonLabel } from './shared/ownerReasons.ts';
import { StageBadge } from './shared/stage.tsx';

interface EventStyle {
  label: string;
  tone: Tone;
  icon: Icon;
}

const eventStyles: Readonly<Record<LeadEventType, EventStyle>> = {
  activated: { label: 'Activated', tone: 'teal', icon: IconPlayerPlay },
  deactivated: { label: 'Deactivated', tone: 'gray', icon: IconPlayerStop },
  stage_changed: { label: 'Stage', tone: 'accent', icon: IconArrowsExchange },
  crm_status_changed: { label: 'CRM status', tone: 'blue', icon: IconRefresh },
  handed_over: { label: 'Handed over', tone: 'orange', icon: IconUserQuestion },
  returned_to_bot: { label: 'Back to the bot', tone: 'accent', icon: IconRobot },
  opt_out_lifted: { label: 'Opt-out lifted', tone: 'teal', icon: IconHandOff },
};

/** The kind and details of an event. @param oneLine long text is truncated and shown in full on hover. */
export function LeadEventLine({ event, oneLine = false }: { event: LeadEvent['event']; oneLine?: boolean }) {
  const { label, tone, icon: Glyph } = eventStyles[event.event_type];
  const { from, to, more } = eventDetails(event);
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
      {from !== undefined && <ChangeEnd value={from} />}
      {from !== undefined && to !== undefined && <span aria-hidden>→</span>}
      {to !== undefined && <ChangeEnd value={to} />}
      {more.length > 0 && (
        <Text span inherit c="dimmed" {...(oneLine ? { truncate: true, title: more.join(', ') } : {})}>
          {more.join(', ')}
        </Text>
      )}
    </Group>
  );
}

interface EventDetails {
  from: unknown;
  to: unknown;
  more: readonly string[];
}

function eventDetails({ event_type: type, event_data }: LeadEvent['event']): EventDetails {
  const { from, to, by, ...rest } = event_data;
  const cause = actorOf(by).why;
  const others = (fields: object) => [
    ...(cause === null ? [] : [cause]),
    ...Object.entries(fields).map(([key, value]) => `${key}: ${valueText(value)}`),
  ];
  if (type === 'handed_over') {
    const { reason, ...fields } = rest;
    const why = typeof reason === 'string' ? [ownerReasonLabel(reason) ?? reason] : [];
    return { from, to, more: [...why, ...others(fields)] };
  }
  if (type !== 'crm_status_changed') return { from, to, more: others(rest) };
  const { is_mapped: isMapped, is_deleted: isDeleted, pipeline_id: _pipeline, status_id: step, ...fields } = rest;
  // Steps are shown by name. A deleted step has no name, and a deleted card is in no step.
  const end = (value: unknown, unnamed: unknown) => (value === null ? unnamed : value);
  return {
    from: end(from, undefined),
    to: end(to, step === undefined ? undefined : t('step {{id}}', { id: String(step) })),
    more: [
      ...(isDeleted === true ? [t('the card was deleted, needs a human')] : []),
      ...(isMapped === false ? [t('no stage is mapped to this step, handed to a human')] : []),
      ...others(fields),
    ],
  };
}

/** Return the kinds of events as options for selects. */
export function eventTypeOptions(): Option[] {
  return leadEventTypes.map((type) => ({ value: type, label: t(eventStyles[type].label) }));
}

/** Return who caused the event; why is part of the event. */
export function eventAuthor({ event_type: type, event_data: { by, reason } }: LeadEvent['event']): string {
  if (type === 'handed_over' && by === undefined) return reason === 'qualified' ? t('Stage detection') : t('Bot');
  if (by === undefined) return type === 'crm_status_changed' ? t('CRM') : '–';
  return actorOf(by).who;
}

/** Actors that are no operators, and the reason that some of them stand for. */
const ACTORS: Readonly<Record<string, { readonly who: string; readonly why?: string }>> = {
  classification: { who: 'Stage detection' },
  lead: { who: 'Lead' },
  'lead wrote': { who: 'Lead', why: 'wrote' },
  'same person': { who: 'Rapport', why: 'another lead of the same person' },
  'no message from a person': { who: 'Rapport', why: 'no message from a person' },
  model: { who: 'Bot' },
  promise: { who: 'Bot', why: 'promised not to write again' },
};

/** Return who is meant by the stored actor, and why they acted where it says so. */
function actorOf(by: unknown): { who: string; why: string | null } {
  if (by === undefined) return { who: '–', why: null };
  const stored = valueText(by);
  const actor = Object.hasOwn(ACTORS, stored) ? ACTORS[stored] : undefined;
  if (actor) return { who: t(actor.who), why: actor.why === undefined ? null : t(actor.why) };
  // Stored with its hours.
  if (stored.startsWith('expired after ')) return { who: t('Rapport'), why: stored };
  return { who: stored, why: null };
}

function ChangeEnd({ value }: { value: unknown }) {
  const stage = stages.find((candidate) => candidate === value);
  return stage ? <StageBadge stage={stage} /> : <span>{valueText(value)}</span>;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
