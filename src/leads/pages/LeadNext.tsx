import { Group, Text } from '@mantine/core';
import { dialogues, messages } from '../../conversations/contract.ts';
import { originLabel } from '../../conversations/pages/shared/status.tsx';
import { describeDelay, nextLabel, SequenceBadge } from '../../outreach/pages/shared/status.tsx';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { dateTimeInSentence } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import type { Lead } from '../contract.ts';
import { leadDialoguesArgs } from './leadQueries.ts';
import { describeNext, type Next } from './nextStep.ts';

/** How often to refetch. Events refresh the page at once, but changed settings and passing time do not. */
const REFRESH_MS = 30_000;

/** The next message to the lead, or why there is none. */
export function LeadNext({ lead }: { lead: Lead }) {
  const dialoguesQuery = useEndpoint(dialogues.list, leadDialoguesArgs(lead.id));
  const ids = dialoguesQuery.data?.items.map(({ id }) => id) ?? [];
  const scheduled = useEndpoint(
    messages.list,
    {
      query: {
        dialogue_id: ids,
        status: ['scheduled'],
        order_by: 'scheduled_at',
        order: 'asc',
        limit: 1,
        with_total: false,
      },
    },
    { enabled: ids.length > 0 },
  );
  const outreach = useEndpoint(
    readLeadOutreach,
    { params: { lead_id: lead.id } },
    { staleTime: 0, refetchInterval: REFRESH_MS },
  );
  const error = dialoguesQuery.error ?? scheduled.error ?? outreach.error;
  const retry = () => void Promise.all([dialoguesQuery.refetch(), scheduled.refetch(), outreach.refetch()]);
  const ready = dialoguesQuery.data !== undefined && (ids.length === 0 || scheduled.data !== undefined);
  return (
    <Section title={t('What comes next')} actions={outreach.data && <SequenceBadge state={outreach.data.state} />}>
      {error ? (
        <Failure error={error} onRetry={retry} />
      ) : ready && outreach.data ? (
        <NextStep
          next={describeNext({
            lead,
            dialogues: dialoguesQuery.data.items,
            scheduled: scheduled.data?.items[0] ?? null,
            outreach: outreach.data,
          })}
          lead={lead}
        />
      ) : (
        <Text size="sm" c="dimmed" role="status">
          {t('Loading {{entity}}...', { entity: t('messages') })}
        </Text>
      )}
    </Section>
  );
}

function NextStep({ next, lead }: { next: Next; lead: Lead }) {
  const dialogueId = next.kind === 'message' ? next.message.dialogue_id : next.dialogueId;
  return (
    <Group justify="space-between" gap="xs" align="flex-start">
      <div style={{ flex: 1, minWidth: 0 }}>
        <NextText next={next} lead={lead} />
      </div>
      {dialogueId !== null && (
        <Text size="sm">
          <PageLink to="dialogue-chat" params={{ dialogueId, dialogueName: lead.name }}>
            {t('Open the dialogue')}
          </PageLink>
        </Text>
      )}
    </Group>
  );
}

function NextText({ next, lead }: { next: Next; lead: Lead }) {
  switch (next.kind) {
    case 'message': {
      const { scheduled_at: at, author, operator, reason, message } = next.message;
      const from = originLabel(next.message) ?? (author === 'bot' ? t('Bot') : (operator ?? t('Operator')));
      return (
        <>
          <Text size="sm">
            {from}, <DualTimestamp iso={at} zone={lead.timezone} />
            {at !== null && lead.timezone !== null && (
              <Text span inherit c="dimmed">
                {' '}
                {t('(for the lead: {{time}})', { time: dateTimeInSentence(at, lead.timezone) })}
              </Text>
            )}
          </Text>
          <Text size="sm" c="dimmed" lineClamp={2}>
            <PlainText text={message} />
          </Text>
          {reason !== null && (
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          )}
        </>
      );
    }
    case 'answer':
      return (
        <Text size="sm">
          {t('The bot replies to the lead')}, <DualTimestamp iso={next.at} zone={lead.timezone} />
        </Text>
      );
    case 'outreach': {
      const { at, why, zone } = next.outreach;
      return (
        <>
          <Text size="sm">
            {nextLabel(next.outreach)}
            {at !== null && (
              <>
                , <DualTimestamp iso={at} zone={zone} />
              </>
            )}
          </Text>
          {at !== null && (
            <Text size="sm" c="dimmed">
              {t('You: {{time}}', { time: dateTimeInSentence(at) })}
              {zone !== null && ` · ${t('Lead: {{time}}', { time: dateTimeInSentence(at, zone) })}`}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t('Why not now: {{reason}}', { reason: describeDelay(why) })}
          </Text>
        </>
      );
    }
    case 'nothing':
      return (
        <Text size="sm" c="dimmed">
          {next.sentence}
        </Text>
      );
    default:
      return next satisfies never;
  }
}
