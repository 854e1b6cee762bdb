/** The operator's settings of alerts, on their account page. */
import { Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { Section } from '../../../ui/Section.tsx';
import { useSteady } from '../../../ui/steady.tsx';
import { zoneOptions } from '../../../ui/timeZones.ts';
import { toast } from '../../../ui/toast.ts';
import {
  type AlertSettingsView,
  readAlertSettings,
  type AlertSettings as Settings,
  sendTestNotification,
} from '../../alertsContract.ts';
import type { QuietHours } from '../../quietHours.ts';
import { storeSettings, turnNotificationsOff, turnNotificationsOn } from '../alerts/changeSettings.ts';
import { notificationPermission, showNotification } from '../alerts/notifications.ts';
import { playAlertSound } from '../alerts/sound.ts';

export default function AlertSettings() {
  const { data, error, refetch } = useEndpoint(readAlertSettings, {});
  return (
    <Section title={t('Alerts')}>
      {error && <Failure error={error} onRetry={() => refetch()} />}
      {data === undefined && !error && (
        <Text size="sm" c="dimmed" role="status">
          {t('Loading {{entity}}...', { entity: t('alerts') })}
        </Text>
      )}
      {data && <Fields settings={data} />}
    </Section>
  );
}

function Fields({ settings }: { settings: AlertSettingsView }) {
  const storing = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onError: toast.failure,
  });
  const sound = useSteady(storing.isPending);
  const text = useSteady(storing.isPending || !settings.notifications);
  const store = (change: Partial<Settings>) => storing.mutate(() => storeSettings(settings, change));
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('How you hear about a waiting lead while you are doing something else. You get one alert for each wait.')}
      </Text>
      <Switch
        label={t('Play a quiet sound')}
        description={t('While a tab of the console is open')}
        checked={settings.sound}
        {...sound}
        onChange={({ currentTarget: { checked } }) => {
          if (checked) void playAlertSound();
          store({ sound: checked });
        }}
      />
      <NotificationSwitch settings={settings} busy={storing.isPending} run={storing.mutate} />
      <Switch
        label={t('Show message text in notifications')}
        description={t('The last message of the dialogue. When off, only the lead’s name and the reason.')}
        checked={settings.message_text}
        {...text}
        onChange={({ currentTarget: { checked } }) => store({ message_text: checked })}
      />
      <QuietHoursFields hours={settings.quiet_hours} onStore={(hours) => store({ quiet_hours: hours })} />
      {settings.notifications && <TestButton settings={settings} />}
    </Stack>
  );
}

interface NotificationSwitchProps {
  settings: AlertSettingsView;
  busy: boolean;
  run: (work: () => Promise<unknown>) => void;
}

function NotificationSwitch({ settings, busy, run }: NotificationSwitchProps) {
  const [permission, setPermission] = useState(notificationPermission);
  const steady = useSteady(busy || permission === 'unsupported');
  const turnOn = async () => {
    await turnNotificationsOn(settings);
    setPermission(notificationPermission());
  };
  return (
    <Stack gap="xs">
      <Switch
        label={t('Show browser notifications')}
        description={descriptionOf(settings)}
        checked={settings.notifications}
        {...steady}
        onChange={({ currentTarget: { checked } }) => run(checked ? turnOn : () => turnNotificationsOff(settings))}
      />
      {permission === 'denied' && (
        <Text size="sm" c="red">
          {t('This browser blocks notifications from the console. Allow them in its site settings.')}
        </Text>
      )}
      {permission === 'default' && settings.notifications && (
        <Group gap="xs">
          <Text size="sm">{t('This browser has not allowed them yet.')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => run(turnOn)}>
            {t('Allow in this browser')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function descriptionOf({ push_key: key }: AlertSettingsView): string {
  return key === null
    ? t('Only while a tab is open: the sandbox has no push service')
    : t('Also when no tab is open, while you are signed in');
}

const DEFAULT_FROM = '22:00';
const DEFAULT_TO = '08:00';

function QuietHoursFields({
  hours,
  onStore,
}: {
  hours: QuietHours | null;
  onStore: (hours: QuietHours | null) => void;
}) {
  const timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Stack gap="xs">
      <Switch
        label={t('Quiet hours')}
        description={t('No sound and no notifications. Afterwards you are notified of leads who are still waiting.')}
        checked={hours !== null}
        onChange={({ currentTarget: { checked } }) =>
          onStore(checked ? { from: DEFAULT_FROM, to: DEFAULT_TO, timezone } : null)
        }
      />
      {hours !== null && (
        <Group gap="sm" align="end">
          <TimeInput
            label={t('From')}
            time={hours.from}
            other={hours.to}
            onStore={(from) => onStore({ ...hours, from })}
          />
          <TimeInput label={t('To')} time={hours.to} other={hours.from} onStore={(to) => onStore({ ...hours, to })} />
          <Select
            label={t('Time zone')}
            searchable
            allowDeselect={false}
            w="16rem"
            data={zoneOptions(hours.timezone)}
            value={hours.timezone}
            onChange={(zone) => zone !== null && onStore({ ...hours, timezone: zone })}
          />
        </Group>
      )}
    </Stack>
  );
}

interface TimeInputProps {
  label: string;
  time: string;
  /** The other end, which must differ. */
  other: string;
  onStore: (time: string) => void;
}

/** Stored when the operator leaves the field. */
function TimeInput({ label, time, other, onStore }: TimeInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const isSame = typed === other;
  return (
    <TextInput
      label={label}
      type="time"
      w="8rem"
      value={typed ?? time}
      error={isSame && t('Choose another time')}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
      onBlur={() => {
        if (isSame) return;
        if (typed !== null && typed !== '' && typed !== time) onStore(typed);
        setTyped(null);
      }}
    />
  );
}

function TestButton({ settings: { is_subscribed: isSubscribed } }: { settings: AlertSettingsView }) {
  const test = useMutation({
    mutationFn: () =>
      isSubscribed
        ? call(sendTestNotification)
        : showNotification({
            type: 'show',
            tag: 'alert-test',
            title: t('Rapport'),
            body: t('Notifications work in this browser'),
            url: '/?page=account',
          }),
    onSuccess: () => toast.success(t('Test notification sent')),
    onError: toast.failure,
  });
  return (
    <Group>
      <Button
        variant="default"
        loading={test.isPending}
        disabled={notificationPermission() !== 'granted'}
        onClick={() => test.mutate()}
      >
        {t('Send a test notification')}
      </Button>
    </Group>
  );
}
