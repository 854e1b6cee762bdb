import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Endpoint } from '../platform/contract.ts';
import { keyOf } from './query.ts';

export const REFRESH_MS = 10_000;

/** Refetch the data of an endpoint every ten seconds: no live stream covers all companies. */
export function useRefresh(endpoint: Endpoint): void {
  const cache = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => void cache.invalidateQueries({ queryKey: keyOf(endpoint) }), REFRESH_MS);
    return () => clearInterval(timer);
  }, [cache, endpoint]);
}
