/** The buttons beside the field: send, send later, and the other ways to send. */
import { ActionIcon, Menu, Text, Tooltip } from '@mantine/core';
import { type Icon, IconChevronUp, IconClockPlus, IconNotes, IconSend2 } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';

interface SendButtonsProps {
  isNote: boolean;
  isBlank: boolean;
  /** Whether the bot owns the dialogue. */
  isBots: boolean;
  /** Whether there is a queue to go on in. */
  hasNext: boolean;
  onSend: (how?: { next?: boolean; keepBot?: boolean }) => void;
  onSchedule: () => void;
}

export function SendButtons({ isNote, isBlank, isBots, hasNext, onSend, onSchedule }: SendButtonsProps) {
  if (isNote)
    return <SendButton label={t('Add the note')} icon={IconNotes} disabled={isBlank} onClick={() => onSend()} filled />;
  return (
    <>
      <SendButton label={t('Send later')} icon={IconClockPlus} disabled={isBlank} onClick={onSchedule} />
      {(isBots || hasNext) && (
        <Menu position="top-end">
          <Menu.Target>
            <ActionIcon size="lg" variant="default" aria-label={t('More ways to send')} disabled={isBlank}>
              <IconChevronUp size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {isBots && <Menu.Item onClick={() => onSend({ keepBot: true })}>{t('Send and keep the bot')}</Menu.Item>}
            {hasNext && (
              <Menu.Item
                rightSection={
                  <Text size="xs" c="dimmed" ml="md">
                    {t('Ctrl Shift Enter')}
                  </Text>
                }
                onClick={() => onSend({ next: true })}
              >
                {t('Send and next')}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <SendButton label={t('Send')} icon={IconSend2} disabled={isBlank} onClick={() => onSend()} filled />
    </>
  );
}

interface SendButtonProps {
  label: string;
  icon: Icon;
  disabled: boolean;
  filled?: boolean;
  onClick: () => void;
}

function SendButton({ label, icon: Glyph, disabled, filled = false, onClick }: SendButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size="lg"
        variant={filled ? 'filled' : 'default'}
        aria-label={label}
        aria-haspopup={filled ? undefined : 'dialog'}
        disabled={disabled}
        onClick={onClick}
      >
        <Glyph size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
