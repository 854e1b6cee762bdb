/** Leads that get nothing in a rehearsal, by reason, with a link to the page where that is changed. */
import { Text } from '@mantine/core';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import type { PageParams } from '../../ui/page.ts';
import { Section } from '../../ui/Section.tsx';
import { leadsOfReason, type Reason, reasonText } from '../reason.ts';
import type { Rehearsal } from '../rehearsalContract.ts';
import classes from './rehearsal.module.css';

export function RehearsalSilent({ silent }: Pick<Rehearsal, 'silent'>) {
  const leads = silent.reduce((sum, one) => sum + one.leads, 0);
  return (
    <Section
      title={t('Leads with nothing planned')}
      actions={
        <Text size="sm" c="dimmed">
          {t('{{count}} leads', { count: leads, defaultValue_one: '{{count}} lead' })}
        </Text>
      }
    >
      {silent.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('Every lead gets a message in this period.')}
        </Text>
      ) : (
        <ul className={classes.reasons} aria-label={t('Leads with nothing planned')}>
          {silent.map(({ why: reason, leads: count }) => (
            <li key={JSON.stringify(reason)}>
              <Text span size="sm" fw={600} className={classes.number}>
                <Count reason={reason} count={count} />
              </Text>
              <Text span size="sm">
                {describeReason(reason)}
              </Text>
              <SettingsLink reason={reason} />
            </li>
          ))}
        </ul>
      )}
      <Text size="xs" c="dimmed" mt="xs">
        {t('Deactivated leads and leads in a final stage are not counted.')}
      </Text>
    </Section>
  );
}

/** A number of leads, with a link to the list of them if there is one. */
function Count({ reason, count }: { reason: Reason; count: number }) {
  const filters = leadsOfReason(reason);
  if (filters === null) return formatNumber(count);
  return (
    <PageLink to="crm-leads" params={filters}>
      {formatNumber(count)}
    </PageLink>
  );
}

/** Describe why nothing is sent in the whole period. Some reasons read differently for a single moment. */
export function describeReason(reason: Reason): string {
  switch (reason.code) {
    case 'line':
    case 'interval':
      return t('Still queued for a first message at the end of the period');
    case 'limit':
    case 'limit_raised':
    case 'ramp':
      return t('Still over the daily limit at the end of the period');
    case 'person_known':
      return t('The same person was contacted as another lead');
    case 'invalid_address':
      return t('The number is not valid');
    case 'send_at':
    case 'hours':
      return t('The first message comes after the period');
    case 'step':
    case 'step_hours':
      return t('Follow-up {{step}} comes after the period', { step: reason.step });
    default:
      return reasonText(reason);
  }
}

function SettingsLink({ reason }: { reason: Reason }) {
  const target = settingsPageOf(reason);
  if (target === null) return <span />;
  return (
    <Text span size="sm">
      <PageLink to={target.page} params={target.params}>
        {target.label}
      </PageLink>
    </Text>
  );
}

/** Return the settings page for a reason; null if no settings page changes it. */
function settingsPageOf({ code }: Reason): { page: string; params: PageParams; label: string } | null {
  switch (code) {
    case 'no_firsts':
    case 'limit':
    case 'limit_raised':
    case 'limit_zero':
    case 'send_at':
    case 'send_at_closed':
    case 'line':
    case 'interval':
      return { page: 'settings-product', params: { tab: 'outreach' }, label: t('Outreach') };
    case 'product_off':
    case 'expires_first':
      return { page: 'settings-product', params: { tab: 'general' }, label: t('Product') };
    case 'no_link':
      return { page: 'settings-channel', params: {}, label: t('Channels') };
    case 'hours':
    case 'no_hours':
      return { page: 'settings-schedule', params: {}, label: t('Schedule') };
    case 'no_pings':
    case 'pings_off':
    case 'never_wrote':
      return { page: 'settings-ping', params: {}, label: t('Follow-ups') };
    default:
      return null;
  }
}
