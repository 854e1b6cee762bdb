/** The address of a call. Browser-safe: console, commands and tests build addresses by it. */
import type { Endpoint } from './contract.ts';

/**
 * Build the address of a call, without a host: `/v1/leads/7?stage=initial&stage=started`. A list repeats its key; null
 * and undefined are left out of the query.
 */
export function endpointUrl(
  { path }: Pick<Endpoint, 'path'>,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) search.append(key, String(one));
    }
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
