/**
 * Limits of first messages that were raised: they count from the next 'Send at', so that a number typed in the evening
 * sends nothing at night. Pure. Instants are milliseconds since 1970 UTC.
 */
import { nextInstantAt, parseMinutes } from '../platform/days.ts';
import type { MessagingConfig } from './contract.ts';

/** First messages of a day, by messenger. */
export type DailyLimits = Readonly<Record<'telegram' | 'whatsapp', number>>;

/** The limits that hold until an instant, whatever the settings allow. */
export interface PreviousLimits {
  readonly limits: DailyLimits;
  readonly until: number;
}

/** What determines a product's first messages of a day. */
export interface FirstMessageClock {
  /** IANA name of the product's time zone. */
  readonly zone: string;
  /** Null: no first messages. */
  readonly messagingConfig: MessagingConfig | null;
}

export function dailyLimits(config: MessagingConfig | null): DailyLimits {
  return { telegram: config?.tg_daily_limit ?? 0, whatsapp: config?.whatsapp_daily_limit ?? 0 };
}

/** Return the limits that count at an instant: a lowered one at once, a raised one from the next 'Send at'. */
export function limitsAt(limits: DailyLimits, previousLimits: PreviousLimits | null, at: number): DailyLimits {
  if (previousLimits === null || at >= previousLimits.until) return limits;
  return {
    telegram: Math.min(limits.telegram, previousLimits.limits.telegram),
    whatsapp: Math.min(limits.whatsapp, previousLimits.limits.whatsapp),
  };
}

/** Compute the previousLimits limits after a change of settings at an instant: those of the last 'Send at' if one is raised. */
export function previousLimitsAfter(
  before: FirstMessageClock & { readonly previousLimits: PreviousLimits | null },
  after: FirstMessageClock,
  at: number,
): PreviousLimits | null {
  if (after.messagingConfig === null) return null;
  const previousLimits =
    before.previousLimits !== null && at < before.previousLimits.until ? before.previousLimits : null;
  const limits = previousLimits?.limits ?? dailyLimits(before.messagingConfig);
  const now = dailyLimits(after.messagingConfig);
  if (now.telegram <= limits.telegram && now.whatsapp <= limits.whatsapp) return null;
  const sendAt = parseMinutes(after.messagingConfig.initial_message_send_at);
  return { limits, until: nextInstantAt(after.zone, sendAt, at + 1) };
}
