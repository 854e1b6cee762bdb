/** Contract of the weekly report: as a page, from the API, and as the event `report.weekly` of webhooks. */
import { z } from 'zod';
import { day, endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';
import { refusalGroup, spentOnModel } from './insightContract.ts';
import { funnelOfValue, outcomeStrip, rate, stepOutcome } from './outcomeContract.ts';

const count = z.int();

/** Free of names and words of leads: it is sent to other systems. Reasons of refusals are as they were stored. */
const weeklyReport = z.object({
  product_id: z.int(),
  product_name: z.string(),
  /** Days of the first message, Monday to Sunday, on the product's clock. */
  from: day,
  to: day,
  /** The page with the report. */
  url: z.string(),
  strip: outcomeStrip,
  first_texts: z.array(funnelOfValue),
  prompt_versions: z.array(funnelOfValue),
  follow_ups: z.array(stepOutcome),
  refusals: z.object({
    refusals: count,
    rate,
    items: z.array(refusalGroup.omit({ examples: true })),
    /** What is beyond the groups in `items`. */
    others: z.object({ groups: count, count }),
  }),
  /** Seconds from the first hand-over to a person's next message; null where nobody answered. */
  response_times: z.object({
    handed_over: count,
    unanswered: count,
    median: z.number().nullable(),
    p90: z.number().nullable(),
  }),
  models: z.array(spentOnModel),
});
export type WeeklyReport = z.output<typeof weeklyReport>;
nameShape('WeeklyReport', weeklyReport);

export const readWeeklyReport = endpoint({
  operation: 'getWeeklyReport',
  method: 'GET',
  path: '/v1/outcomes/weekly-report',
  access: 'session',
  summary: 'The figures of one week',
  query: z.strictObject({
    product_id: reference('product'),
    /** The week before it is compared, and each has seven days. */
    week: day
      .refine((value) => value >= '0001-01-08' && value <= '9999-12-25', 'Enter a day within the years 1 to 9999')
      .optional()
      .describe('A day of the week; by default the last week that has ended'),
  }),
  replies: { 200: weeklyReport, 404: errorReply },
});
