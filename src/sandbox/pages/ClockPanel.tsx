/** The domain clock: shows the time that messages, schedules and follow-ups use, and moves it forward. */
import '@mantine/dates/styles.layer.css';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useEffect, useState } from 'react';
import { readClock } from '../../platform/installationContract.ts';
import { now, setClockOffset, useNow } from '../../ui/clock.ts';
import { browserTimeZone, formatCountdown, formatDate } from '../../ui/format.ts';
import { language, t } from '../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { moveClock } from '../contract.ts';
import { SmallText } from './Panel.tsx';
import { showIn } from './showIn.ts';

/** Another page may move the clock too. */
const READ_AGAIN_MS = 5000;

const STEPS = [
  { label: '+5 min', seconds: 300 },
  { label: '+1 h', seconds: 3600 },
  { label: '+1 day', seconds: 86_400 },
] as const;

export function ClockPanel() {
  const clock = useEndpoint(readClock, {}, { refetchInterval: READ_AGAIN_MS, staleTime: 0 });
  const move = useCall(moveClock);
  const [chosen, setChosen] = useState<string | null>(null);
  const offset = clock.data?.offset_seconds ?? 0;
  useEffect(() => setClockOffset(offset), [offset]);
  const at = useNow(1000);
  const forward = (seconds: number) =>
    move.mutate(
      { body: { seconds } },
      showIn(readClock, () => setChosen(null)),
    );
  const zone = browserTimeZone();
  const ahead = chosen === null ? 0 : Math.ceil((new Date(chosen.replace(' ', 'T')).getTime() - at) / 1000);
  return (
    <section aria-label={t('Clock')}>
      <Title order={2} mb="xs">
        {t('Clock')}
      </Title>
      <Stack gap="xs">
        <div>
          <Text fw={600} role="timer">
            {formatDate(new Date(at).toISOString())}, {withSeconds(at)}
          </Text>
          <SmallText>
            {offset === 0
              ? t('As the real clock ({{zone}})', { zone })
              : t('{{time}} ahead of the real clock ({{zone}})', { time: formatCountdown(offset), zone })}
          </SmallText>
        </div>
        <Group gap="xs">
          {STEPS.map((step) => (
            <Button
              key={step.seconds}
              size="xs"
              variant="default"
              disabled={move.isPending}
              loading={move.isPending && move.variables.body.seconds === step.seconds}
              onClick={() => forward(step.seconds)}
            >
              {t(step.label)}
            </Button>
          ))}
        </Group>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <DateTimePicker
            style={{ flex: 1 }}
            label={t('Move to')}
            placeholder={t('Choose a moment')}
            valueFormat="D MMM YYYY, HH:mm"
            minDate={new Date(now())}
            value={chosen}
            clearable
            error={chosen !== null && ahead <= 0 ? t('The clock only moves forward') : null}
            onChange={setChosen}
          />
          <Button variant="default" disabled={ahead <= 0 || move.isPending} onClick={() => forward(ahead)}>
            {t('Move')}
          </Button>
        </Group>
        <SmallText>{t('Moving stops at everything that falls due on the way, until it is done.')}</SmallText>
      </Stack>
    </section>
  );
}

function withSeconds(at: number): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: 'medium', hourCycle: 'h23' }).format(at);
}
