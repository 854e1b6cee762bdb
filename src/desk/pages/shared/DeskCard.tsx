/** On the card of the lead: who sees to the dialogue, when the bot gets it back, and its notes. */
import { Button, Group, Menu, Text } from '@mantine/core';
import type { Dialogue } from '../../../conversations/contract.ts';
import { formatDateTime } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { useCall, useEndpoint } from '../../../ui/query.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { listNotes, setReturn } from '../../contract.ts';

interface DeskCardProps {
  dialogue: Dialogue;
  /** Called with the dialogue after a change. */
  onChanged: (dialogue: Dialogue) => void;
}

/** Hours that the menu offers. */
const HOURS = [1, 4, 12, 24, 72] as const;

/** When the bot gets the dialogue back, and the menu that changes it. */
export function ReturnTimer({ dialogue, onChanged }: DeskCardProps) {
  const change = useCall(setReturn);
  const set = (hours: number | null) =>
    change.mutate(
      { params: { id: dialogue.id }, body: { hours } },
      {
        onSuccess: (changed) => {
          onChanged(changed);
          toast.success(t('Changed for this dialogue'));
        },
        onError: toast.failure,
      },
    );
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <Text size="sm">{returnText(dialogue)}</Text>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="compact-xs" variant="default" loading={change.isPending} style={{ flex: 'none' }}>
            {t('Change')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('If no person writes')}</Menu.Label>
          {HOURS.map((hours) => (
            <Menu.Item key={hours} onClick={() => set(hours)}>
              {t('After {{count}} hours', { count: hours, defaultValue_one: 'After {{count}} hour' })}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => set(0)}>{t('Never')}</Menu.Item>
          <Menu.Item onClick={() => set(null)}>{t('Use the product’s setting')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function returnText({ owner, return_at: at }: Dialogue): string {
  if (owner === 'bot') return t('The bot is in charge');
  return at === null ? t('Only manually') : formatDateTime(at);
}

/** How many of the newest notes the card shows; all are in the thread. */
const MOST_NOTES = 3;

/** The newest notes, newest first. */
export function NewestNotes({ dialogueId }: { dialogueId: number }) {
  const notes = useEndpoint(listNotes, { params: { id: dialogueId } }).data?.items ?? [];
  if (notes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('No notes')}
      </Text>
    );
  return notes
    .slice(-MOST_NOTES)
    .reverse()
    .map((note) => (
      <Text key={note.id} size="sm" lineClamp={3} mb={4} style={{ overflowWrap: 'anywhere' }}>
        <PlainText text={note.text} />{' '}
        <Text span size="xs" c="dimmed">
          {note.operator}, <Timestamp iso={note.created_at} />
        </Text>
      </Text>
    ));
}
