/** How many attempts got how far: the funnel, its change from the period before, cost, and times to answer. */
import { Group, Paper, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../platform/contract.ts';
import { zoneTimeName } from '../../../platform/zones.ts';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { Tip } from '../../../ui/Tip.tsx';
import type { Funnel, OutcomeFilter, readOutcomeStrip } from '../../outcomeContract.ts';
import { formatSeconds } from '../shared/figureColumns.tsx';
import { AttemptsLink, formatRange, formatRate } from '../shared/RateText.tsx';
import { withReached } from '../shared/results.ts';
import { dayRange } from './dayText.ts';
import classes from './insights.module.css';
import { REACHED_LABELS } from './outcomeFilters.ts';

export type StripFigures = AnswerOf<typeof readOutcomeStrip>;

const STAGES = ['written', 'delivered', 'read', 'answered', 'qualified', 'success'] as const;
type Stage = (typeof STAGES)[number];

interface StripProps {
  figures: StripFigures;
  /** Finds the attempts that are counted. */
  filter: OutcomeFilter;
}

export function Strip({ figures, filter }: StripProps) {
  const { current } = figures;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('Summary')}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Text size="sm">
          <AttemptsLink count={current.attempts} filter={filter} inText /> {t('attempts')}
          {current.too_few && (
            <Text span inherit c="dimmed">
              {' '}
              · {t('Too few to tell')}
            </Text>
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {periodText(figures)}
        </Text>
      </Group>
      <dl className={`${classes.funnel} ${current.too_few ? classes.few : ''}`}>
        {STAGES.map((stage) => (
          <StageCell key={stage} stage={stage} figures={figures} filter={filter} />
        ))}
      </dl>
      <Facts figures={figures} filter={filter} />
    </Paper>
  );
}

/** Say which days are counted and which they are compared with. */
function periodText({ period, previous_period: previous, timezone }: StripFigures): string {
  const zone = t('days in {{zone}}', { zone: zoneTimeName(timezone) });
  const range = ({ from, to }: { from: string; to: string }) => dayRange(from, to);
  if (!period) return t('All time, {{zone}}', { zone });
  if (!previous) return `${range(period)}, ${zone}`;
  return t('{{period}}, compared with {{previous}}, {{zone}}', {
    period: range(period),
    previous: range(previous),
    zone,
  });
}

function StageCell({ stage, figures: { current, previous }, filter }: StripProps & { stage: Stage }) {
  const { rate, low, high } = current.rates[stage];
  return (
    <div className={classes.stage}>
      <dt className={classes.label}>{t(REACHED_LABELS[stage])}</dt>
      <dd className={classes.count} data-figure={stage}>
        <AttemptsLink count={current[stage]} filter={withReached(filter, stage)} />
      </dd>
      <div className={classes.track} aria-hidden>
        <div className={classes.fill} style={{ width: `${100 * (rate ?? 0)}%` }} />
      </div>
      <dd style={{ margin: 0 }}>
        <span className={classes.rate}>{rate === null ? '–' : formatRate(rate)}</span>{' '}
        <span className={classes.small} style={{ whiteSpace: 'nowrap' }}>
          <VisuallyHidden>{t('95 % interval')} </VisuallyHidden>
          {current.too_few ? '' : formatRange(low, high)}
        </span>
        <div className={classes.small}>
          <Change current={current} previous={previous} stage={stage} />
        </div>
      </dd>
    </div>
  );
}

/** The change of a rate in points; nothing where one of the periods is too short to tell. */
function Change({ current, previous, stage }: { current: Funnel; previous: Funnel | null; stage: Stage }) {
  const [now, before] = [current.rates[stage].rate, previous?.rates[stage].rate ?? null];
  if (!previous || now === null || before === null || current.too_few || previous.too_few) return null;
  const points = Math.round((now - before) * 1000) / 10;
  const text =
    points === 0
      ? t('as before')
      : t('{{sign}}{{count, number}} points', { sign: points > 0 ? '+' : '−', count: Math.abs(points) });
  return (
    <Tip
      label={t('Before: {{count, number}} of {{of, number}}, {{rate}}', {
        count: previous[stage],
        of: previous.attempts,
        rate: formatRate(before),
      })}
    >
      <span>{text}</span>
    </Tip>
  );
}

function Facts({ figures: { current, previous, ...times }, filter }: StripProps) {
  const dollars = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : formatDollars(value);
  const before = (value: number | null | undefined) =>
    previous && value !== null && value !== undefined ? t('before: {{value}}', { value: dollars(value) }) : '';
  const seconds = (value: number | null) => (value === null ? '–' : formatSeconds(value));
  return (
    <dl className={classes.facts}>
      <Fact label={t('Cost of models')} note={before(previous?.cost)}>
        {dollars(current.cost)}
      </Fact>
      <Fact label={t('Cost per qualified')} note={before(previous?.cost_per_qualified)}>
        {dollars(current.cost_per_qualified)}
      </Fact>
      <Fact label={t('Cost per success')} note={before(previous?.cost_per_success)}>
        {dollars(current.cost_per_success)}
      </Fact>
      <Fact label={t('Lead answers in')} note={t('median')}>
        {seconds(times.seconds_to_answer)}
      </Fact>
      <Fact label={t('We answer in')} note={t('median')}>
        {seconds(times.seconds_to_reply)}
      </Fact>
      <Fact label={t('Opted out')} note={current.too_few ? t('Too few to tell') : formatShare(current, 'opted_out')}>
        <AttemptsLink count={current.opted_out} filter={withReached(filter, 'opted_out')} />
      </Fact>
      <Fact
        label={t('Handed over')}
        note={current.too_few ? t('Too few to tell') : formatShare(current, 'handed_over')}
      >
        <AttemptsLink count={current.handed_over} filter={withReached(filter, 'handed_over')} />
      </Fact>
    </dl>
  );
}

function formatShare(funnel: Funnel, name: 'opted_out' | 'handed_over'): string {
  const { rate, low, high } = funnel.rates[name];
  return rate === null ? '' : `${formatRate(rate)}, ${formatRange(low, high)}`;
}

function Fact({ label, note, children }: { label: string; note: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt className={classes.label}>{label}</dt>
      <dd>{children}</dd>
      <dd className={classes.small} style={{ fontWeight: 400 }}>
        {note}
      </dd>
    </div>
  );
}
