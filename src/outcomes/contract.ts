/** Contract of a product's figures, for the dashboard. */
import { z } from 'zod';
import { stages } from '../leads/contract.ts';
import { day, endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';

export const dashboard = z.object({
  /** Number of leads of the product. */
  users: z.int(),
  messages: z.int(),
  messages_today: z.int(),
  /** The product's time zone, which defines the days. */
  timezone: z.string(),
  /** New leads in the last 7 days including today, and in the 7 days before. */
  new_leads: z.int(),
  new_leads_before: z.int(),
  /** Number of dialogues with a message in the last 7 days. */
  active: z.int(),
  /** Channels of the product that do not send automatic first messages now. */
  stopped: z.array(z.object({ channel_id: z.int(), name: z.string(), reason: z.string() })),
  stages: z.array(z.object({ stage: z.enum(stages), count: z.int() })),
  /**
   * Cost of models in US dollars, today and in the last 30 days including today. In UTC days, as for a company's
   * budget.
   */
  cost_today: z.number(),
  cost_30_days: z.number(),
  /** The last 30 days, oldest first. */
  days: z.array(z.object({ day, user: z.int(), bot: z.int() })),
});
export type Dashboard = z.output<typeof dashboard>;
nameShape('Dashboard', dashboard);

export const readDashboard = endpoint({
  operation: 'getDashboard',
  method: 'GET',
  path: '/v1/reports/dashboard',
  access: 'session',
  summary: 'Figures of a product',
  query: z.strictObject({ product_id: reference('product') }),
  replies: { 200: dashboard, 404: errorReply },
});
