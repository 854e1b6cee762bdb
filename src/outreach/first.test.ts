/** First messages and follow-ups on the real engine, with a moved clock: who gets what, when, and how often. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveDomainClock } from '../sandbox/clock.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const HOUR = 3600;

/** Moves the domain clock of the world to the next instant at this time of day, UTC. */
async function until(time: string, day = 0): Promise<void> {
  const { rows } = await world.pool.query<{ seconds: number }>(
    `select extract(epoch from ((domain_now() at time zone 'UTC')::date + $2::int + $1::time) - (domain_now() at time zone 'UTC'))::float8 as seconds`,
    [time, day],
  );
  const seconds = rows[0]?.seconds ?? 0;
  await move(seconds > 0 ? seconds : seconds + 24 * HOUR);
}

async function move(seconds: number): Promise<void> {
  if (!world.house) throw new Error('no server');
  await world.drain();
  await moveDomainClock(world.house.ground, world.control, seconds);
  await world.drain();
}

async function configure(messaging: object | null, rest: object = {}): Promise<void> {
  const config = {
    lead_expires_in_hours: 0,
    models_config: null,
    messaging_config: messaging && {
      tg_daily_limit: 100,
      whatsapp_daily_limit: 100,
      add_interval_seconds: 0,
      add_interval_jitter_seconds: 0,
      initial_message_send_at: '10:30',
      initial_message_document_prompt_id: null,
      initial_message_prepared_message_id: null,
      initial_message_text: 'Good day!',
      ...messaging,
    },
    ...rest,
  };
  await world.pool.query('update products set config = $2 where id = $1', [world.productId, config]);
}

const fresh = (name: string, options = {}) => world.lead(name, { stage: 'initial', dialogue: false, ...options });

const stageOf = async (leadId: number) =>
  (await world.pool.query<{ stage: string }>('select stage from leads where id = $1', [leadId])).rows[0]?.stage;

beforeEach(async () => {
  await world.pool.query('delete from leads');
  await world.pool.query('delete from schedules');
  await world.pool.query('delete from ping_configs');
  await world.pool.query('delete from first_slots');
  await configure(null);
  await world.drain();
});

describe('a first message', () => {
  it('goes out at the hour of the settings, once, and moves the lead to started', async () => {
    await configure({});
    await until('08:00');
    const anna = await fresh('Anna');
    await move(2 * HOUR);
    expect(await anna.sees()).toEqual([]);
    await move(HOUR);
    expect(await anna.sees()).toEqual(['us: Good day!']);
    expect(await stageOf(anna.leadId)).toBe('started');
    await move(48 * HOUR);
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });
});
