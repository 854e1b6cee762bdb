/** The columns, scope, filters and search of the lead list. */
import { escapeLike, type FilterValues, type Listing } from '../platform/http/listQuery.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import type { LIST_FIELDS } from './contract.ts';

/** Columns and filters that read tables of modules to the right; the app injects them. */
export interface LeadListParts {
  readonly optionalFields: Readonly<Record<(typeof LIST_FIELDS)[number], string>>;
  readonly conditionsOf: NonNullable<Listing['conditionsOf']>;
}

export const leadListing = {
  table: 'leads',
  from: 'leads t',
  select: {
    id: 't.id',
    product_id: 't.product_id',
    name: 't.name',
    crm_id: 't.crm_id',
    crm_fields: 't.crm_fields',
    created_at: 't.created_at',
    version: 't.revision',
    updated_at: 't.updated_at',
    recognized_deactivation_request: 't.recognized_deactivation_request',
    timezone: 't.timezone',
    status: 't.status',
    stage: 't.stage',
    is_active: 't.is_active',
    crm_pending: 't.crm_pending',
    tags: 'to_jsonb(t.tags)',
    owner_id: 't.owner_id',
    // Subqueries instead of joins: they run only for the rows of the page.
    owner: '(select o.login from operators o where o.id = t.owner_id)',
    import_id: 't.import_id',
    import_name: '(select i.name from lead_imports i where i.id = t.import_id)',
  },
  conditions: { has_owner: '((t.owner_id is not null) = $)' },
  conditionsOf: {
    tag: hasTag,
    crm_field: hasCrmField,
    opted_out_from: optedOutFrom,
    opted_out_to: optedOutTo,
  },
  search: ['t.name'],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

/** The list of leads with the columns and filters that other modules add. */
export const leadListingWith = ({ optionalFields, conditionsOf }: LeadListParts) => ({
  ...leadListing,
  optionalFields,
  conditionsOf: { ...leadListing.conditionsOf, ...conditionsOf },
});

/** Leads who have opted out at such a time, by the newest event that deactivated them. */
const hasOptedOut = (condition: string): string =>
  `(t.recognized_deactivation_request and not t.is_active and (
     select e.created_at from lead_events e
      where e.lead_id = t.id and e.event_type = 'deactivated' order by e.id desc limit 1) ${condition})`;

function optedOutFrom({ values: [day], bind, dayStart }: FilterValues): string {
  return hasOptedOut(`>= to_timestamp(${bind(dayStart(String(day), 0))}::float8)`);
}

function optedOutTo({ values: [day], bind, dayStart }: FilterValues): string {
  return hasOptedOut(`< to_timestamp(${bind(dayStart(String(day), 1))}::float8)`);
}

/** Leads with any of the tags. */
function hasTag({ values, bind }: FilterValues): string {
  return `(t.tags <> '{}' and lower_tags(t.tags) && lower_tags(${bind(values)}::text[]))`;
}

/** Leads whose CRM fields meet the conditions: for each field named, one of its conditions. */
function hasCrmField({ values, bind }: FilterValues): string {
  const byName = Map.groupBy(values.map(parseCondition), ({ name }) => name);
  const fields = [...byName].map(([name, conditions]) => {
    const isOneOf = conditions.map(({ isPart, value }) =>
      isPart
        ? `t.crm_fields ->> ${bind(name)} ilike ${bind(`%${escapeLike(value)}%`)}`
        : `t.crm_fields @> any(${bind(documentsWith(name, value))}::jsonb[])`,
    );
    return `(${isOneOf.join(' or ')})`;
  });
  return `(t.crm_fields <> '{}' and ${fields.join(' and ')})`;
}

/** Parse `NAME=value` and `NAME~=part`. */
function parseCondition(condition: unknown): { name: string; isPart: boolean; value: string } {
  const [, field = '', part = '', value = ''] = /^(.*?)(~?)=(.*)$/s.exec(String(condition)) ?? [];
  return { name: field.replaceAll(/%3d/gi, '='), isPart: part !== '', value };
}

/** Return the documents that contain a value: as a text, among several, and as a number. */
function documentsWith(name: string, value: string): string[] {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  const forms: unknown[] = [value, [value], ...(Number.isFinite(number) ? [number] : [])];
  return forms.map((form) => JSON.stringify({ [name]: form }));
}
