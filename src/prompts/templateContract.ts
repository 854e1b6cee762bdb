/** What templates may use: variables, filters and tags. Pure; shared by server and editor. */

/** Known variables. `lead.crm_fields.*` accepts any field. */
export const TEMPLATE_VARIABLES = [
  'lead.name',
  'lead.first_name',
  'lead.stage',
  'lead.crm_fields',
  'contact.contact',
  'contact.type',
  'product.name',
  'company.name',
  'document',
  'now',
] as const;

/** Any name is accepted below these. */
const OPEN_NAMESPACES = ['lead.crm_fields', 'document'];

/** The filters of templates. */
export const TEMPLATE_FILTERS = [
  'default',
  'upcase',
  'downcase',
  'capitalize',
  'strip',
  'truncate',
  'date',
  'join',
  'first',
  'last',
  'size',
  'round',
  'plus',
  'minus',
  'times',
  'divided_by',
  'replace',
  'escape',
] as const;

/** The tags of templates. */
export const TEMPLATE_TAGS = ['if', 'for', 'case', 'render', 'unless', 'comment', 'raw'] as const;

/** Groups of variables: nothing to print. */
export const TEMPLATE_GROUPS: readonly string[] = [
  'lead',
  'lead.crm_fields',
  'contact',
  'product',
  'company',
  'document',
];

/** Return whether a path names a known variable, or a group of them. */
export function isTemplateVariable(path: string): boolean {
  if (OPEN_NAMESPACES.some((one) => path === one || path.startsWith(`${one}.`))) return true;
  const names: readonly string[] = TEMPLATE_VARIABLES;
  // `lead` alone, and what every list and text has.
  const [, list = path] = /^(.*)\.(?:size|first|last)$/.exec(path) ?? [];
  return names.includes(list) || names.some((one) => one.startsWith(`${path}.`));
}
