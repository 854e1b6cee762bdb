/** The product of a simulated month, and changes of its settings. */
import type { PingConfig, ScheduleConfig } from '../../outreach/contract.ts';
import type { ProductConfig } from '../../products/contract.ts';
import type { Random } from '../../sandbox/random.ts';
import { firstMessageConfig } from '../harness/leads.ts';

/** Settings as the rules of the check read them. */
export interface SimulatedSettings {
  readonly zone: string;
  /** `HH:MM` of working days, Monday first; null for a day off. */
  readonly days: readonly ({ readonly start: string; readonly end: string } | null)[];
  readonly stepMinutes: readonly number[];
  readonly limit: { readonly whatsapp: number; readonly telegram: number };
  readonly intervalSeconds: number;
  readonly sendAt: string;
  readonly expiresHours: number;
}

/**
 * Settings in force. Storing them takes a while: some of them apply from `from` on, all of them from
 * `whole` on.
 */
export interface Era extends SimulatedSettings {
  readonly from: number;
  readonly whole: number;
}

/** Return limits and interval under which a thousand leads can be sent within days, scaled up for more leads. */
export function scaleLimits(leads: number, limit: SimulatedSettings['limit'], intervalSeconds: number) {
  const times = Math.max(1, leads / 1000);
  return {
    limit: { whatsapp: Math.round(limit.whatsapp * times), telegram: Math.round(limit.telegram * times) },
    intervalSeconds: Math.round(intervalSeconds / times),
  };
}

export interface SimulatedProduct {
  /** The product's own time zone, in which its days are counted. */
  readonly zone: string;
  readonly settings: SimulatedSettings;
}

export function chooseProduct(random: Random, leads: number): SimulatedProduct {
  const settings = {
    zone: 'Europe/Moscow',
    days: [0, 1, 2, 3, 4, 5, 6].map((day) =>
      day === 6
        ? null
        : { start: random.pick(['08:00', '09:00', '09:30']), end: random.pick(['17:00', '18:30', '20:00']) },
    ),
    stepMinutes: [random.pick([90, 120, 300]), random.pick([1440, 2000]), random.pick([2880, 4320])],
    ...scaleLimits(leads, { whatsapp: 70, telegram: 30 }, random.pick([0, 120, 180])),
    expiresHours: 96,
  };
  const zone = random.pick(['UTC', 'Europe/Moscow', 'America/New_York']);
  // In the morning or at noon of the schedule, whose hours would be over by later ones.
  const times = zone === 'America/New_York' ? ['00:30', '03:00', '05:30'] : ['05:30', '07:00', '10:30'];
  return { settings: { ...settings, sendAt: random.pick(times) }, zone };
}

/** What the steps of the sequence send. */
export type StepTexts = readonly Pick<PingConfig['config']['steps'][number], 'prepared_message_id' | 'prompt_id'>[];

/** Return settings as the product stores them. */
export function storedSettings(settings: SimulatedSettings, texts: StepTexts) {
  const config: ProductConfig = {
    ...firstMessageConfig({ ...settings, dailyLimit: settings.limit.whatsapp, telegramLimit: settings.limit.telegram }),
    lead_expires_in_hours: settings.expiresHours,
  };
  const day = (index: number) => {
    const window = settings.days[index];
    return { is_working_day: Boolean(window), time_start: window?.start ?? '00:00', time_end: window?.end ?? '00:00' };
  };
  const schedule: ScheduleConfig = {
    days: { '0': day(0), '1': day(1), '2': day(2), '3': day(3), '4': day(4), '5': day(5), '6': day(6) },
  };
  const pings: PingConfig['config'] = {
    use_on_no_init_msg_reply: true,
    steps: settings.stepMinutes.map((after_minutes, index) => ({
      step_number: index + 1,
      after_minutes,
      document_type: null,
      prepared_message_id: null,
      prompt_id: null,
      ...texts[index],
    })),
  };
  return { config, schedule, pings };
}
