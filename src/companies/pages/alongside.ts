/** What the deletion of companies takes along, or what keeps it from happening; counted. */
import { channels } from '../../channels/contract.ts';
import { crmIntegrations } from '../../crm/contract.ts';
import { countAmong } from '../../kit/allIds.ts';
import { t } from '../../kit/t.ts';
import { companyLlms } from '../../llm/contract.ts';
import { products } from '../../products/contract.ts';

export async function alongsideCompanies(ids: readonly number[]): Promise<string> {
  const [kept, owned, credentials, integrations] = await Promise.all([
    countAmong(products.list, 'company_id', ids),
    countAmong(channels.list, 'company_id', ids),
    countAmong(companyLlms.list, 'company_id', ids),
    countAmong(crmIntegrations.list, 'company_id', ids),
  ]);
  return companiesTold({ products: kept, channels: owned, credentials, integrations });
}

interface OfCompanies {
  readonly products: number;
  readonly channels: number;
  readonly credentials: number;
  readonly integrations: number;
}

/** The same in a sentence. */
export function companiesTold({ products: kept, channels: owned, credentials, integrations }: OfCompanies): string {
  if (kept > 0)
    return t('{{count}} products are in the way: a company that has products is not deleted.', {
      count: kept,
      defaultValue_one: '{{count}} product is in the way: a company that has products is not deleted.',
    });
  if (owned > 0)
    return t('{{count}} channels are in the way: a company that owns channels is not deleted.', {
      count: owned,
      defaultValue_one: '{{count}} channel is in the way: a company that owns channels is not deleted.',
    });
  return t('Also deleted: {{credentials}} and {{integrations}}.', {
    credentials: t('{{count}} LLM credentials', {
      count: credentials,
      defaultValue_one: '{{count}} LLM credential',
    }),
    integrations: t('{{count}} CRM integrations', {
      count: integrations,
      defaultValue_one: '{{count}} CRM integration',
    }),
  });
}
