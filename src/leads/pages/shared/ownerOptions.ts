/** Operators who can own leads of a product. */
import type { Option } from '../../../ui/form.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import type { Lead } from '../../contract.ts';
import { leadOwners } from '../../listContract.ts';

/**
 * Return the operators as options; empty while they load. For leads of the chosen product, or for one lead, whose product
 * may be another one; its owner is among them also without access.
 */
export function useOwnerOptions(lead?: Pick<Lead, 'product_id' | 'owner_id' | 'owner'>): Option[] {
  const { product } = useScope();
  const productId = lead?.product_id ?? product?.id ?? 0;
  const { data } = useEndpoint(leadOwners, { query: { product_id: productId } }, { enabled: productId !== 0 });
  const options = (data?.owners ?? []).map(({ id, login }) => ({ value: String(id), label: login }));
  const id = lead?.owner_id ?? null;
  if (id === null || options.some(({ value }) => value === String(id))) return options;
  return [...options, { value: String(id), label: lead?.owner ?? String(id) }];
}
