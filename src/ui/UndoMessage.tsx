import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { t } from './i18n.ts';
import { useShortcut } from './shortcuts.ts';

interface UndoMessageProps {
  text: string;
  /** Called once. */
  undo: () => void;
}

/** The text of a toast about a change, with the button and the key that undo it. */
export function UndoMessage({ text, undo }: UndoMessageProps) {
  const [isUndone, setUndone] = useState(false);
  const undoOnce = () => {
    if (isUndone) return;
    setUndone(true);
    undo();
  };
  useShortcut('z', t('Undo'), undoOnce);
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <span>{text}</span>
      <Button size="compact-xs" variant="light" disabled={isUndone} onClick={undoOnce}>
        {t('Undo')}
      </Button>
    </Group>
  );
}
