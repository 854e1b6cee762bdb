/** Contract of the outreach settings: working hours and follow-ups. */
import { z } from 'zod';
import { endpoint, errorReply, instant, reference, smallCount } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { timeZone } from '../platform/zones.ts';
import { DEFAULT_PRODUCT_ZONE } from '../products/contract.ts';
import { DEFAULT_DAYS, DEFAULT_TIMEZONE, dayFaults } from './schedule.ts';
import { MAX_STEPS, minutesFault, ONE_STEP_AT_LEAST, sourceFault, stepSource } from './sequence.ts';

const scheduleDay = z.strictObject({ is_working_day: z.boolean(), time_start: z.string(), time_end: z.string() });

/** Some days of a week; 0 is Monday. */
export const givenDays = z
  .strictObject({
    '0': scheduleDay,
    '1': scheduleDay,
    '2': scheduleDay,
    '3': scheduleDay,
    '4': scheduleDay,
    '5': scheduleDay,
    '6': scheduleDay,
  })
  .partial();

const days = z
  .strictObject({
    '0': scheduleDay.default(DEFAULT_DAYS['0']),
    '1': scheduleDay.default(DEFAULT_DAYS['1']),
    '2': scheduleDay.default(DEFAULT_DAYS['2']),
    '3': scheduleDay.default(DEFAULT_DAYS['3']),
    '4': scheduleDay.default(DEFAULT_DAYS['4']),
    '5': scheduleDay.default(DEFAULT_DAYS['5']),
    '6': scheduleDay.default(DEFAULT_DAYS['6']),
  })
  .superRefine((week, context) => {
    for (const { key, field, sentence: message } of dayFaults(week))
      context.addIssue({ code: 'custom', path: [key, field], message });
  });

export const scheduleConfig = z.strictObject({ days: days.prefault({}) });
export type ScheduleConfig = z.output<typeof scheduleConfig>;

export const schedule = z.object({
  id: z.int(),
  product_id: z.int(),
  timezone: z.string(),
  config: z.object({ days: z.record(z.string(), scheduleDay) }),
  created_at: instant,
  version: rowVersion,
});

const scheduleWrite = z.strictObject({
  product_id: reference('product'),
  timezone: timeZone
    .optional()
    .describe(
      `Of a new schedule by default that of the product, or ${DEFAULT_TIMEZONE} where that is ${DEFAULT_PRODUCT_ZONE}; a change that leaves it out keeps it.`,
    ),
  config: scheduleConfig.prefault({}),
});

export const schedules = crud({
  resource: 'schedule',
  plural: 'schedules',
  path: '/v1/schedules/',
  item: schedule,
  create: scheduleWrite,
  update: scheduleWrite,
  filters: {},
  orderBy: ['id', 'created_at'],
  search: [],
});

export const scheduleOfProduct = endpoint({
  operation: 'getScheduleForProduct',
  method: 'GET',
  path: '/v1/schedules/for-product/{product_id}',
  access: 'session',
  summary: "The product's schedule",
  params: z.strictObject({ product_id: reference('product') }),
  versioned: true,
  replies: { 200: schedule, 404: errorReply },
});

/** Return the number, from 1, of the step that a validation path points to. */
const numberIn = (path: readonly PropertyKey[] = []): number => Number(path.find((one) => typeof one === 'number')) + 1;

const pingStep = z.strictObject({
  step_number: smallCount.default(1).describe('Forced to the position of the step, from 1; it may be omitted.'),
  after_minutes: z
    .int()
    .positive({ error: ({ path }) => minutesFault(numberIn(path)) })
    .max(2 ** 31 - 1)
    .describe('Minutes since the step before was sent; for step 1, since the last message of the lead.'),
  prepared_message_id: reference('prepared_message').nullable().default(null),
  prompt_id: reference('prompt').nullable().default(null),
  document_type: z.string().trim().min(1).max(100).nullable().default(null),
});

const pingSteps = z
  .array(pingStep)
  .min(1, ONE_STEP_AT_LEAST)
  .max(MAX_STEPS)
  .overwrite((steps) => steps.map((step, index) => ({ ...step, step_number: index + 1 })))
  .superRefine((steps, context) => {
    for (const [index, step] of steps.entries()) {
      const message = sourceFault(index + 1, { ...step, source: stepSource(step) });
      if (message !== null) context.addIssue({ code: 'custom', path: [index, 'prompt_id'], message });
    }
  });

export const pingSettings = z.strictObject({ steps: pingSteps, use_on_no_init_msg_reply: z.boolean().default(true) });

export const pingConfig = z.object({
  id: z.int(),
  product_id: z.int(),
  is_enabled: z.boolean(),
  config: z.object({ steps: z.array(pingStep), use_on_no_init_msg_reply: z.boolean() }),
  created_at: instant,
  version: rowVersion,
});
export type PingConfig = z.output<typeof pingConfig>;

const pingWrite = z.strictObject({
  product_id: reference('product'),
  config: pingSettings,
  is_enabled: z.boolean().default(true),
});

export const pingConfigs = crud({
  resource: 'ping_config',
  plural: 'ping configurations',
  path: '/v1/ping-configs/',
  item: pingConfig,
  create: pingWrite,
  update: pingWrite,
  filters: {},
  orderBy: ['id', 'created_at'],
  search: [],
});

export const pingConfigOfProduct = endpoint({
  operation: 'getPingConfigForProduct',
  method: 'GET',
  path: '/v1/ping-configs/for-product/{product_id}',
  access: 'session',
  summary: "The product's follow-ups",
  params: z.strictObject({ product_id: reference('product') }),
  versioned: true,
  replies: { 200: pingConfig, 404: errorReply },
});

export const outreachRefusals = {
  'setting.exists': { status: 409, sentence: 'This product already has a {noun}. Change that one.' },
  'setting.product_fixed': { status: 409, sentence: 'A {noun} cannot move to another product.' },
} satisfies RefusalKinds;
