/** The message composer. Enter sends, Shift+Enter starts a new line; the draft survives leaving the page. */
import { ActionIcon, Textarea, Tooltip } from '@mantine/core';
import { type Icon, IconClockPlus, IconSend2 } from '@tabler/icons-react';
import { type KeyboardEvent, lazy, memo, Suspense, useRef, useState } from 'react';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { useShortcut } from '../../../ui/shortcuts.ts';
import classes from './chat.module.css';
import { useComposerDraft } from './useComposerDraft.ts';

/** Loaded lazily: the calendar is large and rarely needed. */
const ScheduleDialog = lazy(() => import('./ScheduleDialog.tsx'));

/** A message as submitted by the composer. */
export interface ComposedMessage {
  text: string;
  /** ISO-8601; null: at once. */
  sendNotBefore: string | null;
  scheduleEnabled: boolean;
}

interface ComposerProps {
  dialogueId: number;
  leadName: string;
  /** Longest text of one message, characters. */
  limit: number;
  /** Whether sending takes the dialogue over from the bot. */
  takesOverDialogue: boolean;
  leadZone: string;
  onSend: (outgoing: ComposedMessage) => void;
}

/** Memoised, because its textarea measures its text on every rendering, which forces a layout of the whole page. */
export const Composer = memo(function Composer(props: ComposerProps) {
  const { dialogueId, leadName, limit, takesOverDialogue, leadZone, onSend } = props;
  const [text, setText] = useComposerDraft(dialogueId, leadName);
  const [isScheduling, setScheduling] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  useShortcut('r', t('Write a reply'), () => input.current?.focus());

  const isBlank = text.trim() === '';
  const submit = (outgoing: ComposedMessage) => {
    setText('');
    onSend(outgoing);
    input.current?.focus();
  };
  const sendNow = () => {
    if (!isBlank) submit({ text, sendNotBefore: null, scheduleEnabled: false });
  };
  const onKey = (event: KeyboardEvent) => {
    // Keep the draft and leave the field, so that the page's keyboard shortcuts work again.
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) return input.current?.blur();
    // Ignore the Enter that confirms a suggestion of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    sendNow();
  };

  return (
    <div className={classes.composer}>
      <div className={classes.composerRow}>
        <Textarea
          ref={input}
          className={classes.input}
          aria-label={t('Message')}
          placeholder={t('Write a message')}
          autosize
          minRows={1}
          maxRows={10}
          maxLength={20_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <SendButton
          label={t('Send later')}
          icon={IconClockPlus}
          disabled={isBlank}
          onClick={() => setScheduling(true)}
        />
        <SendButton label={t('Send')} icon={IconSend2} disabled={isBlank} onClick={sendNow} filled />
      </div>
      <div className={classes.hint}>
        <span>
          {takesOverDialogue ? t('Sending takes the dialogue over from the bot.') : t('Shift+Enter starts a new line.')}
        </span>
        <LengthHint length={text.length} limit={limit} />
      </div>
      <Suspense>
        {isScheduling && (
          <ScheduleDialog
            title={t('Send later')}
            submit={t('Schedule')}
            text={text}
            at={null}
            leadZone={leadZone}
            askHours
            onClose={() => setScheduling(false)}
            onSubmit={(when) => {
              setScheduling(false);
              submit({ text: when.text, sendNotBefore: when.at, scheduleEnabled: when.withinHours });
            }}
          />
        )}
      </Suspense>
    </div>
  );
});

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

/** Shows the length of a text that comes near the limit of one message. */
function LengthHint({ length, limit }: { length: number; limit: number }) {
  if (length <= limit * 0.8) return null;
  if (length <= limit)
    return (
      <span>
        {formatNumber(length)} / {formatNumber(limit)}
      </span>
    );
  return (
    <span role="status">
      {t('Longer than {{limit}} characters: it is sent as several messages.', { limit: formatNumber(limit) })}
    </span>
  );
}
