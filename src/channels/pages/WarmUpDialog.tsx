/** Edits the ramp: a new number starts with a few first messages a day and sends more on each later day. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Channel, channels, type Ramp, rampLimitOn, readRamp } from '../contract.ts';
import { configWithRamp } from './warmUp.ts';

/** The default for a new number. */
const DEFAULT_RAMP: Ramp = { start: 5, step: 3 };
/** Days after the first one that the preview shows. */
const PREVIEW_DAYS = [0, 1, 6, 13];

export function WarmUpDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  const [opened, setOpened] = useState(true);
  const before = readRamp(channel.config);
  const [ramp, setRamp] = useState(before ?? DEFAULT_RAMP);
  const saving = useMutation({
    mutationFn: (ramp: Ramp | null) =>
      call(channels.replace, { params: { id: channel.id }, body: { config: configWithRamp(channel.config, ramp) } }),
    onSuccess: (_changed, ramp) => {
      toast.success(
        ramp === null
          ? t('{{name}} is no longer warmed up', { name: channel.name })
          : t('{{name}} is warmed up', { name: channel.name }),
      );
      setOpened(false);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(channels.list) }),
  });
  const close = () => {
    if (!saving.isPending) setOpened(false);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate(ramp);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onClose}
      title={t('Warm up {{name}}', { name: channel.name })}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form noValidate onSubmit={onSubmit}>
        <Stack gap="md">
          <Text size="sm">
            {t(
              'A number that writes to many strangers at once may be banned. Warmed up, it begins with a few first messages and sends more on each later day. Replies and follow-ups are not counted; the limits of its products hold beside it.',
            )}
          </Text>
          <NumberField
            label={t('First messages on its first day')}
            description={t('The day on which it sends its first one.')}
            value={ramp.start}
            empty={DEFAULT_RAMP.start}
            min={1}
            max={100_000}
            allowDecimal={false}
            data-autofocus
            onChange={(start) => setRamp({ ...ramp, start })}
          />
          <NumberField
            label={t('More on each later day')}
            value={ramp.step}
            empty={0}
            min={0}
            max={100_000}
            allowDecimal={false}
            onChange={(step) => setRamp({ ...ramp, step })}
          />
          <Text size="sm" c="dimmed" role="status">
            {PREVIEW_DAYS.map((day) =>
              t('Day {{day}}: {{count}}', { day: formatNumber(day + 1), count: formatNumber(rampLimitOn(ramp, day)) }),
            ).join(' · ')}
          </Text>
          {saving.error && <Failure error={saving.error} />}
          <Group justify="flex-end">
            {before !== null && (
              <Button variant="subtle" mr="auto" disabled={saving.isPending} onClick={() => saving.mutate(null)}>
                {t('Stop warming up')}
              </Button>
            )}
            <Button variant="default" onClick={close} disabled={saving.isPending}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={saving.isPending}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
