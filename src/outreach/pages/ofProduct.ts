/** A setting of which a product has one, or none. */
import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { ApiError, call } from '../../kit/api.ts';
import { ANEW, keyOf, useReadAnew } from '../../kit/query.ts';
import type { Endpoint, Nothing } from '../../platform/contract.ts';

type ByProduct = z.ZodType<{ product_id: number }, { product_id: number }>;

/** What is stored for the product; null: nothing is. Read anew at each visit. */
export function useOfProduct<T>(
  endpoint: Endpoint<ByProduct, Nothing, Nothing, { 200: z.ZodType<T> }>,
  productId: number,
): ReturnType<typeof useReadAnew<T | null>> {
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
    ...ANEW,
  });
  return useReadAnew(query, queryKey);
}
