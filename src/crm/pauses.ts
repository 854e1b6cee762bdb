import type { Config } from '../platform/config.ts';

const LONGEST_SECONDS = 300;

/** How long to wait after so many tries in vain: doubling, with jitter, at most five minutes. */
export function pauseSeconds({ retryBaseSeconds }: Pick<Config, 'retryBaseSeconds'>, tries: number): number {
  const whole = Math.min(LONGEST_SECONDS, retryBaseSeconds * 2 ** Math.min(tries, 20));
  return whole * (0.5 + Math.random() / 2);
}
