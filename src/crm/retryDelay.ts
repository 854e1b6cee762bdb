import type { Config } from '../platform/config.ts';

const MAX_SECONDS = 300;

/** Compute the seconds to wait after failed attempts: doubling, with jitter, at most five minutes. */
export function retryDelaySeconds({ retryBaseSeconds }: Pick<Config, 'retryBaseSeconds'>, attempts: number): number {
  const seconds = Math.min(MAX_SECONDS, retryBaseSeconds * 2 ** Math.min(attempts, 20));
  return seconds * (0.5 + Math.random() / 2);
}
