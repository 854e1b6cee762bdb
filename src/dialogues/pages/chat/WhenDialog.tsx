/** Text and moment of a message that goes later, on the operator's clock and on the lead's. */
import '@mantine/dates/styles.layer.css';
import { Button, Checkbox, Group, Modal, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import { formatDateTime, formatZone, ownZone } from '../../../kit/format.ts';
import { now, useNow } from '../../../kit/now.ts';
import { t } from '../../../kit/t.ts';
import classes from './chat.module.css';
import { instantOfWall, presets, wallOfInstant } from './when.ts';

export interface When {
  text: string;
  /** ISO-8601 */
  at: string;
  /** Wait for working hours too, should the moment lie outside them. */
  withinHours: boolean;
}

interface WhenDialogProps {
  title: string;
  submit: string;
  text: string;
  /** ISO-8601; null: nothing is chosen yet. */
  at: string | null;
  leadZone: string;
  /** Offer the choice to wait for working hours. */
  askHours: boolean;
  busy?: boolean;
  onSubmit: (when: When) => void;
  onClose: () => void;
}

export default function WhenDialog(props: WhenDialogProps) {
  const { title, submit, leadZone, askHours, busy = false, onSubmit, onClose } = props;
  const [text, setText] = useState(props.text);
  const [at, setAt] = useState<number | null>(() =>
    props.at === null ? (presets(now(), leadZone)[0]?.at ?? null) : Date.parse(props.at),
  );
  const [theirs, setTheirs] = useState(false);
  const [withinHours, setWithinHours] = useState(true);
  const current = useNow();
  const zone = theirs ? leadZone : ownZone();
  const past = at !== null && at <= current;
  const refused = text.trim() === '' ? t('{{label}} is required', { label: t('Message') }) : null;
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('Close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (at === null || past || refused !== null) return;
          onSubmit({ text, at: new Date(at).toISOString(), withinHours });
        }}
      >
        <Stack gap="sm">
          <Textarea
            label={t('Message')}
            autosize
            minRows={2}
            maxRows={8}
            value={text}
            error={refused}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group gap="xs">
            {presets(current, leadZone).map((preset) => (
              <Button key={preset.label} size="compact-sm" variant="default" onClick={() => setAt(preset.at)}>
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
            label={t('When')}
            valueFormat="ddd D MMM YYYY, HH:mm"
            value={at === null ? null : wallOfInstant(at, zone)}
            minDate={wallOfInstant(current, zone).slice(0, 10)}
            error={
              past ? t('This moment has passed') : at === null ? t('{{label}} is required', { label: t('When') }) : null
            }
            onChange={(wall) => setAt(wall === null ? null : instantOfWall(wall, zone))}
          />
          {at !== null && <BothClocks at={at} leadZone={leadZone} />}
          {askHours && (
            <Checkbox
              label={t('Only within working hours')}
              description={t('Outside them it waits for the next opening.')}
              checked={withinHours}
              onChange={(event) => setWithinHours(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={at === null || past || refused !== null}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
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
