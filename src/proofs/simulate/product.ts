/** The product of a simulated month, and changes of its settings through the console's calls. */
import { registerHook } from '../../channels/contract.ts';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { products } from '../../products/contract.ts';
import { preparedMessages, prompts } from '../../prompts/contract.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';
import { callOrThrow } from '../harness/calls.ts';
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
  await callOrThrow(operator, registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } });
  const { productId } = world;
  const texts = await createTexts(operator, productId);
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
  let ids: { schedule: number; pings: number } | null = null;
  const change = async (next: SimulatedSettings): Promise<void> => {
    await changeProduct(operator, { productId, zone, next });
    const schedule = scheduleOf(productId, next);
    const pings = pingsOf(productId, next, texts);
    if (ids === null) {
      ids = {
        schedule: await callOrThrow(operator, schedules.create, { body: schedule }),
        pings: await callOrThrow(operator, pingConfigs.create, { body: pings }),
      };
    } else {
      await callOrThrow(operator, schedules.replace, { params: { id: ids.schedule }, body: schedule });
      await callOrThrow(operator, pingConfigs.replace, { params: { id: ids.pings }, body: pings });
    }
  };
  await change(settings);
  return { id: productId, operator, zone, settings, change };
}

/** What the steps of the sequence send: prepared messages first, then a prompt. */
interface Texts {
  readonly prepared: readonly number[];
  readonly prompt: number;
}

async function createTexts(operator: Client, product_id: number): Promise<Texts> {
  const prepared: number[] = [];
  for (const [name, message] of [
    ['Once', 'Are you still there, {{ lead.name }}?'],
    ['Twice', 'May we help you choose?'],
  ] as const)
    prepared.push(
      await callOrThrow(operator, preparedMessages.create, { body: { product_id, name, type: 'ping', message } }),
    );
  const text = 'Write to {{ lead.name }} once more.\nThe showroom is open on Sundays.';
  const body = { product_id, name: 'Nudge', type: 'ping', text } as const;
  return { prepared, prompt: await callOrThrow(operator, prompts.create, { body }) };
}

interface ProductChange {
  readonly productId: number;
  readonly zone: string;
  readonly next: SimulatedSettings;
}

async function changeProduct(operator: Client, { productId, zone, next }: ProductChange): Promise<void> {
  const params = { id: productId };
  const { name, company_id } = products.item.parse((await operator.call(products.get, { params })).body);
  const messaging_config = {
    whatsapp_daily_limit: next.limit.whatsapp,
    tg_daily_limit: next.limit.telegram,
    add_interval_seconds: next.intervalSeconds,
    initial_message_send_at: next.sendAt,
    initial_message_text: 'Good day! Are you looking for a kitchen?',
  };
  const config = { lead_expires_in_hours: next.expiresHours, models_config: null, messaging_config };
  const body = { name, company_id, crm_id: null, is_active: true, timezone: zone, config };
  await callOrThrow(operator, products.replace, { params, body });
}

function scheduleOf(product_id: number, { zone, days }: SimulatedSettings) {
  const off = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
  const day = (index: number) => {
    const window = days[index];
    return window ? { is_working_day: true, time_start: window.start, time_end: window.end } : off;
  };
  const week = { '0': day(0), '1': day(1), '2': day(2), '3': day(3), '4': day(4), '5': day(5), '6': day(6) };
  return { product_id, timezone: zone, config: { days: week } };
}

function pingsOf(product_id: number, { stepMinutes }: SimulatedSettings, { prepared, prompt }: Texts) {
  const steps = stepMinutes.map((after_minutes, index) => ({
    step_number: index + 1,
    after_minutes,
    prepared_message_id: prepared[index] ?? null,
    prompt_id: index === prepared.length ? prompt : null,
  }));
  return { product_id, is_enabled: true, config: { use_on_no_init_msg_reply: true, steps } };
}
