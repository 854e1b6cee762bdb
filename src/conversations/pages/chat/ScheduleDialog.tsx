/** Text and time of a scheduled message, in the operator's and the lead's time zones. */
import { Button, Checkbox, Group, Modal, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { now, useNow } from '../../../ui/clock.ts';
import { t } from '../../../ui/i18n.ts';
import { DateTimeField } from './DateTimeField.tsx';
import { presets } from './wallTime.ts';

export interface ScheduledText {
  text: string;
  /** ISO-8601 */
  at: string;
  /** Whether to wait for working hours if the time is outside them. */
  withinHours: boolean;
}

interface ScheduleDialogProps {
  title: string;
  submit: string;
  text: string;
  /** ISO-8601; null if nothing is chosen yet. */
  at: string | null;
  leadZone: string;
  /** Whether to offer the choice to wait for working hours. */
  askHours: boolean;
  busy?: boolean;
  onSubmit: (when: ScheduledText) => void;
  onClose: () => void;
}

export default function ScheduleDialog(props: ScheduleDialogProps) {
  const { title, submit, leadZone, askHours, busy = false, onSubmit, onClose } = props;
  const [text, setText] = useState(props.text);
  const [at, setAt] = useState<number | null>(() =>
    props.at === null ? (presets(now(), leadZone)[0]?.at ?? null) : Date.parse(props.at),
  );
  const [withinHours, setWithinHours] = useState(true);
  const current = useNow();
  const isPast = at !== null && at <= current;
  const textError = text.trim() === '' ? t('{{label}} is required', { label: t('Message') }) : null;
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('Close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (at === null || isPast || textError !== null) return;
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
            error={textError}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <DateTimeField label={t('When')} at={at} leadZone={leadZone} required onChange={setAt} />
          {askHours && (
            <Checkbox
              label={t('Only within working hours')}
              description={t('Outside them, it waits until they start.')}
              checked={withinHours}
              onChange={(event) => setWithinHours(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={at === null || isPast || textError !== null}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
