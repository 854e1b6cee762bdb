/** The product of a simulated month, and changes of its settings through the console's calls. */
import { registerHook } from '../../channels/contract.ts';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { products } from '../../products/contract.ts';
import { preparedMessages, prompts } from '../../prompts/contract.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';
import type { Random } from '../harness/random.ts';

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
 * Settings in force. The calls that store them take a while: some of them apply from `from` on, all of them from
 * `whole` on.
 */
export interface Era extends SimulatedSettings {
  readonly from: number;
  readonly whole: number;
}

export interface SimulatedProduct {
  readonly id: number;
  readonly operator: Client;
  /** The product's own time zone, in which its days are counted. */
  readonly zone: string;
  readonly settings: SimulatedSettings;
  /** Store settings; the caller records the era. */
  change(settings: SimulatedSettings): Promise<void>;
}

function requireSuccess(answer: { status: number; body: unknown }): number {
  if (answer.status >= 300) throw new Error(`Refused: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
  const { body } = answer;
  return typeof body === 'object' && body !== null && 'id' in body ? Number(body.id) : 0;
}

/** Return limits and interval under which a thousand leads can be sent within days, scaled up for more leads. */
export function scaleLimits(leads: number, limit: SimulatedSettings['limit'], intervalSeconds: number) {
  const times = Math.max(1, leads / 1000);
  return {
    limit: { whatsapp: Math.round(limit.whatsapp * times), telegram: Math.round(limit.telegram * times) },
    // The clock of a month stops once a minute at most.
    intervalSeconds: intervalSeconds === 0 ? 0 : Math.max(60, Math.round(intervalSeconds / times)),
  };
}

export async function createSimulatedProduct(world: World, random: Random, leads: number): Promise<SimulatedProduct> {
  const operator = await world.operator();
  requireSuccess(await operator.call(registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } }));
  const productId = world.productId;
  const text = async (name: string, message: string) =>
    requireSuccess(
      await operator.call(preparedMessages.create, { body: { product_id: productId, name, type: 'ping', message } }),
    );
  const one = await text('Once', 'Are you still there, {{ lead.name }}?');
  const two = await text('Twice', 'May we help you choose?');
  const prompt = requireSuccess(
    await operator.call(prompts.create, {
      body: {
        product_id: productId,
        name: 'Nudge',
        type: 'ping',
        text: 'Write to {{ lead.name }} once more.\nThe showroom is open on Sundays.',
      },
    }),
  );
  const settings: SimulatedSettings = {
    zone: 'Europe/Moscow',
    days: [0, 1, 2, 3, 4, 5, 6].map((day) =>
      day === 6
        ? null
        : { start: random.pick(['08:00', '09:00', '09:30']), end: random.pick(['17:00', '18:30', '20:00']) },
    ),
    stepMinutes: [random.pick([90, 120, 300]), random.pick([1440, 2000]), random.pick([2880, 4320])],
    ...scaleLimits(leads, { whatsapp: 70, telegram: 30 }, random.pick([0, 120, 180])),
    sendAt: random.pick(['05:30', '07:00', '10:30']),
    expiresHours: 96,
  };
  const zone = random.pick(['UTC', 'Europe/Moscow', 'America/New_York']);
  let scheduleId = 0;
  let pingId = 0;
  const change = async (next: SimulatedSettings): Promise<void> => {
    const { body } = await operator.call(products.get, { params: { id: productId } });
    const stored = body as { name: string; company_id: number; is_active: boolean };
    requireSuccess(
      await operator.call(products.replace, {
        params: { id: productId },
        body: {
          name: stored.name,
          company_id: stored.company_id,
          crm_id: null,
          is_active: true,
          timezone: zone,
          config: {
            lead_expires_in_hours: next.expiresHours,
            models_config: null,
            messaging_config: {
              whatsapp_daily_limit: next.limit.whatsapp,
              tg_daily_limit: next.limit.telegram,
              add_interval_seconds: next.intervalSeconds,
              initial_message_send_at: next.sendAt,
              initial_message_text: 'Good day! Are you looking for a kitchen?',
            },
          },
        },
      }),
    );
    const off = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
    const day = (index: number) => {
      const window = next.days[index];
      return window ? { is_working_day: true, time_start: window.start, time_end: window.end } : off;
    };
    const schedule = {
      product_id: productId,
      timezone: next.zone,
      config: { days: { '0': day(0), '1': day(1), '2': day(2), '3': day(3), '4': day(4), '5': day(5), '6': day(6) } },
    };
    const pings = {
      product_id: productId,
      is_enabled: true,
      config: {
        use_on_no_init_msg_reply: true,
        steps: next.stepMinutes.map((after_minutes, index) => ({
          step_number: index + 1,
          after_minutes,
          prepared_message_id: [one, two][index] ?? null,
          prompt_id: index === 2 ? prompt : null,
        })),
      },
    };
    if (scheduleId === 0) {
      scheduleId = requireSuccess(await operator.call(schedules.create, { body: schedule }));
      pingId = requireSuccess(await operator.call(pingConfigs.create, { body: pings }));
    } else {
      requireSuccess(await operator.call(schedules.replace, { params: { id: scheduleId }, body: schedule }));
      requireSuccess(await operator.call(pingConfigs.replace, { params: { id: pingId }, body: pings }));
    }
  };
  await change(settings);
  return { id: productId, operator, zone, settings, change };
}
