import { Group, Text } from '@mantine/core';
import { dialogues, messages } from '../../dialogues/contract.ts';
import { originLabel } from '../../dialogues/pages/status.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { formatDateTime } from '../../kit/format.ts';
import { PageLink } from '../../kit/PageLink.tsx';
import { PlainText } from '../../kit/PlainText.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import { comingLabel, SequenceBadge, whyNotNow } from '../../outreach/pages/status.tsx';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import type { Lead } from '../contract.ts';
import { type Next, nextOf } from './next.ts';
import { dialoguesOfLead } from './talks.ts';

/** What happens is heard; that a setting was changed, or that time passes, is not. */
const AGAIN_MS = 30_000;

/** What the lead hears next from us, or why nothing. */
export function LeadNext({ lead }: { lead: Lead }) {
  const talks = useEndpoint(dialogues.list, dialoguesOfLead(lead.id));
  const ids = talks.data?.items.map(({ id }) => id) ?? [];
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
    { staleTime: 0, refetchInterval: AGAIN_MS },
  );
  const error = talks.error ?? scheduled.error ?? outreach.error;
  const again = () => void Promise.all([talks.refetch(), scheduled.refetch(), outreach.refetch()]);
  const ready = talks.data !== undefined && (ids.length === 0 || scheduled.data !== undefined);
  return (
    <Section title={t('What comes next')} actions={outreach.data && <SequenceBadge state={outreach.data.state} />}>
      {error ? (
        <Failure error={error} onRetry={again} />
      ) : ready && outreach.data ? (
        <Told next={nextOf(lead, talks.data.items, scheduled.data?.items[0] ?? null, outreach.data)} lead={lead} />
      ) : (
        <Text size="sm" c="dimmed" role="status">
          {t('Loading {{entity}}...', { entity: t('messages') })}
        </Text>
      )}
    </Section>
  );
}

function Told({ next, lead }: { next: Next; lead: Lead }) {
  const dialogueId = next.kind === 'message' ? next.message.dialogue_id : next.dialogueId;
  return (
    <Group justify="space-between" gap="xs" align="flex-start">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Words next={next} lead={lead} />
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

function Words({ next, lead }: { next: Next; lead: Lead }) {
  switch (next.kind) {
    case 'message': {
      const { scheduled_at: at, author, operator, reason, message } = next.message;
      const from = originLabel(next.message) ?? (author === 'bot' ? t('Bot') : (operator ?? t('Operator')));
      return (
        <>
          <Text size="sm">
            {from}, <TwoClocks iso={at} zone={lead.timezone} />
            {at !== null && lead.timezone !== null && (
              <Text span inherit c="dimmed">
                {' '}
                {t('(for the lead: {{time}})', { time: formatDateTime(at, lead.timezone) })}
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
          {t('The bot answers what the lead wrote')}, <TwoClocks iso={next.at} zone={lead.timezone} />
        </Text>
      );
    case 'outreach': {
      const { at, why, zone } = next.outreach;
      return (
        <>
          <Text size="sm">
            {comingLabel(next.outreach)}
            {at !== null && (
              <>
                , <TwoClocks iso={at} zone={zone} />
              </>
            )}
          </Text>
          {at !== null && (
            <Text size="sm" c="dimmed">
              {t('You: {{time}}', { time: formatDateTime(at) })}
              {zone !== null && ` · ${t('Lead: {{time}}', { time: formatDateTime(at, zone) })}`}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t('Why not now: {{reason}}', { reason: whyNotNow(why) })}
          </Text>
        </>
      );
    }
    case 'nothing':
      return (
        <Text size="sm" c="dimmed">
          {next.why}
        </Text>
      );
    default:
      return next satisfies never;
  }
}
