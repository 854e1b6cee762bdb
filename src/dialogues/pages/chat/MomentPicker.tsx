/** A moment still to come, chosen on the operator's clock or the lead's and shown on both. Heavy: load it lazily. */
import '@mantine/dates/styles.layer.css';
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import { formatDateTime, formatZone, ownZone } from '../../../kit/format.ts';
import { useNow } from '../../../kit/now.ts';
import { t } from '../../../kit/t.ts';
import classes from './chat.module.css';
import { instantOfWall, presets, wallOfInstant } from './when.ts';

interface MomentPickerProps {
  label: string;
  /** Milliseconds; null: none is chosen. */
  at: number | null;
  leadZone: string;
  required?: boolean;
  onChange: (at: number | null) => void;
}

export function MomentPicker({ label, at, leadZone, required = false, onChange }: MomentPickerProps) {
  const [theirs, setTheirs] = useState(false);
  const current = useNow();
  const zone = theirs ? leadZone : ownZone();
  const wrong =
    at !== null && at <= current
      ? t('This moment has passed')
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
      {leadZone !== ownZone() && (
        <SegmentedControl
          aria-label={t('Whose clock')}
          size="xs"
          value={theirs ? 'lead' : 'own'}
          onChange={(value) => setTheirs(value === 'lead')}
          data={[
            { value: 'own', label: t('My clock ({{zone}})', { zone: formatZone(ownZone()) }) },
            { value: 'lead', label: t("Lead's clock ({{zone}})", { zone: formatZone(leadZone) }) },
          ]}
        />
      )}
      <DateTimePicker
        label={label}
        valueFormat="ddd D MMM YYYY, HH:mm"
        value={at === null ? null : wallOfInstant(at, zone)}
        minDate={wallOfInstant(current, zone).slice(0, 10)}
        error={wrong}
        clearable={!required}
        clearButtonProps={{ 'aria-label': t('Clear') }}
        onChange={(wall) => onChange(wall === null ? null : instantOfWall(wall, zone))}
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
        {formatDateTime(iso)} ({formatZone(ownZone(), iso)})
      </dd>
      <dt>{t('Lead')}</dt>
      <dd>
        {formatDateTime(iso, leadZone)} ({formatZone(leadZone, iso)})
      </dd>
    </Text>
  );
}
