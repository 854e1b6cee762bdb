/**
 * A field for a future time, entered in the operator's or the lead's time zone and shown in both. Large: load it
 * lazily.
 */
import '@mantine/dates/styles.layer.css';
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import { useNow } from '../../../ui/clock.ts';
import { browserTimeZone, formatDateTime, formatZone } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import classes from './chat.module.css';
import { presets, toInstant, toWallTime } from './wallTime.ts';

interface DateTimeFieldProps {
  label: string;
  /** Milliseconds; null if none is chosen. */
  at: number | null;
  leadZone: string;
  required?: boolean;
  onChange: (at: number | null) => void;
}

export function DateTimeField({ label, at, leadZone, required = false, onChange }: DateTimeFieldProps) {
  const [usesLeadClock, setUsesLeadClock] = useState(false);
  const current = useNow();
  const zone = usesLeadClock ? leadZone : browserTimeZone();
  const error =
    at !== null && at <= current
      ? t('This time has passed')
      : at === null && required
        ? t('{{label}} is required', { label })
        : null;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {presets(current, leadZone).map((preset) => (
          <Button key={preset.label} size="compact-sm" variant="default" onClick={() => onChange(preset.at)}>
            {t(preset.label)}
          </Button>
        ))}
      </Group>
      {leadZone !== browserTimeZone() && (
        <SegmentedControl
          aria-label={t('Time zone')}
          size="xs"
          value={usesLeadClock ? 'lead' : 'own'}
          onChange={(value) => setUsesLeadClock(value === 'lead')}
          data={[
            { value: 'own', label: t('My time ({{zone}})', { zone: formatZone(browserTimeZone()) }) },
            { value: 'lead', label: t("Lead's time ({{zone}})", { zone: formatZone(leadZone) }) },
          ]}
        />
      )}
      <DateTimePicker
        label={label}
        valueFormat="ddd D MMM YYYY, HH:mm"
        value={at === null ? null : toWallTime(at, zone)}
        minDate={toWallTime(current, zone).slice(0, 10)}
        error={error}
        clearable={!required}
        clearButtonProps={{ 'aria-label': t('Clear') }}
        onChange={(wallTime) => onChange(wallTime === null ? null : toInstant(wallTime, zone))}
      />
      {at !== null && <BothClocks at={at} leadZone={leadZone} />}
    </Stack>
  );
}

function BothClocks({ at, leadZone }: { at: number; leadZone: string }) {
  const iso = new Date(at).toISOString();
  return (
    <Text component="dl" className={classes.facts} aria-live="polite">
      <dt>{t('You')}</dt>
      <dd>
        {formatDateTime(iso)} ({formatZone(browserTimeZone(), iso)})
      </dd>
      <dt>{t('Lead')}</dt>
      <dd>
        {formatDateTime(iso, leadZone)} ({formatZone(leadZone, iso)})
      </dd>
    </Text>
  );
}
