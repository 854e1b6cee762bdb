/** A rehearsal as a calendar: what is sent on each day, and on which days a limit is reached. */
import { Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { zoneTimeName } from '../../platform/zones.ts';
import { formatCalendarDay, formatDate, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { useProductZone } from '../../ui/scope.ts';
import { WEEKDAYS } from '../schedule.ts';
import { blanksBefore, type CalendarDay, dayAfterKey, noonOf } from './calendar.ts';
import classes from './rehearsal.module.css';
import { kindStyles, type RehearsalKind } from './shared/status.tsx';

const KINDS: readonly RehearsalKind[] = ['first', 'ping', 'scheduled', 'expired'];

interface RehearsalCalendarProps {
  days: readonly CalendarDay[];
  /** `YYYY-MM-DD`; null lists all days. */
  chosen: string | null;
  onChoose: (day: string | null) => void;
}

export function RehearsalCalendar({ days, chosen, onChoose }: RehearsalCalendarProps) {
  const zone = useProductZone();
  const grid = useRef<HTMLDivElement>(null);
  // One day is in the tab order; arrow keys reach the others.
  const [lastFocused, setLastFocused] = useState(0);
  const focusedIndex = Math.max(
    chosen === null ? Math.min(lastFocused, days.length - 1) : days.findIndex(({ day }) => day === chosen),
    0,
  );
  const moveFocus = (event: KeyboardEvent) => {
    const cells = [...(grid.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const at = cells.findIndex((cell) => cell === event.target);
    const next = at === -1 ? null : dayAfterKey(event.key, at, cells.length);
    if (next === null) return;
    event.preventDefault();
    cells[next]?.focus();
  };
  return (
    <div className={classes.calendar}>
      <div className={classes.weekdays} aria-hidden>
        {WEEKDAYS.map((weekday) => (
          <span key={weekday}>{t(weekday).slice(0, 3)}</span>
        ))}
      </div>
      <div ref={grid} className={classes.days} role="group" aria-label={t('Days')} onKeyDown={moveFocus}>
        {days.map((day, index) => (
          <UnstyledButton
            key={day.day}
            className={classes.day}
            style={index === 0 ? { gridColumnStart: blanksBefore(days) + 1 } : undefined}
            tabIndex={index === focusedIndex ? 0 : -1}
            aria-pressed={day.day === chosen}
            data-day={day.day}
            data-empty={day.messages + day.expired === 0 || undefined}
            data-limit={day.limits.length > 0 || undefined}
            onFocus={() => setLastFocused(index)}
            onClick={() => onChoose(day.day === chosen ? null : day.day)}
          >
            <VisuallyHidden>{dayLabel(day, zone)}</VisuallyHidden>
            <span className={classes.date} aria-hidden>
              {index === 0 || day.day.endsWith('-01') ? <span>{monthAndDay(day)}</span> : dayNumber(day)}
              {day.limits.length > 0 && <IconGauge size={14} className={classes.limit} aria-hidden />}
            </span>
            <span className={classes.sum} aria-hidden>
              {day.messages > 0 && formatNumber(day.messages)}
            </span>
            <span className={classes.counts} aria-hidden>
              {KINDS.filter((kind) => day[kind] > 0).map((kind) => (
                <Count key={kind} kind={kind} count={day[kind]} />
              ))}
            </span>
          </UnstyledButton>
        ))}
      </div>
      <Legend zone={zone} hasLimits={days.some(({ limits }) => limits.length > 0)} />
    </div>
  );
}

/** Format a day without its year, such as `1 Dec`: the sentence above names the year. */
const monthAndDay = ({ day }: CalendarDay): string => formatDate(noonOf(day), 'UTC').replace(/,? \d{4}$/, '');
const dayNumber = ({ day }: CalendarDay): string => String(Number(day.slice(8)));

function Count({ kind, count }: { kind: RehearsalKind; count: number }) {
  const { icon: Glyph } = kindStyles[kind];
  return (
    <span className={classes.count} data-kind={kind}>
      <Glyph size={12} aria-hidden />
      {formatNumber(count)}
    </span>
  );
}

function Legend({ zone, hasLimits }: { zone: string; hasLimits: boolean }) {
  return (
    <Group gap="xs" mt="xs" className={classes.legend}>
      {KINDS.map((kind) => {
        const { label, icon: Glyph } = kindStyles[kind];
        return (
          <span key={kind} className={classes.count} data-kind={kind}>
            <Glyph size={12} aria-hidden />
            {t(label)}
          </span>
        );
      })}
      {hasLimits && (
        <span className={classes.count}>
          <IconGauge size={14} className={classes.limit} aria-hidden />
          {t('A daily limit is reached')}
        </span>
      )}
      <Text span inherit c="dimmed">
        {t('Days in {{zone}}, as for the daily limits.', { zone: zoneTimeName(zone) })}
      </Text>
    </Group>
  );
}

/** Describe the whole day in words, for screen readers. */
function dayLabel(day: CalendarDay, zone: string): string {
  const counts = KINDS.filter((kind) => day[kind] > 0).map((kind) =>
    t('{{what}}: {{count}}', { what: t(kindStyles[kind].label), count: day[kind] }),
  );
  const limits = day.limits.map((type) => t('the limit on {{messenger}} is reached', { messenger: MESSENGERS[type] }));
  return t('{{day}}. {{what}}', {
    day: formatCalendarDay(day.day, zone),
    what: [...(counts.length > 0 ? counts : [t('Nothing')]), ...limits].join(', '),
  });
}

const MESSENGERS = { telegram: 'Telegram', whatsapp: 'WhatsApp' } as const;
