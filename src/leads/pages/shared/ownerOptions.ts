/** Operators who can own leads of the chosen product. */
import type { Option } from '../../../ui/form.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { leadOwners } from '../../listContract.ts';

/** Return the operators as options; empty while they load. `current` is added if it lost access since. */
export function useOwnerOptions(current?: { id: number | null; login: string | null }): Option[] {
  const { product } = useScope();
  const { data } = useEndpoint(leadOwners, { query: { product_id: product?.id ?? 0 } }, { enabled: product !== null });
  const options = (data?.owners ?? []).map(({ id, login }) => ({ value: String(id), label: login }));
  if (!current?.id || options.some(({ value }) => value === String(current.id))) return options;
  return [...options, { value: String(current.id), label: current.login ?? String(current.id) }];
}
