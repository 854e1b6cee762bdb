/** The text of the form that sends to a contact. */
import { Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../../ui/i18n.ts';
import type { FormState } from '../../ui/useForm.ts';
import { MessageField } from './chat/MessageField.tsx';
import { useDraftRun } from './chat/useComposerDraft.ts';
import { WritingTools } from './chat/WritingTools.tsx';
import { appendSuggestion } from './handOverTools.ts';

const MAX_TEXT = 20_000;

/** The text of the form, and the run of the suggested reply that it began as. */
export function useText(form: FormState, { contactId, dialogueId }: { contactId: number; dialogueId: number | null }) {
  const [runId, setRunId] = useDraftRun(`send/${contactId}`, dialogueId);
  const text = String(form.values['text'] ?? '');
  return {
    text,
    runId,
    dialogueId,
    setRunId,
    setText: (next: string) => {
      form.set('text', next);
      if (next === '' && runId !== null) setRunId(null);
    },
    insertSuggestion: (suggested: string, suggestedBy: number | null) => {
      form.set('text', appendSuggestion(text, suggested));
      setRunId(suggestedBy);
    },
  };
}

export type TextDraft = ReturnType<typeof useText>;

interface TextToSendProps {
  form: FormState;
  draft: TextDraft;
  recipient: { readonly productId: number; readonly leadId: number };
}

/** The composer's field, as the first field of the form: blank lines may part messages, so Enter starts a new line. */
export function TextToSend({ form, draft, recipient }: TextToSendProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  const { text, setText, dialogueId } = draft;
  useEffect(() => input.current?.focus(), []);
  return (
    <div>
      <MessageField
        recipient={recipient}
        text={text}
        onText={setText}
        onChoose={(chosen) => setText(chosen.text)}
        onKey={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) input.current?.form?.requestSubmit();
        }}
        input={input}
        look={{
          label: t('Message'),
          required: true,
          error: form.errors['text'],
          minRows: 5,
          maxRows: 12,
          maxLength: MAX_TEXT,
          onBlur: ({ relatedTarget }) => {
            if (!(relatedTarget instanceof Element && relatedTarget.closest('[data-form-end]'))) form.blur('text');
          },
        }}
        tools={null}
      />
      <Group gap="xs" mt="xs">
        <WritingTools
          dialogueId={dialogueId}
          canInsert={text === ''}
          onPrepared={() => {
            setText('/');
            input.current?.focus();
          }}
          input={input}
          onSuggested={draft.insertSuggestion}
        />
        <Text size="xs" c="dimmed">
          {draft.runId !== null && `${t('Suggested by the bot: check it before you send it.')} `}
          <span data-key-hint>{t('Ctrl Enter sends.')}</span>
        </Text>
      </Group>
    </div>
  );
}
