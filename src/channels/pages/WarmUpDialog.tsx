/** Edits the ramp: a new number starts with a few first messages a day and sends more on each later day. */
import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { Field, FormValues } from '../../ui/form.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Channel, channels, type Ramp, ramp, rampLimitOn, readRamp } from '../contract.ts';
import { configWithRamp } from './warmUp.ts';

/** The default for a new number. */
const DEFAULT_RAMP: Ramp = { start: 5, step: 3 };
/** Days after the first one that the preview shows. */
const PREVIEW_DAYS = [0, 1, 6, 13];

export function WarmUpDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  const { name } = channel;
  const before = readRamp(channel.config);
  const save = async (next: Ramp | null) => {
    await call(channels.replace, {
      params: { id: channel.id },
      body: { config: configWithRamp(channel.config, next) },
    });
    toast.success(
      next === null ? t('{{name}} is no longer warmed up', { name }) : t('{{name}} is warmed up', { name }),
    );
    await cache.invalidateQueries({ queryKey: keyOf(channels.list) });
  };
  return (
    <FormDialog
      title={t('Warm up {{name}}', { name })}
      fields={rampFields()}
      initial={{ ...(before ?? DEFAULT_RAMP) }}
      footer={(values) => (
        <>
          <Preview values={values} />
          <Text size="sm">
            {t(
              'Messengers may ban a new number that contacts many people at once. While warming up, it sends a few first messages and more each day. Replies and follow-ups do not count, and the daily limits of its products still apply.',
            )}
          </Text>
          {before !== null && (
            <Button variant="subtle" onClick={() => void save(null).then(onClose, toast.failure)}>
              {t('Stop warming up')}
            </Button>
          )}
        </>
      )}
      send={(body) => save(ramp.parse(body))}
      onDone={() => {}}
      onClose={onClose}
    />
  );
}

function rampFields(): Field[] {
  const count = { kind: 'number', required: true, integer: true, max: 100_000 } as const;
  return [
    {
      ...count,
      name: 'start',
      label: t('First messages on its first day'),
      description: t('The first day is the day it sends its first message.'),
      min: 1,
    },
    { ...count, name: 'step', label: t('More on each later day'), min: 0 },
  ];
}

function Preview({ values }: { values: FormValues }) {
  const { data: next } = ramp.safeParse({ start: Number(values['start']), step: Number(values['step']) });
  if (next === undefined) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      {PREVIEW_DAYS.map((day) =>
        t('Day {{day}}: {{count}}', { day: formatNumber(day + 1), count: formatNumber(rampLimitOn(next, day)) }),
      ).join(' · ')}
    </Text>
  );
}
