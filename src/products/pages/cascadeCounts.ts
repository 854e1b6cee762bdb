/** Count what is deleted with products, or what prevents their deletion. */
import { listProductChannels } from '../../channels/contract.ts';
import { leads } from '../../leads/contract.ts';
import { documentPrompts, preparedMessages, promptGroups, prompts } from '../../prompts/contract.ts';
import { countRowsOf } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { webhooks } from '../../webhooks/contract.ts';

interface ProductCascade {
  readonly leads: number;
  readonly prompts: number;
  readonly groups: number;
  readonly prepared: number;
  readonly documents: number;
  readonly links: number;
  readonly webhooks: number;
}

export async function countProductCascade(ids: readonly number[]): Promise<string> {
  const many = (list: Parameters<typeof countRowsOf>[0]) => countRowsOf(list, 'product_id', ids);
  const [leadCount, promptCount, groups, prepared, documents, links, webhookCount] = await Promise.all([
    many(leads.list),
    many(prompts.list),
    many(promptGroups.list),
    many(preparedMessages.list),
    many(documentPrompts.list),
    many(listProductChannels),
    many(webhooks.list),
  ]);
  const settings = { prompts: promptCount, groups, prepared, documents, links, webhooks: webhookCount };
  return describeProductCascade({ leads: leadCount, ...settings });
}

/** Describe the counts in a sentence. */
export function describeProductCascade({
  leads: leadCount,
  prompts: promptCount,
  groups,
  prepared,
  documents,
  links,
  webhooks: webhookCount,
}: ProductCascade): string {
  if (leadCount > 0)
    return t('{{count}} leads are in the way: a product that has leads is not deleted.', {
      count: leadCount,
      defaultValue_one: '{{count}} lead is in the way: a product that has leads is not deleted.',
    });
  const lines = [
    promptCount > 0 && t('{{count}} prompts', { count: promptCount, defaultValue_one: '{{count}} prompt' }),
    groups > 0 && t('{{count}} prompt groups', { count: groups, defaultValue_one: '{{count}} prompt group' }),
    prepared > 0 &&
      t('{{count}} prepared messages', { count: prepared, defaultValue_one: '{{count}} prepared message' }),
    documents > 0 &&
      t('{{count}} document prompts', { count: documents, defaultValue_one: '{{count}} document prompt' }),
    links > 0 && t('{{count}} links to channels', { count: links, defaultValue_one: '{{count}} link to a channel' }),
    webhookCount > 0 && t('{{count}} webhooks', { count: webhookCount, defaultValue_one: '{{count}} webhook' }),
    t('schedule, follow-ups and settings'),
  ].filter((one) => one !== false);
  return t('Also deleted: {{what}}.', { what: lines.join(', ') });
}
