/** Settings of the emulated amoCRM. */
import { z } from 'zod';

export const amocrmSettings = z.object({
  accessSeconds: z.number().min(1),
  requestsPerSecond: z.number().int().min(1),
  /** Pauses of the retry schedule of hooks, shortened. */
  pausesMs: z.array(z.number().min(0)).max(10),
  timeoutMs: z.number().min(1),
  /** Number of bad answers within two hours that disable an address. */
  offAfter: z.number().int().min(1),
  /** Whether the plan includes webhooks. */
  webhooks: z.boolean(),
});

export const defaultAmocrm: z.infer<typeof amocrmSettings> = {
  accessSeconds: 86_400,
  requestsPerSecond: 7,
  pausesMs: [2_000, 4_000, 4_000, 8_000],
  timeoutMs: 2_000,
  offAfter: 100,
  webhooks: true,
};
