/** The delay before the next try of something that failed. */

interface Backoff {
  /** Delay after the first failure. */
  readonly base: number;
  /** Failures before this one. */
  readonly failures: number;
  readonly max: number;
}

/** Compute the delay in the unit of `base`: it doubles up to `max`, with jitter of 25 %. */
export function backoff({ base, failures, max }: Backoff): number {
  return Math.min(base * 2 ** failures, max) * (0.75 + Math.random() / 2);
}

/** Compute the delay in seconds, from the configured one after the first failure. */
export function retryDelaySeconds(
  { config }: { readonly config: { readonly retryBaseSeconds: number } },
  failures: number,
  max = 300,
): number {
  return backoff({ base: config.retryBaseSeconds, failures, max });
}
