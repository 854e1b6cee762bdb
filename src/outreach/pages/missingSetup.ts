/** What a product still needs for outreach to send anything, and where that is set up. */

import { type Product, products } from '../../products/contract.ts';
import { t } from '../../ui/i18n.ts';
import type { PageParams } from '../../ui/page.ts';
import { useEndpoint } from '../../ui/query.ts';
import { type PingConfig, pingConfigOfProduct } from '../contract.ts';
import { useProductSetting } from './useProductSetting.ts';

export interface MissingSetup {
  readonly sentence: string;
  readonly page: string;
  readonly params: PageParams;
  readonly label: string;
}

/** Read what the product is missing; undefined while loading. */
export function useMissingSetup(productId: number): readonly MissingSetup[] | undefined {
  const product = useEndpoint(products.get, { params: { id: productId } }, { enabled: productId > 0, staleTime: 0 });
  const pings = useProductSetting(pingConfigOfProduct, productId);
  if (product.data === undefined || pings.data === undefined) return undefined;
  return findMissingSetup(product.data, pings.data);
}

/** Find the settings that prevent whole kinds of messages. Pure. */
export function findMissingSetup(
  { is_active, config }: Pick<Product, 'is_active' | 'config'>,
  pings: Pick<PingConfig, 'is_enabled'> | null,
): MissingSetup[] {
  const { messaging_config: messagingConfig } = config;
  const general = { page: 'settings-product', params: { tab: 'general' }, label: t('Product settings') };
  const outreach = { page: 'settings-product', params: { tab: 'outreach' }, label: t('Set up first messages') };
  const steps = { page: 'settings-ping', params: {}, label: t('Set up follow-ups') };
  const missing: MissingSetup[] = [];
  if (!is_active) missing.push({ sentence: t('The product is off: nothing is sent.'), ...general });
  if (messagingConfig === null)
    missing.push({ sentence: t('No first messages: the product has no initial message and no limits.'), ...outreach });
  else if (messagingConfig.tg_daily_limit === 0 && messagingConfig.whatsapp_daily_limit === 0)
    missing.push({ sentence: t('No first messages: the daily limits are 0.'), ...outreach });
  if (pings === null) missing.push({ sentence: t('No follow-ups: the product has no steps.'), ...steps });
  else if (!pings.is_enabled) missing.push({ sentence: t('No follow-ups: they are off.'), ...steps });
  return missing;
}
