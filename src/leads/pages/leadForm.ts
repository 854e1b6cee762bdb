/** The form of a lead. */
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { allZones } from '../../ui/timeZones.ts';
import type { Lead } from '../contract.ts';
import { stageOptions } from './shared/stage.tsx';

/** Return the fields of a lead; null: a new one, whose product is preset. */
export function leadFields(lead: Lead | null): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    // For an existing lead the stage changes through its own endpoint, which can update the CRM.
    lead === null
      ? { kind: 'select', name: 'stage', label: t('Stage'), options: stageOptions(), required: true }
      : { kind: 'hidden', name: 'stage', label: t('Stage') },
    {
      kind: 'select',
      name: 'timezone',
      label: t('Time zone'),
      options: allZones(lead?.timezone ?? null),
      description: t('Working hours apply in this time zone. If empty, the schedule’s time zone applies.'),
    },
    { kind: 'text', name: 'crm_id', label: t('CRM id') },
    {
      kind: 'boolean',
      name: 'is_active',
      label: t('Active'),
      description: t('The bot only writes to active leads.'),
    },
    {
      kind: 'boolean',
      name: 'recognized_deactivation_request',
      label: t('Opted out'),
      description: t('The person asked to get no more messages. Switching it off lifts that for the whole company.'),
    },
    { kind: 'crm_fields', name: 'crm_fields', label: t('CRM fields') },
  ];
}

/** Return the initial values of a new lead. */
export function newLead(productId: number): Record<string, unknown> {
  return { product_id: productId, stage: 'initial', is_active: true, recognized_deactivation_request: false };
}
