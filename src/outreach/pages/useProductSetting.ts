/** A setting that each product has at most once. */
import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { EmptyObject, Endpoint } from '../../platform/contract.ts';
import { ApiError, call } from '../../ui/api.ts';
import { ALWAYS_REFETCH, keyOf, useFreshData } from '../../ui/query.ts';

type ByProduct = z.ZodType<{ product_id: number }, { product_id: number }>;

/** Read the product's stored setting, again at each visit; null if there is none. */
export function useProductSetting<T>(
  endpoint: Endpoint<ByProduct, EmptyObject, EmptyObject, { 200: z.ZodType<T> }>,
  productId: number,
): ReturnType<typeof useFreshData<T | null>> {
  const args = { params: { product_id: productId } };
  const queryKey = keyOf(endpoint, args);
  const query = useQuery<T | null>({
    queryKey,
    queryFn: async ({ signal }) => {
      try {
        return await call(endpoint, { ...args, signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    ...ALWAYS_REFETCH,
  });
  return useFreshData(query, queryKey);
}
