/** The buttons beside the field: send, send later, and the other ways to send. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { type Icon, IconClockPlus, IconNotes, IconSend2 } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import { MoreWaysToSend } from './MoreWaysToSend.tsx';

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
      <MoreWaysToSend
        disabled={isBlank}
        ways={[
          ...(isBots ? [{ label: t('Send and keep the bot'), onClick: () => onSend({ keepBot: true }) }] : []),
          ...(hasNext
            ? [{ label: t('Send and next'), keys: t('Ctrl Shift Enter'), onClick: () => onSend({ next: true }) }]
            : []),
        ]}
      />
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
