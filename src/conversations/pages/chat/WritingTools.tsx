/** What helps to write to a lead, wherever that is: prepared messages, and a reply that the bot suggests. */
import { Button } from '@mantine/core';
import { IconSlash, IconSparkles } from '@tabler/icons-react';
import { suggestReply } from '../../../desk/contract.ts';
import { t } from '../../../ui/i18n.ts';
import { useCall } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';

interface WritingToolsProps {
  /** The dialogue that the bot suggests a reply for; null: there is none yet. */
  dialogueId: number | null;
  /** Offers the prepared messages, as `/` does. */
  onPrepared: () => void;
  /** Whether nothing is written that a prepared message would replace. */
  canInsert: boolean;
  onSuggested: (text: string, runId: number | null) => void;
}

export function WritingTools({ dialogueId, onPrepared, canInsert, onSuggested }: WritingToolsProps) {
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
      {dialogueId !== null && <SuggestButton dialogueId={dialogueId} onSuggested={onSuggested} />}
    </>
  );
}

function SuggestButton({ dialogueId, onSuggested }: { dialogueId: number } & Pick<WritingToolsProps, 'onSuggested'>) {
  const suggest = useCall(suggestReply);
  const ask = () =>
    suggest.mutate(
      { params: { id: dialogueId } },
      { onSuccess: ({ text, run_id: runId }) => onSuggested(text, runId), onError: toast.failure },
    );
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
