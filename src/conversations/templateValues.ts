/** The facts that templates use: a lead, its contact and documents, the product and its company. */

import { firstName } from '../leads/firstName.ts';
import { findLead, readNewestDocuments } from '../leads/store.ts';
import { clock } from '../platform/clock.ts';
import type { Reader } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { TemplateValues } from '../prompts/prompt.ts';
import { findMainContact } from './store/classificationConfigs.ts';

interface TemplateFacts {
  readonly product: { readonly name: string; readonly company_name: string };
  readonly lead: {
    readonly id: number | null;
    readonly name: string;
    readonly stage: string;
    readonly crm_fields: Record<string, unknown>;
  };
  readonly contact: { readonly contact: string; readonly contact_type: string };
  /** The domain clock, ISO; read now if it is not given. */
  readonly now?: string | undefined;
}

/** Put a name on one line: a second line in a system text would read like the team's own words. */
const toSingleLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Build template values from facts that were already read. */
export function buildTemplateValues({
  product,
  lead,
  contact,
  document,
  now,
}: TemplateFacts & Pick<TemplateValues, 'document' | 'now'>): TemplateValues {
  const name = toSingleLine(lead.name);
  return {
    lead: { name, first_name: firstName(name), stage: lead.stage, crm_fields: lead.crm_fields },
    contact: { contact: toSingleLine(contact.contact), type: contact.contact_type },
    product: { name: toSingleLine(product.name) },
    company: { name: toSingleLine(product.company_name) },
    document,
    now,
  };
}

/** Load template values. A null `lead.id` is the sample lead, which has no documents. */
export async function loadTemplateValues(reader: Reader, facts: TemplateFacts): Promise<TemplateValues> {
  return buildTemplateValues({
    ...facts,
    document: facts.lead.id === null ? {} : await readNewestDocuments(reader, facts.lead.id),
    now: facts.now ?? (await clock.now(reader)),
  });
}

/** Used where no lead is chosen. */
const SAMPLE_LEAD = { id: null, name: 'Anna Example', stage: 'ongoing', crm_fields: {} };

/**
 * Load the values of a lead of the product, or of the sample lead. Throws `not_found` if the lead belongs to another
 * product.
 */
export async function loadTemplateValuesForLead(
  reader: Reader,
  product: { readonly id: number; readonly name: string; readonly company_name: string; readonly now?: string },
  leadId: number | null,
): Promise<TemplateValues> {
  const lead = leadId === null ? undefined : await findLead(reader, leadId);
  if (leadId !== null && lead?.product_id !== product.id) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  const contact = lead ? await findMainContact(reader, lead.id) : undefined;
  return loadTemplateValues(reader, {
    product,
    lead: lead ?? SAMPLE_LEAD,
    contact: contact ?? { contact: '79991234567', contact_type: 'whatsapp' },
    now: product.now,
  });
}
