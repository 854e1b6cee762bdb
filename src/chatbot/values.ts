/** What templates are filled with: the facts of a lead, its contact and documents, the product and its company. */
import { documentsOfLead } from '../leads/known.ts';
import { clock } from '../platform/clock.ts';
import type { Reader } from '../platform/db.ts';
import type { TemplateValues } from '../prompts/prompt.ts';

interface About {
  readonly product: { readonly name: string; readonly company_name: string };
  readonly lead: {
    readonly id: number | null;
    readonly name: string;
    readonly stage: string;
    readonly crm_fields: Record<string, unknown>;
  };
  readonly contact: { readonly contact: string; readonly contact_type: string };
}

/** `lead.id` null: somebody made up, without documents. */
export async function templateValues(reader: Reader, { product, lead, contact }: About): Promise<TemplateValues> {
  return {
    lead: { name: lead.name, stage: lead.stage, crm_fields: lead.crm_fields },
    contact: { contact: contact.contact, type: contact.contact_type },
    product: { name: product.name },
    company: { name: product.company_name },
    document: lead.id === null ? {} : await documentsOfLead(reader, lead.id),
    now: await clock.now(reader),
  };
}
