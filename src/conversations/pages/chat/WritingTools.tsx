/** What helps to write to a lead, wherever that is: prepared messages, and a reply that the bot suggests. */
import { Button } from '@mantine/core';
import { IconSlash, IconSparkles } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import { suggestReply } from '../../../desk/contract.ts';
import { t } from '../../../ui/i18n.ts';
import { useCall } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import { useStableCallback } from '../../../ui/useStableCallback.ts';

/** Beyond every text: the caret goes to its end. */
const MAX_CARET = 1_000_000;

interface WritingToolsProps {
  /** The dialogue that the bot suggests a reply for; null: there is none yet. */
  dialogueId: number | null;
  /** Offers the prepared messages, as `/` does. */
  onPrepared: () => void;
  /** Whether nothing is written that a prepared message would replace. */
  canInsert: boolean;
  /** The field that gets the text, and the focus. */
  input: RefObject<HTMLTextAreaElement | null>;
  onSuggested: (text: string, runId: number | null) => void;
}

export function WritingTools({ dialogueId, onPrepared, canInsert, ...suggestion }: WritingToolsProps) {
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconSlash size={12} aria-hidden />}
        disabled={!canInsert}
        onClick={onPrepared}
      >
        {t('Prepared')}
      </Button>
      {dialogueId !== null && <SuggestButton dialogueId={dialogueId} {...suggestion} />}
    </>
  );
}

interface SuggestButtonProps extends Pick<WritingToolsProps, 'input' | 'onSuggested'> {
  dialogueId: number;
}

function SuggestButton({ dialogueId, input, onSuggested }: SuggestButtonProps) {
  const suggest = useCall(suggestReply);
  // The latest: the operator may type while the model does.
  const insert = useStableCallback(([text, runId]: [string, number | null]) => onSuggested(text, runId));
  const ask = () => {
    // What is typed while the model thinks belongs to the text.
    input.current?.focus();
    suggest.mutate(
      { params: { id: dialogueId } },
      {
        onSuccess: ({ text, run_id: runId }) => {
          flushSync(() => insert([text, runId]));
          if (document.activeElement === input.current) input.current?.setSelectionRange(MAX_CARET, MAX_CARET);
        },
        onError: toast.failure,
      },
    );
  };
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<IconSparkles size={12} aria-hidden />}
      loading={suggest.isPending}
      onClick={ask}
    >
      {t('Suggest reply')}
    </Button>
  );
}
