/**
 * The conversation of a dialogue up to one reply, imported into the playground, where the models can answer it again.
 */
import { ActionIcon, Alert, Button, Group, Loader, Text } from '@mantine/core';
import { IconRefresh, IconX } from '@tabler/icons-react';
import { conversationOfAnswer } from '../../conversations/runsContract.ts';
import type { AnswerOf } from '../../platform/contract.ts';
import { type Prompt, versionsOfPrompt } from '../../prompts/contract.ts';
import { ApiError, call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePage } from '../../ui/page.ts';
import { useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import type { ChatTurn } from './chatColumn.ts';

export type ImportedConversationData = AnswerOf<typeof conversationOfAnswer>;

/** Load the conversation named by the URL (`messageId`). */
export function useImportedConversation() {
  const { params } = usePage();
  const requestedId = params.messageId ?? '';
  const messageId = /^[1-9]\d{0,14}$/.test(requestedId) ? Number(requestedId) : null;
  const read = useEndpoint(
    conversationOfAnswer,
    { params: { id: messageId ?? 0 } },
    // The conversation before a reply does not change while an operator works on the prompt.
    { enabled: messageId !== null, staleTime: Number.POSITIVE_INFINITY },
  );
  return { messageId, read, talk: messageId === null ? null : (read.data ?? null) };
}

/** Return the last message if it is the lead's: the one that was answered. */
export const lastQuestionOf = (talk: ImportedConversationData | null): string | null => {
  const last = talk?.talk.at(-1);
  return last?.role === 'user' ? last.content : null;
};

/** Return the turns before it. */
export const turnsBeforeQuestion = (talk: ImportedConversationData | null): readonly ChatTurn[] =>
  talk === null ? NO_TURNS : lastQuestionOf(talk) === null ? talk.talk : talk.talk.slice(0, -1);
const NO_TURNS: readonly ChatTurn[] = [];

interface ImportedConversationProps {
  imported: ReturnType<typeof useImportedConversation>;
  prompt: Prompt | null;
  ready: boolean;
  /** Asks all models again. */
  onAskAgain: (content: string) => void;
  /** Puts the text of a version into the editor. */
  onText: (text: string) => void;
}

export function ImportedConversation({
  imported: { messageId, read, talk },
  prompt,
  ready,
  onAskAgain: onAgain,
  onText,
}: ImportedConversationProps) {
  const { setParams } = usePage();
  if (messageId === null) return null;
  const dismiss = () => setParams({ messageId: undefined });
  if (talk === null)
    return read.error ? (
      <Failure
        error={read.error}
        what={t('The conversation cannot be loaded')}
        onRetry={read.error instanceof ApiError && read.error.status === 404 ? dismiss : () => read.refetch()}
      />
    ) : (
      <Loader m="xs" size="sm" aria-label={t('Loading {{entity}}...', { entity: t('the talk') })} />
    );
  const question = lastQuestionOf(talk);
  const version = talk.prompt_version;
  const isOtherVersion =
    prompt !== null && talk.prompt_id === prompt.id && version !== null && version !== prompt.version;
  const loadVersion = async () => {
    if (!prompt || version === null) return;
    try {
      const query = { prompt_id: prompt.id, order_by: 'version', order: 'asc', limit: 1, page: version } as const;
      const { items } = await call(versionsOfPrompt, { query });
      if (items[0]) onText(items[0].text);
    } catch (error) {
      toast.failure(error);
    }
  };
  return (
    <Alert color="gray" p="xs" m="xs" role="region" aria-label={t('Conversation from a dialogue')}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Text size="sm">
          <PageLink to="dialogue-chat" params={{ dialogueId: talk.dialogue_id, dialogueName: talk.lead_name }}>
            {t('Dialogue with {{name}}', { name: talk.lead_name })}
          </PageLink>
          {', '}
          {t('up to this answer:')} {talk.answer}
        </Text>
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('Remove conversation')} onClick={dismiss}>
          <IconX size={16} />
        </ActionIcon>
      </Group>
      <Group gap="xs" mt="xs">
        {question !== null && (
          <Button
            size="compact-sm"
            leftSection={<IconRefresh size="1rem" />}
            disabled={!ready}
            onClick={() => onAgain(question)}
          >
            {t('Answer again')}
          </Button>
        )}
        {isOtherVersion && (
          <>
            <Button size="compact-sm" variant="default" onClick={() => void loadVersion()}>
              {t('Load version {{version}}', { version })}
            </Button>
            <Text size="xs" c="dimmed">
              {t('This answer used version {{version}}; the prompt is now at version {{now}}.', {
                version,
                now: prompt.version,
              })}
            </Text>
          </>
        )}
      </Group>
    </Alert>
  );
}
