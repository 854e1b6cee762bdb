/** The newest hand-over: why, what a person has to know, and whether the CRM has its note and task. */
import { Anchor, Button, Loader, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ownerReasonText } from '../../../leads/lead.ts';
import { t } from '../../../ui/i18n.ts';
import { isPlainClick } from '../../../ui/PageLink.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import { hrefOf, usePage } from '../../../ui/page.ts';
import { keyOf, useCall } from '../../../ui/query.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { type DialogueView, viewDialogue } from '../../contract.ts';
import { type DialogueHandOver, type DialogueSummary, retryHandOver } from '../../handOverContract.ts';
import { ownerReason } from '../owner.tsx';
import classes from './chat.module.css';

interface HandOverPanelProps {
  view: DialogueView;
  handOver: DialogueHandOver;
  onShowMessage: () => void;
}

export function HandOverPanel({ view, handOver, onShowMessage }: HandOverPanelProps) {
  const { reason, detail, created_at: at, summary } = handOver;
  const sentence = ownerReasonText({ code: reason, detail: null });
  const why = ownerReason({ owner: 'human', owner_reason: sentence, owner_reason_code: reason }) ?? sentence;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" className={classes.text}>
        {why.charAt(0).toUpperCase() + why.slice(1)}, <Timestamp iso={at} />
      </Text>
      {detail !== null && (
        <Text size="sm" c="dimmed" className={classes.text}>
          {t('The bot’s reason:')} <PlainText text={detail} />
        </Text>
      )}
      {summary ? (
        <Summary view={view} summary={summary} onShowMessage={onShowMessage} />
      ) : (
        <SummaryState handOver={handOver} />
      )}
      <CrmState handOver={handOver} />
      <RetryButton view={view} handOver={handOver} />
    </Stack>
  );
}

interface SummaryProps extends Pick<HandOverPanelProps, 'view' | 'onShowMessage'> {
  summary: DialogueSummary;
}

function Summary({ view, summary: { lines, quotes }, onShowMessage }: SummaryProps) {
  const { setParams } = usePage();
  return (
    <>
      {lines.length > 0 && (
        <ul className={classes.summary}>
          {lines.map((line) => (
            <li key={line}>
              <PlainText text={line} />
            </li>
          ))}
        </ul>
      )}
      {quotes.map(({ message_id: messageId, text }) => (
        <blockquote key={`${messageId} ${text}`} className={classes.quote}>
          <Anchor
            href={hrefOf('dialogue-chat', { dialogueId: view.dialogue.id, dialogueName: view.lead.name, messageId })}
            inherit
            title={t('Show the message')}
            onClick={(event) => {
              if (!isPlainClick(event)) return;
              event.preventDefault();
              setParams({ messageId });
              onShowMessage();
            }}
          >
            <PlainText text={text} />
          </Anchor>
        </blockquote>
      ))}
    </>
  );
}

function SummaryState({ handOver: { summary_state: state, summary_error: error } }: { handOver: DialogueHandOver }) {
  if (state === 'pending')
    return (
      <Text size="sm" c="dimmed" role="status">
        <Loader size={12} mr={6} aria-hidden />
        {t('Writing a summary…')}
      </Text>
    );
  return (
    <Text size="sm" c="dimmed" className={classes.text}>
      {error === null ? t('No summary') : t('No summary: {{reason}}', { reason: error })}
    </Text>
  );
}

function CrmState({ handOver }: { handOver: DialogueHandOver }) {
  const { crm_state: state, crm_error: error, crm_note_id: noteId } = handOver;
  switch (state) {
    case 'none':
      return null;
    case 'done':
      return (
        <Text size="sm" c="dimmed">
          {t('Note and task are in amoCRM.')}
        </Text>
      );
    case 'pending':
      return (
        <Text size="sm" c="dimmed" className={classes.text}>
          {error === null
            ? t('Note and task are on their way to amoCRM.')
            : t('Note and task are not in amoCRM yet: {{reason}}', { reason: error })}
        </Text>
      );
    case 'failed':
      return (
        <Text size="sm" c="var(--mantine-color-error)" className={classes.text} role="alert">
          {t(
            noteId === null ? 'Note and task are not in amoCRM: {{reason}}' : 'The task is not in amoCRM: {{reason}}',
            {
              reason: error ?? t('unknown'),
            },
          )}
        </Text>
      );
    default:
      return state satisfies never;
  }
}

function RetryButton({ view, handOver }: Pick<HandOverPanelProps, 'view' | 'handOver'>) {
  const cache = useQueryClient();
  const retry = useCall(retryHandOver);
  const isWithoutSummary = handOver.summary_state === 'failed' || handOver.summary_state === 'off';
  if (handOver.crm_state !== 'failed' && !isWithoutSummary) return null;
  const params = { id: view.dialogue.id };
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={retry.isPending}
      onClick={() =>
        retry.mutate(
          { params },
          {
            onSuccess: (updated) =>
              cache.setQueryData<DialogueView>(
                keyOf(viewDialogue, { params }),
                (current) => current && { ...current, hand_over: updated },
              ),
            onError: toast.failure,
          },
        )
      }
    >
      {t('Retry')}
    </Button>
  );
}
