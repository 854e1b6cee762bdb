/** Text and time of a scheduled message, in the operator's and the lead's time zones. */
import { Button, Checkbox, Group, Modal, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { now, useNow } from '../../../ui/clock.ts';
import { t } from '../../../ui/i18n.ts';
import { DateTimeField } from './DateTimeField.tsx';
import { presets } from './wallTime.ts';

interface ScheduledText {
  text: string;
  /** ISO-8601 */
  at: string;
  /** Whether to wait for working hours if the time is outside them. */
  withinHours: boolean;
}

interface ScheduleDialogProps {
  title: string;
  submit: string;
  /** What is typed, which belongs to the caller: closing the dialog must not lose it. */
  text: string;
  onText: (text: string) => void;
  /** When it is to leave, milliseconds. Without `onAt` a time is proposed, and kept here. */
  at: number | null;
  onAt?: (at: number | null) => void;
  leadZone: string;
  /** Whether to offer the choice to wait for working hours. */
  askHours: boolean;
  busy?: boolean;
  /** Shown above the fields. */
  notice?: ReactNode;
  onSubmit: (when: ScheduledText) => void;
  onClose: () => void;
}

export default function ScheduleDialog(props: ScheduleDialogProps) {
  const { title, submit, text, onText, onAt, leadZone, askHours, busy = false, notice, onSubmit, onClose } = props;
  const [chosen, choose] = useState(() => presets(now(), leadZone)[0]?.at ?? null);
  const at = onAt ? props.at : chosen;
  const [withinHours, setWithinHours] = useState(true);
  const current = useNow();
  const isPast = at !== null && at <= current;
  const textError = text.trim() === '' ? t('{{label}} is required', { label: t('Message') }) : null;
  return (
    <Modal opened stackId="schedule" onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('Close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (at === null || isPast || textError !== null) return;
          onSubmit({ text, at: new Date(at).toISOString(), withinHours });
        }}
      >
        <Stack gap="sm">
          {notice}
          <Textarea
            label={t('Message')}
            autosize
            minRows={2}
            maxRows={8}
            value={text}
            error={textError}
            onChange={(event) => onText(event.currentTarget.value)}
          />
          <DateTimeField label={t('When')} at={at} leadZone={leadZone} required onChange={onAt ?? choose} />
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
