/** Above the field: reply or note, prepared messages, a suggested reply, and which colleagues are here. */
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { suggestReply } from '../../../desk/contract.ts';
import { t } from '../../../ui/i18n.ts';
import { useCall } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';
import type { DialogueView } from '../../contract.ts';
import classes from './chat.module.css';
import { PreparedButton } from './MessageField.tsx';
import { useColleagues } from './presence.ts';

interface ComposerToolsProps {
  view: DialogueView;
  isNote: boolean;
  onNote: (isNote: boolean) => void;
  /** Offers the prepared messages. */
  onPrepared: () => void;
  /** Whether nothing is written that a prepared message would replace. */
  canInsert: boolean;
  onSuggested: (text: string, runId: number | null) => void;
}

export function ComposerTools({ view, isNote, onNote, onPrepared, canInsert, onSuggested }: ComposerToolsProps) {
  const { operator } = useScope();
  const suggest = useCall(suggestReply);
  const colleagues = useColleagues(view.dialogue.id, operator.login);
  const ask = () =>
    suggest.mutate(
      { params: { id: view.dialogue.id } },
      { onSuccess: ({ text, run_id: runId }) => onSuggested(text, runId), onError: toast.failure },
    );
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
        {!isNote && (
          <>
            <PreparedButton disabled={!canInsert} onClick={onPrepared} />
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconSparkles size={12} aria-hidden />}
              loading={suggest.isPending}
              onClick={ask}
            >
              {t('Suggest reply')}
            </Button>
          </>
        )}
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
