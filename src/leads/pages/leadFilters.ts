/** Filters of the list of leads. */
import { lastingReasonOptions } from '../../outreach/pages/shared/lastingReasons.ts';
import { kindStyles } from '../../outreach/pages/shared/status.tsx';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { useEndpoint } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { yesNoFilter } from '../../ui/YesNo.tsx';
import { leadFacets, leadImports } from '../listContract.ts';
import { useOwnerOptions } from './shared/ownerOptions.ts';
import { stageOptions } from './shared/stage.tsx';

const MOST_IMPORTS = 100;
/** Milliseconds for which the offered tags, fields and imports may be older than the leads. */
const FRESH_MS = 60_000;

/** Return the filters, with the tags, fields, imports and owners of the chosen product. */
export function useLeadFilters(): Filter[] {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const options = { enabled: product !== null, staleTime: FRESH_MS };
  const facets = useEndpoint(leadFacets, { query: { product_id: productId } }, options).data;
  const imports = useEndpoint(
    leadImports.list,
    { query: { product_id: [productId], limit: MOST_IMPORTS, with_total: false } },
    options,
  ).data;
  const owners = useOwnerOptions();
  return [
    { kind: 'options', name: 'stage', label: t('Stage'), options: stageOptions() },
    {
      kind: 'options',
      name: 'tag',
      label: t('Tag'),
      options: (facets?.tags ?? []).map(({ tag, leads }) => ({ value: tag, label: `${tag} (${leads})` })),
    },
    { kind: 'options', name: 'owner_id', label: t('Owner'), options: owners },
    {
      kind: 'options',
      name: 'import_id',
      label: t('Import'),
      more: true,
      options: (imports?.items ?? []).map(({ id, name, leads }) => ({
        value: String(id),
        label: `${name} (${leads})`,
      })),
    },
    {
      kind: 'options',
      name: 'last_message_by',
      label: t('Last message by'),
      more: true,
      options: [
        { value: 'lead', label: t('Lead') },
        { value: 'us', label: t('Us') },
        { value: 'none', label: t('No messages') },
      ],
    },
    { kind: 'days', name: 'last_message', label: t('Last message'), more: true },
    {
      kind: 'options',
      name: 'next_action',
      label: t('Next step'),
      more: true,
      options: [
        { value: 'first', label: t(kindStyles.first.label) },
        { value: 'ping', label: t(kindStyles.ping.label) },
        { value: 'expire', label: t(kindStyles.expired.label) },
        { value: 'none', label: t('Nothing planned') },
      ],
    },
    {
      kind: 'options',
      name: 'next_reason',
      label: t('Why nothing is sent'),
      more: true,
      options: lastingReasonOptions(),
    },
    { kind: 'fields', name: 'crm_field', label: t('CRM field'), more: true, fields: facets?.crm_fields ?? [] },
    { ...yesNoFilter({ name: 'has_owner', label: t('Has an owner'), yes: t('Yes'), no: t('No') }), more: true },
    yesNoFilter({ name: 'is_active', label: t('State'), yes: t('Active'), no: t('Inactive') }),
    {
      ...yesNoFilter({ name: 'recognized_deactivation_request', label: t('Opted out'), yes: t('Yes'), no: t('No') }),
      more: true,
    },
    { kind: 'days', name: 'opted_out', label: t('Opted out on'), more: true },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}
