/** The menu that snoozes dialogues: until a time on the operator's clock, or until the lead writes. */
import { Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useState } from 'react';
import { useNow } from '../../../ui/clock.ts';
import { browserTimeZone, formatDateTime, formatZone } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import classes from './desk.module.css';
import { customInstant, customStart, snoozeTimes } from './snoozeTimes.ts';

interface Snooze {
  /** ISO-8601; null: only until the lead writes. */
  readonly until: string | null;
  readonly untilReply: boolean;
}

interface SnoozeMenuProps {
  /** Whether there is a snooze to end. */
  isSnoozed?: boolean;
  opened: boolean;
  onOpened: (opened: boolean) => void;
  onSnooze: (snooze: Snooze) => void;
}

export function SnoozeMenu({ isSnoozed = false, opened, onOpened, onSnooze }: SnoozeMenuProps) {
  const [isCustom, setCustom] = useState(false);
  return (
    <>
      <Menu opened={opened} onChange={onOpened} position="bottom-end" width="18rem">
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconClockPause size={14} aria-hidden />}
            aria-label={t('Snooze')}
            classNames={{ section: classes.actionIcon, label: classes.actionLabel }}
          >
            {t('Snooze')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <SnoozeItems {...{ isSnoozed, onSnooze }} onCustom={() => setCustom(true)} />
        </Menu.Dropdown>
      </Menu>
      {isCustom && <CustomSnooze onSnooze={onSnooze} onClose={() => setCustom(false)} />}
    </>
  );
}

interface SnoozeItemsProps extends Pick<SnoozeMenuProps, 'isSnoozed' | 'onSnooze'> {
  onCustom: () => void;
}

/** The items, which are rendered in the open menu only: their times cost more than all else beside an open dialogue. */
function SnoozeItems({ isSnoozed, onSnooze, onCustom }: SnoozeItemsProps) {
  const at = useNow(60_000);
  const zone = browserTimeZone();
  return (
    <>
      {isSnoozed && (
        <>
          <Menu.Item onClick={() => onSnooze({ until: null, untilReply: false })}>{t('End the snooze')}</Menu.Item>
          <Menu.Divider />
        </>
      )}
      {snoozeTimes(at, zone).map(({ label, until }) => (
        <Menu.Item
          key={label}
          rightSection={
            <Text size="xs" ml="md">
              {formatDateTime(until)}
            </Text>
          }
          onClick={() => onSnooze({ until, untilReply: true })}
        >
          {t(label)}
        </Menu.Item>
      ))}
      <Menu.Item onClick={() => onSnooze({ until: null, untilReply: true })}>{t('Until the lead writes')}</Menu.Item>
      <Menu.Item onClick={onCustom}>{t('Until another time…')}</Menu.Item>
      <Menu.Divider />
      <Menu.Label>
        {t('Times in {{zone}}. A message from the lead ends every snooze.', { zone: formatZone(zone) })}
      </Menu.Label>
    </>
  );
}

function CustomSnooze({ onSnooze, onClose }: Pick<SnoozeMenuProps, 'onSnooze'> & { onClose: () => void }) {
  const zone = browserTimeZone();
  const [value, setValue] = useState(() => customStart(zone));
  const at = useNow();
  const until = customInstant(value, zone);
  const isPast = until !== null && Date.parse(until) <= at;
  return (
    <Modal opened onClose={onClose} title={t('Snooze')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (until === null || isPast) return;
          onClose();
          onSnooze({ until, untilReply: true });
        }}
      >
        <Stack gap="sm">
          <TextInput
            type="datetime-local"
            label={t('Until ({{zone}})', { zone: formatZone(zone) })}
            value={value}
            error={isPast ? t('This time has passed') : null}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" disabled={until === null || isPast}>
              {t('Snooze')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
