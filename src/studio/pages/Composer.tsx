/** The field for a message to all models of the playground. */
import { Button, Textarea } from '@mantine/core';
import { IconPlayerStop, IconSend } from '@tabler/icons-react';
import { t } from '../../ui/i18n.ts';
import classes from './playground.module.css';

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  canSend: boolean;
  onSend: (text: string) => void;
  /** Null: no model is answering. */
  onStop: (() => void) | null;
}

export function Composer({ text, onChange, canSend, onSend, onStop }: ComposerProps) {
  const sendable = canSend && text.trim() !== '';
  const send = () => sendable && onSend(text.trim());
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        className={classes.typing}
        aria-label={t('Message')}
        placeholder={t('Write as the lead')}
        autosize
        minRows={1}
        maxRows={6}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {onStop ? (
        <Button variant="default" leftSection={<IconPlayerStop size="1rem" />} onClick={onStop}>
          {t('Stop')}
        </Button>
      ) : (
        <Button type="submit" disabled={!sendable} leftSection={<IconSend size="1rem" />}>
          {t('Send')}
        </Button>
      )}
    </form>
  );
}
