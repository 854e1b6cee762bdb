/** The lead of the dialogue: stage, tags and owner, contact, both local times, planned outreach with its reason, and CRM fields. */
import { Badge, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { NewestNotes, ReturnTimer } from '../../../desk/pages/shared/DeskCard.tsx';
import { LeadCrmCard } from '../../../leads/pages/shared/LeadCrmCard.tsx';
import { botStopReason, StageBadge } from '../../../leads/pages/shared/stage.tsx';
import { ModelCost } from '../../../llm/pages/shared/cost.tsx';
import { describeDelay, nextLabel } from '../../../outreach/pages/shared/status.tsx';
import { reasonText } from '../../../outreach/reason.ts';
import type { LeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { useNow } from '../../../ui/clock.ts';
import { browserTimeZone, dateTimeInSentence, formatTime, formatZone } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import type { DialogueView, Message } from '../../contract.ts';
import { storeDialogue } from '../applyLiveEvents.ts';
import { ClassificationPanel } from './ClassificationPanel.tsx';
import classes from './chat.module.css';
import { HandOverPanel } from './HandOverPanel.tsx';
import { senderLabel } from './ScheduledStrip.tsx';

/** Loaded after the thread, which the operator reads first. */
const LeadMarks = lazy(async () => ({
  default: (await import('../../../leads/pages/shared/LeadMarks.tsx')).LeadMarks,
}));

interface LeadCardProps {
  view: DialogueView;
  /** The next scheduled message; null if there is none. */
  next: Message | null;
  /** The lead's planned outreach; undefined while loading. */
  outreach: LeadOutreach | undefined;
  /** Called when a message of the thread is to be seen. */
  onShowMessage: () => void;
}

export function LeadCard({ view, next, outreach, onShowMessage }: LeadCardProps) {
  const { lead } = view;
  const fields = Object.entries(lead.crm_fields);
  return (
    <Stack gap="md">
      <Stack gap="xs">
        <Title order={2} className={classes.text}>
          {lead.name}
        </Title>
        <Group gap="xs">
          <StageBadge stage={lead.stage} />
          {!lead.is_active && <Badge color="gray">{t('Not active')}</Badge>}
          {!lead.is_active && lead.recognized_deactivation_request && <Badge color="red">{t('Opted out')}</Badge>}
        </Group>
        <Text size="sm">
          <PageLink to="lead-detail" params={{ leadId: lead.id }}>
            {t('Open the lead')}
          </PageLink>
        </Text>
      </Stack>
      {view.hand_over !== null && (
        <Section title={t('Hand-over')}>
          <HandOverPanel view={view} handOver={view.hand_over} onShowMessage={onShowMessage} />
        </Section>
      )}
      <Section title={t('Next message')}>
        <NextMessage view={view} next={next} outreach={outreach} />
      </Section>
      <Section title={t('Returns to the bot')}>
        <ReturnTimer dialogue={view.dialogue} onChanged={storeDialogue} />
      </Section>
      <Section title={t('Notes')}>
        <NewestNotes dialogueId={view.dialogue.id} />
      </Section>
      <Section title={t('Tags and owner')}>
        {/* As high as its two fields, so that nothing moves when they are loaded. */}
        <Suspense fallback={<Skeleton h={116} />}>
          <LeadMarks lead={lead} />
        </Suspense>
      </Section>
      <Section title={t('Classification')}>
        <ClassificationPanel view={view} />
      </Section>
      <Section title={t('Contact')}>
        <ContactFacts view={view} />
      </Section>
      <Section title={t('Clocks')}>
        <Clocks leadZone={view.lead_timezone} ownOfLead={lead.timezone !== null} />
      </Section>
      <Section title={t('Fields')}>
        {fields.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('No fields')}
          </Text>
        ) : (
          <dl className={classes.facts}>
            {fields.map(([key, value]) => (
              <Field key={key} name={key} value={Array.isArray(value) ? value.join(', ') : String(value)} />
            ))}
          </dl>
        )}
      </Section>
    </Stack>
  );
}

function ContactFacts({ view: { lead, contact, channel, dialogue } }: { view: DialogueView }) {
  return (
    <>
      <dl className={classes.facts}>
        <dt>{contact.contact_type === 'telegram' ? 'Telegram' : 'WhatsApp'}</dt>
        <dd>{contact.contact}</dd>
        <dt>{t('Channel')}</dt>
        <dd>{channel.name}</dd>
        {lead.crm_id !== null && (
          <>
            <dt>{t('CRM card')}</dt>
            <dd>
              <LeadCrmCard lead={lead} />
            </dd>
          </>
        )}
        {lead.status !== null && (
          <>
            <dt>{t('CRM status')}</dt>
            <dd>{lead.status}</dd>
          </>
        )}
        <dt>{t('Models')}</dt>
        <dd>
          <ModelCost of="dialogue" id={dialogue.id} />
        </dd>
      </dl>
      {!channel.reports_read && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('This channel does not report reads.')}
        </Text>
      )}
    </>
  );
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {title}
      </Text>
      {children}
    </section>
  );
}

function Field({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className={classes.text}>{name}</dt>
      <dd className={classes.text}>{value}</dd>
    </>
  );
}

function NextMessage({ view, next, outreach }: Omit<LeadCardProps, 'onShowMessage'>) {
  const { dialogue } = view;
  if (next !== null && next.scheduled_at !== null) {
    return (
      <>
        <Text size="sm">
          {senderLabel(next)}, {dateTimeInSentence(next.scheduled_at)}
        </Text>
        <Text size="xs" c="dimmed">
          {t('For the lead: {{time}}', { time: dateTimeInSentence(next.scheduled_at, view.lead_timezone) })}
        </Text>
        {next.reason !== null && (
          <Text size="xs" c="dimmed">
            {next.reason}
          </Text>
        )}
      </>
    );
  }
  const stopReason = botStopReason(view.lead);
  const needsReply = dialogue.turn_due_at !== null && dialogue.owner === 'bot';
  const upcoming = stopReason === null && !needsReply && outreach ? nextLabel(outreach) : null;
  if (outreach && upcoming !== null) {
    const { at, why } = outreach;
    return (
      <>
        <Text size="sm">
          {at === null ? upcoming : t('{{what}}, {{time}}', { what: upcoming, time: dateTimeInSentence(at) })}
        </Text>
        {at !== null && (
          <Text size="xs" c="dimmed">
            {t('For the lead: {{time}}', { time: dateTimeInSentence(at, view.lead_timezone) })}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {describeDelay(why)}
        </Text>
      </>
    );
  }
  return (
    <Text size="sm" c="dimmed">
      {stopReason !== null
        ? t('No message is scheduled, and the bot is off: {{reason}}.', { reason: stopReason })
        : needsReply
          ? t('The bot replies to the lead.')
          : outreach
            ? t('No message is scheduled. {{reason}}.', { reason: reasonText(outreach.why) })
            : t('No message is scheduled.')}
    </Text>
  );
}

function Clocks({ leadZone, ownOfLead }: { leadZone: string; ownOfLead: boolean }) {
  const iso = new Date(useNow(15_000)).toISOString();
  return (
    <dl className={classes.facts}>
      <dt>{t('Lead')}</dt>
      <dd>
        {formatTime(iso, leadZone)} ({formatZone(leadZone)})
        <Text size="xs" c="dimmed">
          {ownOfLead ? leadZone : t('{{zone}}, from working hours', { zone: leadZone })}
        </Text>
      </dd>
      <dt>{t('You')}</dt>
      <dd>
        {formatTime(iso)} ({formatZone(browserTimeZone())})
      </dd>
    </dl>
  );
}
