/** Count what is deleted with companies, or what prevents their deletion. */
import { channels } from '../../channels/contract.ts';
import { crmIntegrations } from '../../crm/contract.ts';
import { companyLlms } from '../../llm/contract.ts';
import { products } from '../../products/contract.ts';
import { countRowsOf } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { webhooks } from '../../webhooks/contract.ts';

export async function countCompanyCascade(ids: readonly number[]): Promise<string> {
  const [productCount, channelCount, credentials, integrations, webhookCount] = await Promise.all([
    countRowsOf(products.list, 'company_id', ids),
    countRowsOf(channels.list, 'company_id', ids),
    countRowsOf(companyLlms.list, 'company_id', ids),
    countRowsOf(crmIntegrations.list, 'company_id', ids),
    countRowsOf(webhooks.list, 'company_id', ids),
  ]);
  return describeCompanyCascade({
    products: productCount,
    channels: channelCount,
    credentials,
    integrations,
    webhooks: webhookCount,
  });
}

interface CompanyCascade {
  readonly products: number;
  readonly channels: number;
  readonly credentials: number;
  readonly integrations: number;
  readonly webhooks: number;
}

/** Describe the counts in a sentence. */
export function describeCompanyCascade({
  products: productCount,
  channels: channelCount,
  credentials,
  integrations,
  webhooks: webhookCount,
}: CompanyCascade): string {
  if (productCount > 0)
    return t('{{count}} products are in the way: a company that has products is not deleted.', {
      count: productCount,
      defaultValue_one: '{{count}} product is in the way: a company that has products is not deleted.',
    });
  if (channelCount > 0)
    return t('{{count}} channels are in the way: a company that owns channels is not deleted.', {
      count: channelCount,
      defaultValue_one: '{{count}} channel is in the way: a company that owns channels is not deleted.',
    });
  return t('Also deleted: {{credentials}}, {{integrations}} and {{webhooks}}.', {
    credentials: t('{{count}} LLM credentials', {
      count: credentials,
      defaultValue_one: '{{count}} LLM credential',
    }),
    integrations: t('{{count}} CRM integrations', {
      count: integrations,
      defaultValue_one: '{{count}} CRM integration',
    }),
    webhooks: t('{{count}} webhooks', { count: webhookCount, defaultValue_one: '{{count}} webhook' }),
  });
}
