import { DataList, Divider, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ModelCost } from '../../llm/pages/shared/cost.tsx';
import { useNow } from '../../ui/clock.ts';
import { formatCrmValue } from '../../ui/crmFields.ts';
import { DualTimestamp, ZoneClock } from '../../ui/DualTimestamp.tsx';
import { browserTimeZone, formatTime, formatZone } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import type { Lead } from '../contract.ts';
import { LeadCardStep, LeadCrmCard } from './shared/LeadCrmCard.tsx';
import { LeadMarks } from './shared/LeadMarks.tsx';
import { activityLabel, StageBadge } from './shared/stage.tsx';

/** The fields of a lead, and its CRM fields. */
export function LeadFacts({ lead }: { lead: Lead }) {
  const crm = Object.entries(lead.crm_fields);
  return (
    <Section title={t('Details')}>
      <DataList>
        <Fact label={t('Stage')}>
          <StageBadge stage={lead.stage} />
        </Fact>
        <Fact label={t('State')}>{activityLabel(lead)}</Fact>
        <Fact label={t('Time zone')}>{lead.timezone?.replaceAll('_', ' ') ?? t('Same as working hours')}</Fact>
        <Fact label={t('Clocks')}>
          <Clocks zone={lead.timezone} />
        </Fact>
        <Fact label={t('CRM id')}>
          <LeadCrmCard lead={lead} />
        </Fact>
        <Fact label={t('CRM status')}>
          <LeadCardStep lead={lead} />
        </Fact>
        {lead.import_name !== null && <Fact label={t('Import')}>{lead.import_name}</Fact>}
        <Fact label={t('Models')}>
          <ModelCost of="lead" id={lead.id} />
        </Fact>
        <Fact label={t('Created')}>
          <DualTimestamp iso={lead.created_at} zone={lead.timezone} />
        </Fact>
        <Fact label={t('Updated')}>
          <DualTimestamp iso={lead.updated_at} zone={lead.timezone} />
        </Fact>
      </DataList>
      <Divider my="md" label={t('Tags and owner')} labelPosition="left" />
      <LeadMarks lead={lead} />
      <Divider my="md" label={t('CRM fields')} labelPosition="left" />
      {crm.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No CRM fields')}
        </Text>
      ) : (
        <DataList>
          {crm.map(([key, value]) => (
            <Fact key={key} label={key}>
              {formatCrmValue(value)}
            </Fact>
          ))}
        </DataList>
      )}
    </Section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel style={{ overflowWrap: 'anywhere' }}>{label}</DataList.ItemLabel>
      <DataList.ItemValue style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}

/** The current time for the lead and for the operator. */
function Clocks({ zone }: { zone: string | null }) {
  const iso = new Date(useNow()).toISOString();
  const here = t('{{time}} here ({{zone}})', { time: formatTime(iso), zone: formatZone(browserTimeZone(), iso) });
  if (zone === null) return <>{here}</>;
  return (
    <>
      <ZoneClock zone={zone} /> · {here}
    </>
  );
}
