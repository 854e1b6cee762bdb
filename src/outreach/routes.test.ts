import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { pingConfigOfProduct, pingConfigs, scheduleOfProduct, schedules } from './contract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
});
afterAll(() => world.close());

const WORKS = { is_working_day: true, time_start: '09:00', time_end: '18:00' };
const OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const week = (monday: object = WORKS) => ({
  days: { '0': { ...WORKS, ...monday }, '1': WORKS, '2': WORKS, '3': WORKS, '4': WORKS, '5': OFF, '6': OFF },
});
const schedule = (monday?: object) => ({
  product_id: world.productId,
  timezone: 'Europe/Moscow',
  config: week(monday),
});
const errorMessage = (body: unknown): unknown =>
  (body as { detail: { loc: unknown[]; msg: string }[] }).detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);

describe('a schedule', () => {
  it('exists once for each product', async () => {
    const params = { product_id: world.productId };
    expect((await admin.call(scheduleOfProduct, { params })).status).toBe(404);
    const answers = await Promise.all([1, 2, 3].map(() => admin.call(schedules.create, { body: schedule() })));
    expect(answers.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await admin.call(scheduleOfProduct, { params })).body).toMatchObject({ config: week() });
  });

  it.each([
    [
      { time_start: '9:00' },
      ['body.config.days.0.time_start: Invalid time format for Monday. Please use HH:MM format.'],
    ],
    [{ time_end: '24:00' }, ['body.config.days.0.time_end: Invalid time format for Monday. Please use HH:MM format.']],
    [{ time_start: '18:00' }, ['body.config.days.0.time_start: Start time must be before end time for Monday.']],
  ])('with %j is refused', async (monday, expected) => {
    const answer = await admin.call(schedules.create, { body: schedule(monday) });
    expect([answer.status, errorMessage(answer.body)]).toEqual([422, expected]);
  });

  it('has the default week and time zone where they are left out', async () => {
    await world.pool.query('delete from schedules');
    const create = (body: object) => admin.call(schedules.create, { body: { product_id: world.productId, ...body } });
    const created = await create({});
    expect(created).toMatchObject({ status: 201, body: { timezone: 'Europe/Moscow', config: week() } });
    const { id } = created.body as { id: number };
    expect(created.body).toMatchObject({ config: week() });
    // A change keeps the days that it leaves out.
    const saturday = { is_working_day: true, time_start: '10:00', time_end: '14:00' };
    const change = (days: object) => admin.call(schedules.change, { params: { id }, body: { config: { days } } });
    await change({ '0': OFF });
    expect((await change({ '5': saturday })).body).toMatchObject({
      config: { days: { ...week().days, '0': OFF, '5': saturday } },
    });
    await admin.call(schedules.remove, { params: { id } });
    expect((await create({ config: { days: { '0': { ...WORKS, time_end: '12:00' } } } })).body).toMatchObject({
      config: week({ time_end: '12:00' }),
    });
  });

  it('begins in the time zone of its product, and keeps it', async () => {
    await world.pool.query('delete from schedules');
    const setZone = (zone: string) =>
      world.pool.query('update products set timezone = $2 where id = $1', [world.productId, zone]);
    await setZone('Europe/Riga');
    const created = await admin.call(schedules.create, { body: { product_id: world.productId } });
    expect(created).toMatchObject({ status: 201, body: { timezone: 'Europe/Riga' } });
    await setZone('Asia/Tokyo');
    const params = { id: (created.body as { id: number }).id };
    const saved = await admin.call(schedules.replace, {
      params,
      body: { product_id: world.productId, config: week({ time_end: '12:00' }) },
    });
    expect(saved).toMatchObject({
      status: 200,
      body: { timezone: 'Europe/Riga', config: week({ time_end: '12:00' }) },
    });
    await admin.call(schedules.remove, { params });
    await setZone('UTC');
  });

  it('requires a valid time zone', async () => {
    expect((await admin.call(schedules.create, { body: { ...schedule(), timezone: 'Mars/Base' } })).status).toBe(422);
  });
});

describe('a ping configuration', () => {
  it.each([
    ['no step', [], ['body.config.steps: At least one ping step is required']],
    [
      'a step without a source',
      [{ step_number: 1, after_minutes: 60 }],
      ['body.config.steps.0.prompt_id: Step 1: Please select an AI prompt'],
    ],
    [
      'no time before a step',
      [
        { step_number: 1, after_minutes: 5, prompt_id: 1 },
        { step_number: 2, after_minutes: 0, prompt_id: 1 },
      ],
      ['body.config.steps.1.after_minutes: Step 2: After minutes must be greater than 0'],
    ],
  ])('with %s is refused', async (_name, steps, expected) => {
    const answer = await admin.call(pingConfigs.create, { body: { product_id: world.productId, config: { steps } } });
    expect([answer.status, errorMessage(answer.body)]).toEqual([422, expected]);
  });

  it('numbers steps in order, with whole minutes from one', async () => {
    const { rows } = await world.pool.query<{ id: string }>('select id from prompts limit 1');
    const step = { after_minutes: 60, prompt_id: Number(rows[0]?.id) };
    const create = (steps: (typeof step & { step_number?: number })[]) =>
      admin.call(pingConfigs.create, { body: { product_id: world.productId, config: { steps } } });
    for (const wrong of [
      [{ ...step, step_number: 0 }],
      [{ ...step, after_minutes: 0 }],
      [{ ...step, after_minutes: 1.5 }],
    ])
      expect((await create(wrong)).status).toBe(422);
    const created = await create([{ ...step, step_number: 5 }, { ...step, step_number: 5 }, step]);
    expect(created).toMatchObject({
      status: 201,
      body: {
        is_enabled: true,
        config: {
          use_on_no_init_msg_reply: true,
          steps: [{ step_number: 1 }, { step_number: 2 }, { step_number: 3 }],
        },
      },
    });
    expect((await create([step])).status).toBe(409);
    const response = await admin.call(pingConfigOfProduct, { params: { product_id: world.productId } });
    expect(response.body).toMatchObject({ id: (created.body as { id: number }).id });
  });
});
