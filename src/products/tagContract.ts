/** Tags of leads: what a tag is, how two of them compare, and which tags rules give to new leads. Pure, browser-safe. */
import { z } from 'zod';

/** Most tags of a lead, and most characters of a tag. */
export const MAX_TAGS = 20;
export const MAX_TAG_LENGTH = 40;

export const tag = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TAG_LENGTH)
  .refine((value) => !value.includes(','), 'A tag has no comma');

/** The tags of a lead, each once: the case is kept, and does not distinguish two tags. */
export const tagList = z.array(tag).overwrite(uniqueTags).max(MAX_TAGS);

const keyOf = (one: string): string => one.toLowerCase();

/** Keep the first of tags that differ in case only. */
export function uniqueTags(tags: readonly string[]): string[] {
  return [...new Map(tags.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}

/** Add and remove tags. Returns null if that changes nothing, or if the lead would have too many. */
export function changeTags(
  tags: readonly string[],
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): string[] | null {
  const removed = new Set(remove.map(keyOf));
  const changed = uniqueTags([...tags.filter((one) => !removed.has(keyOf(one))), ...add]);
  const isSame = changed.length === tags.length && changed.every((one, index) => one === tags[index]);
  return isSame || changed.length > MAX_TAGS ? null : changed;
}

/** Fields of a lead that a rule may name besides its CRM fields. */
export const ruleFields = ['name', 'crm_id', 'timezone', 'whatsapp', 'telegram'] as const;

export const tagRule = z.strictObject({
  /** One of `ruleFields`, or the name of a CRM field. */
  field: z.string().trim().min(1).max(200),
  operator: z.enum(['equals', 'contains']),
  value: z.string().trim().min(1).max(300),
  tag,
});
export type TagRule = z.output<typeof tagRule>;
export const tagRules = z.array(tagRule).max(50);

/** The values of a new lead by field, as rules compare them. */
export type RuleValues = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

/** Return the tags of a new lead: its own, then those of the rules that apply. Case does not matter to rules. */
export function tagsAtImport(own: readonly string[], rules: readonly TagRule[], values: RuleValues): string[] {
  const applying = rules.filter((rule) => applies(rule, values[rule.field]));
  return uniqueTags([...own, ...applying.map((rule) => rule.tag)]).slice(0, MAX_TAGS);
}

function applies({ operator, value: wanted }: TagRule, value: RuleValues[string]): boolean {
  const texts = (Array.isArray(value) ? value : [value ?? '']).map((one) => String(one).trim().toLowerCase());
  const text = wanted.toLowerCase();
  return texts.some((one) => (operator === 'equals' ? one === text : one.includes(text)));
}
