/** Convert stored settings into the form the plan uses. Rehearsals convert proposed settings with the same function. */
import { parseMinutes } from '../platform/days.ts';
import type { ProductConfig, ReplyHours } from '../products/contract.ts';
import { dailyLimits, type PreviousLimits } from '../products/previousLimits.ts';
import type { QuotaClock } from '../products/quotaDay.ts';
import type { PingConfig, ScheduleConfig } from './contract.ts';
import type { LinkSettings, Settings } from './facts.ts';
import { toWeek } from './workingHours.ts';

export interface StoredSettings extends QuotaClock {
  readonly productId: number;
  readonly isActive: boolean;
  readonly isPaused: boolean;
  readonly config: ProductConfig;
  readonly replyHours: ReplyHours;
  readonly previousLimits: PreviousLimits | null;
  readonly schedule: { readonly timezone: string; readonly config: ScheduleConfig } | null;
  readonly pings: { readonly id: number; readonly is_enabled: boolean; readonly config: PingConfig['config'] } | null;
  readonly links: readonly LinkSettings[];
}

export function toSettings(stored: StoredSettings): Settings {
  const { messaging_config: messagingConfig } = stored.config;
  const { schedule, pings } = stored;
  return {
    productId: stored.productId,
    zone: stored.zone,
    longDay: stored.longDay,
    isActive: stored.isActive,
    isPaused: stored.isPaused,
    expiresHours: stored.config.lead_expires_in_hours,
    firstMessages: messagingConfig && {
      limits: dailyLimits(messagingConfig),
      previousLimits: stored.previousLimits,
      intervalSeconds: messagingConfig.add_interval_seconds,
      jitterSeconds: messagingConfig.add_interval_jitter_seconds,
      sendAt: parseMinutes(messagingConfig.initial_message_send_at),
    },
    links: stored.links,
    replyHours: stored.replyHours,
    hours: schedule && { week: toWeek(schedule.config), zone: schedule.timezone },
    pings: pings && {
      configId: pings.id,
      isEnabled: pings.is_enabled,
      onNoReply: pings.config.use_on_no_init_msg_reply,
      steps: pings.config.steps,
    },
  };
}
