/** Outreach: working hours and follow-ups, as settings. */
import { z } from 'zod';
import { clockTime, endpoint, instant, reference, sentence, smallCount } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

/** Monday is 0. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

const scheduleDay = z.strictObject({ is_working_day: z.boolean(), time_start: z.string(), time_end: z.string() });

const DAY_KEYS = ['0', '1', '2', '3', '4', '5', '6'] as const;
const days = z
  .strictObject({
    '0': scheduleDay,
    '1': scheduleDay,
    '2': scheduleDay,
    '3': scheduleDay,
    '4': scheduleDay,
    '5': scheduleDay,
    '6': scheduleDay,
  })
  .superRefine((week, context) => {
    for (const [index, key] of DAY_KEYS.entries()) {
      const { is_working_day: works, time_start: start, time_end: end } = week[key];
      const weekday = WEEKDAYS[index];
      const wrong = (['time_start', 'time_end'] as const).filter((one) => !clockTime.safeParse(week[key][one]).success);
      for (const field of wrong)
        context.addIssue({
          code: 'custom',
          path: [key, field],
          message: `Invalid time format for ${weekday}. Please use HH:MM format.`,
        });
      if (wrong.length === 0 && works && start >= end)
        context.addIssue({
          code: 'custom',
          path: [key, 'time_start'],
          message: `Start time must be before end time for ${weekday}.`,
        });
    }
  });

export const scheduleConfig = z.strictObject({ days });
export type ScheduleConfig = z.output<typeof scheduleConfig>;

export const zone = z.string().refine((given) => {
  try {
    Intl.DateTimeFormat('en', { timeZone: given });
    return true;
  } catch {
    return false;
  }
}, 'Unknown time zone');

export const schedule = z.object({
  id: z.int(),
  product_id: z.int(),
  timezone: z.string(),
  config: z.object({ days: z.record(z.string(), scheduleDay) }),
  created_at: instant,
});

const scheduleWrite = z.strictObject({
  product_id: reference('product'),
  timezone: zone.default('Europe/Moscow'),
  config: scheduleConfig,
});

export const schedules = crud({
  noun: 'schedule',
  plural: 'schedules',
  path: '/v1/schedules/',
  item: schedule,
  create: scheduleWrite,
  update: scheduleWrite,
  filters: { product_id: reference('product') },
  orderBy: ['id', 'created_at'],
  search: [],
});

export const scheduleOfProduct = endpoint({
  method: 'GET',
  path: '/v1/schedules/for-product/{product_id}',
  access: 'session',
  summary: "The product's schedule",
  params: z.strictObject({ product_id: reference('product') }),
  replies: { 200: schedule, 404: sentence },
});

const pingStep = z.strictObject({
  step_number: smallCount,
  after_minutes: smallCount,
  prepared_message_id: reference('prepared_message').nullable().default(null),
  prompt_id: reference('prompt').nullable().default(null),
  document_type: z.string().trim().min(1).max(100).nullable().default(null),
});

const pingSteps = z
  .array(pingStep)
  .min(1, 'At least one ping step is required')
  .max(50)
  .superRefine((steps, context) => {
    for (const [index, step] of steps.entries()) {
      if (step.step_number !== index + 1)
        context.addIssue({
          code: 'custom',
          path: [index, 'step_number'],
          message: `Step ${index + 1} has to stand here`,
        });
      if (step.prepared_message_id === null && step.prompt_id === null)
        context.addIssue({
          code: 'custom',
          path: [index, 'prompt_id'],
          message: `Step ${index + 1}: Please select an AI prompt`,
        });
    }
  });

export const pingSettings = z.strictObject({ steps: pingSteps, use_on_no_init_msg_reply: z.boolean().default(true) });

export const pingConfig = z.object({
  id: z.int(),
  product_id: z.int(),
  is_enabled: z.boolean(),
  config: z.object({ steps: z.array(pingStep), use_on_no_init_msg_reply: z.boolean() }),
  created_at: instant,
});
export type PingConfig = z.output<typeof pingConfig>;

const pingWrite = z.strictObject({
  product_id: reference('product'),
  config: pingSettings,
  is_enabled: z.boolean().default(true),
});

export const pingConfigs = crud({
  noun: 'ping_config',
  plural: 'ping configurations',
  path: '/v1/ping-configs/',
  item: pingConfig,
  create: pingWrite,
  update: pingWrite,
  filters: { product_id: reference('product'), is_enabled: z.boolean() },
  orderBy: ['id', 'created_at'],
  search: [],
});

export const pingConfigOfProduct = endpoint({
  method: 'GET',
  path: '/v1/ping-configs/for-product/{product_id}',
  access: 'session',
  summary: "The product's follow-ups",
  params: z.strictObject({ product_id: reference('product') }),
  replies: { 200: pingConfig, 404: sentence },
});

export const outreachRefusals = {
  'setting.exists': { status: 409, sentence: 'This product already has a {noun}. Change that one.' },
  'setting.product_fixed': { status: 409, sentence: 'A {noun} cannot move to another product.' },
} satisfies RefusalKinds;
