/** Settings and faults of the emulated amoCRM. */
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

/** Faults of the CRM; `text` of a match is a part of method and path. */
export const crmFaults = [
  /** Close the connection before doing anything. */
  'amocrm.down',
  /** Answer 429 and do nothing. */
  'amocrm.rate_limited',
  /** Answer 5xx (`status`, default 502) and do nothing. */
  'amocrm.fail_before',
  /** Do the work, then answer 5xx (`status`, default 504). */
  'amocrm.fail_after',
  /** Do the work, then close the connection. */
  'amocrm.lose_answer',
  /** Delay the answer by `ms`. */
  'amocrm.delay',
  /** Treat the refresh token as revoked. */
  'amocrm.revoked',
] as const;
