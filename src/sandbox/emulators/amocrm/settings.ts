/** Settings and faults of the emulated amoCRM. */
import { z } from 'zod';

export const amocrmSettings = z.object({
  accessSeconds: z.number().min(1),
  requestsPerSecond: z.number().int().min(1),
  /** Pauses of the ladder by which hooks are repeated, shortened. */
  pausesMs: z.array(z.number().min(0)).max(10),
  timeoutMs: z.number().min(1),
  /** So many bad answers within two hours switch an address off. */
  offAfter: z.number().int().min(1),
  /** Whether the tariff has webhooks. */
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
  /** The connection is cut before anything is done. */
  'amocrm.down',
  /** 429 and nothing done. */
  'amocrm.rate_limited',
  /** 5xx (`status`, default 502) and nothing done. */
  'amocrm.fail_before',
  /** Done, then 5xx (`status`, default 504). */
  'amocrm.fail_after',
  /** Done, then the connection is cut. */
  'amocrm.lose_answer',
  /** The answer comes `ms` late. */
  'amocrm.delay',
  /** The refresh token turns out to be revoked. */
  'amocrm.revoked',
] as const;
