/** Input for a duration with a unit, such as `3 days`. Its value is in minutes. */
import { NumberInput, type NumberInputProps, Select } from '@mantine/core';
import { useState } from 'react';
import { boundsText, withinBounds } from './bounds.ts';
import classes from './DurationField.module.css';
import { type DurationUnit, minutesIn, unitOf } from './duration.ts';
import { t } from './i18n.ts';

interface DurationFieldProps extends Omit<NumberInputProps, 'value' | 'onChange' | 'label' | 'min' | 'max'> {
  /** Label without the unit: `After`. */
  label: string;
  /** Whole minutes; null when the input is empty. */
  minutes: number | null;
  /** Least number of the chosen unit. */
  min: number;
  /** Maximum in minutes. */
  maxMinutes: number;
  onMinutes: (minutes: number | null) => void;
}

const UNITS: readonly DurationUnit[] = ['minutes', 'hours', 'days'];

export function DurationField({
  label,
  minutes,
  min,
  maxMinutes,
  onMinutes,
  error,
  className,
  ...rest
}: DurationFieldProps) {
  const [preferredUnit, setUnit] = useState<DurationUnit>(() => unitOf(minutes));
  // A value set from outside may not be a whole number of the chosen unit. Show it in a unit where it is.
  const unit = minutes === null || minutes % minutesIn(preferredUnit) === 0 ? preferredUnit : unitOf(minutes);
  const size = minutesIn(unit);
  const max = Math.floor(maxMinutes / size);
  const isOutside = minutes !== null && withinBounds(minutes / size, { min, max }) !== minutes / size;
  const names: Readonly<Record<DurationUnit, string>> = { minutes: t('minutes'), hours: t('hours'), days: t('days') };
  return (
    <div className={`${classes.duration} ${className ?? ''}`}>
      <NumberInput
        {...rest}
        label={label}
        // The unit is beside it: only who cannot see it there is told.
        aria-label={t('{{label}} {{unit}}', { label, unit: names[unit] })}
        min={min}
        max={max}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        value={minutes === null ? '' : minutes / size}
        error={error ?? (isOutside ? boundsText({ min, max }) : null)}
        onChange={(typed) => onMinutes(typeof typed === 'number' ? typed * size : null)}
      />
      <Select
        className={classes.unit}
        aria-label={t('Unit')}
        data={UNITS.map((value) => ({ value, label: names[value] }))}
        value={unit}
        allowDeselect={false}
        onChange={(value) => {
          const next = UNITS.find((one) => one === value) ?? 'minutes';
          setUnit(next);
          // The number stays and only the unit changes: typing 3 and then choosing days means three days.
          if (minutes !== null) onMinutes(Math.min((minutes / size) * minutesIn(next), maxMinutes));
        }}
      />
    </div>
  );
}
