import { Button, Switch, Text, TextInput } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useId } from 'react';
import { t } from '../../ui/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import {
  DAY_KEYS,
  type DayFault,
  type DayKey,
  type ScheduleDay,
  type ScheduleDays,
  setWorkingDay,
} from '../schedule.ts';
import { parseMinutes, weekdayName } from './hours.ts';
import classes from './settings.module.css';

interface DayRowsProps {
  days: ScheduleDays;
  /** Faults to show. */
  faults: readonly DayFault[];
  onChange: (days: ScheduleDays) => void;
  /** Called when the focus leaves a day's hours. */
  onLeave: (key: DayKey) => void;
}

/** Edit the seven days: which are working days, and their hours. */
export function DayRows({ days, faults, onChange, onLeave }: DayRowsProps) {
  const working = DAY_KEYS.filter((key) => days[key].is_working_day);
  const [first] = working;
  const allSame = working.every((key) => sameHours(days[key], first && days[first]));
  const copyFirstDay = () => {
    if (first === undefined) return;
    const hours = days[first];
    onChange({ ...days, ...Object.fromEntries(working.map((key) => [key, hours])) });
  };
  return (
    <Section
      title={t('Working days')}
      actions={
        !allSame && (
          <Button size="compact-xs" variant="default" leftSection={<IconCopy size="0.9rem" />} onClick={copyFirstDay}>
            {t('Copy first day to all')}
          </Button>
        )
      }
    >
      <div className={classes.days}>
        {DAY_KEYS.map((key, index) => (
          <DayRow
            key={key}
            name={weekdayName(index)}
            day={days[key]}
            faults={faults.filter((fault) => fault.key === key)}
            onChange={(day) => onChange({ ...days, [key]: day })}
            onLeave={() => onLeave(key)}
          />
        ))}
      </div>
    </Section>
  );
}

interface DayRowProps {
  name: string;
  day: ScheduleDay;
  faults: readonly DayFault[];
  onChange: (day: ScheduleDay) => void;
  onLeave: () => void;
}

function DayRow({ name, day, faults, onChange, onLeave }: DayRowProps) {
  const faultId = useId();
  const time = (field: 'time_start' | 'time_end', label: string) => (
    <TextInput
      aria-label={label}
      size="sm"
      value={day[field]}
      placeholder={t('HH:MM')}
      inputMode="numeric"
      maxLength={5}
      disabled={!day.is_working_day}
      error={faults.some((fault) => fault.field === field)}
      {...(faults.length > 0 ? { 'aria-describedby': faultId } : {})}
      onChange={(event) => onChange({ ...day, [field]: event.currentTarget.value })}
      onBlur={onLeave}
    />
  );
  return (
    <>
      <div className={classes.day} role="group" aria-label={name}>
        <Switch
          label={name}
          checked={day.is_working_day}
          onChange={(event) => onChange(setWorkingDay(day, event.currentTarget.checked))}
        />
        {time('time_start', t('{{day}}, from', { day: name }))}
        <Text span c="dimmed" aria-hidden>
          –
        </Text>
        {time('time_end', t('{{day}}, to', { day: name }))}
        <div className={classes.track} aria-hidden>
          {day.is_working_day && faults.length === 0 && <div className={classes.window} style={trackStyle(day)} />}
        </div>
      </div>
      {faults.length > 0 && (
        <p className={classes.fault} id={faultId} role="alert">
          {faults
            .map((fault) => t(fault.sentence))
            .filter(isFirstOccurrence)
            .join(' ')}
        </p>
      )}
    </>
  );
}

const isFirstOccurrence = (sentence: string, index: number, all: readonly string[]): boolean =>
  all.indexOf(sentence) === index;

function sameHours(one: ScheduleDay, other: ScheduleDay | undefined): boolean {
  return one.time_start === other?.time_start && one.time_end === other.time_end;
}

function trackStyle({ time_start, time_end }: ScheduleDay): Record<string, string> {
  const start = parseMinutes(time_start) / 14.4;
  const length = Math.max(0, parseMinutes(time_end) / 14.4 - start);
  return Number.isNaN(start + length) ? {} : { '--window-start': `${start}%`, '--window-length': `${length}%` };
}
