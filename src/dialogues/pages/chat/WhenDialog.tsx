/** Text and moment of a message that goes later, on the operator's clock and on the lead's. */
import { Button, Checkbox, Group, Modal, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { now, useNow } from '../../../kit/now.ts';
import { t } from '../../../kit/t.ts';
import { MomentPicker } from './MomentPicker.tsx';
import { presets } from './when.ts';

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
  const [withinHours, setWithinHours] = useState(true);
  const current = useNow();
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
          <MomentPicker label={t('When')} at={at} leadZone={leadZone} required onChange={setAt} />
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
