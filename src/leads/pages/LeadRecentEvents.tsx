import { Stack, Text } from '@mantine/core';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { QueryList } from '../../ui/QueryList.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { eventsOfLead, type Lead } from '../contract.ts';
import { eventAuthor, LeadEventLine } from './LeadEvent.tsx';

const RECENT = 10;

/** The most recent events of a lead. */
export function LeadRecentEvents({ lead }: { lead: Lead }) {
  const list = useEndpoint(eventsOfLead, { params: { id: lead.id }, query: { limit: RECENT } });
  return (
    <Section
      title={t('Recent events')}
      actions={
        <Text size="sm">
          <PageLink to="crm-lead-events" params={{ leadId: lead.id, leadName: lead.name }}>
            {t('All events')}
          </PageLink>
        </Text>
      }
    >
      <QueryList query={list} entity={t('lead events')}>
        {({ items }) => (
          <Stack gap="sm">
            {items.map((row) => (
              <div key={row.id}>
                <Text size="sm" component="div">
                  <LeadEventLine event={row.event} />
                </Text>
                <Text size="xs" c="dimmed">
                  {eventAuthor(row.event)} · <DualTimestamp iso={row.created_at} zone={lead.timezone} />
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </QueryList>
    </Section>
  );
}
