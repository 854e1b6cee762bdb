/** The product of a simulated month, and changes of its settings. */
import { prompts } from '../../prompts/contract.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';
import { callOrThrow } from '../harness/calls.ts';
import { firstMessageConfig } from '../harness/leads.ts';
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
 * Settings in force. Storing them takes a while: some of them apply from `from` on, all of them from
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
  const { pool, productId } = world;
  const operator = await world.operator();
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
  await pool.query('update products set timezone = $2 where id = $1', [productId, zone]);
  const texts = await createTexts(operator, world);
  const change = async (next: SimulatedSettings): Promise<void> => {
    const config = {
      ...firstMessageConfig({ ...next, dailyLimit: next.limit.whatsapp, telegramLimit: next.limit.telegram }),
      lead_expires_in_hours: next.expiresHours,
    };
    await pool.query('update products set config = $2 where id = $1', [productId, config]);
    await pool.query(
      `insert into schedules (product_id, timezone, config) values ($1, $2, $3)
       on conflict (product_id) do update set timezone = excluded.timezone, config = excluded.config`,
      [productId, next.zone, { days: Object.assign({}, next.days.map(dayOf)) }],
    );
    const steps = next.stepMinutes.map((after_minutes, index) => ({
      step_number: index + 1,
      after_minutes,
      document_type: null,
      ...texts[index],
    }));
    await pool.query(
      `insert into ping_configs (product_id, is_enabled, config) values ($1, true, $2)
       on conflict (product_id) do update set config = excluded.config`,
      [productId, { use_on_no_init_msg_reply: true, steps }],
    );
  };
  await change(settings);
  return { id: productId, operator, zone, settings, change };
}

const dayOf = (window: SimulatedSettings['days'][number]) => ({
  is_working_day: window !== null,
  time_start: window?.start ?? '00:00',
  time_end: window?.end ?? '00:00',
});

/** Create what the steps of the sequence send: prepared messages first, then a prompt. */
async function createTexts(operator: Client, { pool, productId }: World) {
  const { rows } = await pool.query<{ id: number }>(
    `insert into prepared_messages (product_id, name, type, message)
     values ($1, 'Once', 'ping', 'Are you still there, {{ lead.name }}?'), ($1, 'Twice', 'ping', 'May we help you choose?') returning id::int`,
    [productId],
  );
  const text = 'Write to {{ lead.name }} once more.\nThe showroom is open on Sundays.';
  const body = { product_id: productId, name: 'Nudge', type: 'ping', text } as const;
  const prompt_id = await callOrThrow(operator, prompts.create, { body });
  return [
    ...rows.map(({ id }) => ({ prepared_message_id: id, prompt_id: null })),
    { prepared_message_id: null, prompt_id },
  ];
}
