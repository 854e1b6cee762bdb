import { Stack, Text } from '@mantine/core';
import { Loaded } from '../../kit/Loaded.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import { eventsOfLead, type Lead } from '../contract.ts';
import { authorOf, LeadEventLine } from './LeadEvent.tsx';

const RECENT = 10;

/** What happened to a lead lately. */
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
      <Loaded query={list} entity={t('lead events')}>
        {({ items }) => (
          <Stack gap="sm">
            {items.map((row) => (
              <div key={row.id}>
                <Text size="sm" component="div">
                  <LeadEventLine event={row.event} />
                </Text>
                <Text size="xs" c="dimmed">
                  {authorOf(row.event)} · <TwoClocks iso={row.created_at} zone={lead.timezone} />
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
