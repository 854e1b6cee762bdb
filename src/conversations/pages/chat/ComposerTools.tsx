/** Above the field: reply or note, prepared messages, a suggested reply, and which colleagues are here. */
import { Group, SegmentedControl, Text } from '@mantine/core';
import type { RefObject } from 'react';
import { t } from '../../../ui/i18n.ts';
import { useScope } from '../../../ui/scope.ts';
import type { DialogueView } from '../../contract.ts';
import classes from './chat.module.css';
import { useColleagues } from './presence.ts';
import { WritingTools } from './WritingTools.tsx';

interface ComposerToolsProps {
  view: DialogueView;
  isNote: boolean;
  onNote: (isNote: boolean) => void;
  /** Offers the prepared messages. */
  onPrepared: () => void;
  /** Whether nothing is written that a prepared message would replace. */
  canInsert: boolean;
  input: RefObject<HTMLTextAreaElement | null>;
  onSuggested: (text: string, runId: number | null) => void;
}

export function ComposerTools({ view, isNote, onNote, ...writing }: ComposerToolsProps) {
  const { operator } = useScope();
  const colleagues = useColleagues(view.dialogue.id, operator.login);
  return (
    <div className={classes.composerTools}>
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('What to write')}
          value={isNote ? 'note' : 'reply'}
          onChange={(value) => onNote(value === 'note')}
          data={[
            { value: 'reply', label: t('Reply') },
            { value: 'note', label: t('Note') },
          ]}
        />
        {!isNote && <WritingTools dialogueId={view.dialogue.id} {...writing} />}
      </Group>
      {colleagues.length > 0 && (
        <Text size="xs" fw={500} role="status" data-presence>
          {colleagues
            .map(({ login, isTyping }) =>
              isTyping ? t('{{login}} is typing…', { login }) : t('{{login}} is viewing', { login }),
            )
            .join(', ')}
        </Text>
      )}
    </div>
  );
}
