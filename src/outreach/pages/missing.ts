/** What a product lacks for outreach to do anything, and where it is set up. */
import type { PageParams } from '../../kit/page.ts';
import { useEndpoint } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { type Product, products } from '../../products/contract.ts';
import { type PingConfig, pingConfigOfProduct } from '../contract.ts';
import { useOfProduct } from './ofProduct.ts';

export interface Missing {
  readonly what: string;
  readonly page: string;
  readonly params: PageParams;
  readonly label: string;
}

/** Undefined while it is read. */
export function useMissing(productId: number): readonly Missing[] | undefined {
  const product = useEndpoint(products.get, { params: { id: productId } }, { enabled: productId > 0, staleTime: 0 });
  const pings = useOfProduct(pingConfigOfProduct, productId);
  if (product.data === undefined || pings.data === undefined) return undefined;
  return missingOf(product.data, pings.data);
}

/** What keeps whole kinds of messages from being sent. Pure. */
export function missingOf(
  { is_active, config }: Pick<Product, 'is_active' | 'config'>,
  pings: Pick<PingConfig, 'is_enabled'> | null,
): Missing[] {
  const { messaging_config: firsts } = config;
  const general = { page: 'settings-product', params: { tab: 'general' }, label: t('Product settings') };
  const outreach = { page: 'settings-product', params: { tab: 'outreach' }, label: t('Set up first messages') };
  const steps = { page: 'settings-ping', params: {}, label: t('Set up follow-ups') };
  const missing: Missing[] = [];
  if (!is_active) missing.push({ what: t('The product is switched off: nothing goes out.'), ...general });
  if (firsts === null)
    missing.push({ what: t('No first messages: the product has no initial message and no limits.'), ...outreach });
  else if (firsts.tg_daily_limit === 0 && firsts.whatsapp_daily_limit === 0)
    missing.push({ what: t('No first messages: the daily limits are 0.'), ...outreach });
  if (pings === null) missing.push({ what: t('No follow-ups: the product has no steps.'), ...steps });
  else if (!pings.is_enabled) missing.push({ what: t('No follow-ups: they are switched off.'), ...steps });
  return missing;
}
