/** How the installation fares, for admins: nodes, database, queues, vendors, models. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { endpoint, instant, nameShape } from '../platform/contract.ts';
import { llmVendors } from '../products/contract.ts';

/** `look`: somebody should see to it today; `bad`: now. */
export const levels = ['fine', 'look', 'bad'] as const;
export type Level = (typeof levels)[number];
const level = z.enum(levels);

/** Single numbers. Those of queues are counted up to a hundred thousand; `_seconds`: the age of the oldest that is due. */
export const figureKeys = [
  'database_ms',
  'database_connections',
  'database_transaction_seconds',
  'migrations_missing',
  'runner_stopped',
  'sweep_seconds',
  'messages_due',
  'messages_due_seconds',
  'messages_sending',
  'messages_failed',
  'messages_unconfirmed',
  'messages_refused',
  'inbox_open',
  'inbox_open_seconds',
  'inbox_held',
  'turns_due',
  'turns_due_seconds',
  'turns_failed',
  'classifications_due',
  'classifications_failed',
  'outreach_due',
  'outreach_due_seconds',
  'outreach_line',
  'crm_wishes',
  'crm_wishes_seconds',
  'crm_refused',
  'crm_changes',
  'crm_changes_seconds',
  'jobs_ready',
  'jobs_ready_seconds',
  'jobs_later',
  'jobs_locked',
  'jobs_failed',
  'sockets',
] as const;
export type FigureKey = (typeof figureKeys)[number];

const systemHealth = z.object({
  /** Database's real clock. */
  at: instant,
  /** The worst of all below. */
  level,
  figures: z.array(z.object({ key: z.enum(figureKeys), value: z.number(), level })),
  nodes: z.array(
    z.object({
      life: z.string(),
      name: z.string(),
      roles: z.array(z.string()),
      /** Null: a release that did not say yet. */
      version: z.string().nullable(),
      started_at: instant,
      beat_seconds: z.number(),
      ended_at: instant.nullable(),
      /** The one that answers. */
      here: z.boolean(),
      level,
    }),
  ),
  database: z.object({
    size_bytes: z.number(),
    most_connections: z.int(),
    missing: z.array(z.string()),
  }),
  /** Of the node that answers; none where it runs no jobs. */
  sweeps: z.array(z.object({ name: z.string(), seconds: z.number(), error: z.string().nullable(), level })),
  vendors: z.array(
    z.object({
      account_id: z.int(),
      vendor: z.enum(channelVendors),
      key_mask: z.string(),
      channels: z.int(),
      last_accepted_at: instant.nullable(),
      last_error_at: instant.nullable(),
      last_error: z.string().nullable(),
      /** Sent within 24 hours and not seen to arrive; counted up to a thousand a channel. */
      unacknowledged: z.int(),
      /** Why nothing is sent, and until when; null: it is. */
      rest_reason: z.string().nullable(),
      resting_until: instant.nullable(),
      level,
    }),
  ),
  /** Channels, and accounts of channels with owners, whose company an admin has to choose; until then only admins see them. */
  without_owner: z.array(
    z.object({
      kind: z.enum(['channel', 'account']),
      /** The channel, or one of the account's: the owner is chosen by it. */
      channel_id: z.int(),
      /** The channel's name, or the account's key as it is shown. */
      name: z.string(),
      vendor: z.enum(channelVendors),
      used_by: z.array(
        z.object({ company_id: z.int(), company_name: z.string(), products: z.int(), dialogues: z.int() }),
      ),
      level,
    }),
  ),
  /** The last hour. */
  models: z.array(
    z.object({
      company_id: z.int(),
      company_name: z.string(),
      vendor: z.enum(llmVendors),
      calls: z.int(),
      errors: z.int(),
      median_ms: z.number(),
      p95_ms: z.number(),
      level,
    }),
  ),
});
export type SystemHealth = z.output<typeof systemHealth>;
nameShape('SystemHealth', systemHealth);

export const readSystemHealth = endpoint({
  operation: 'getSystemHealth',
  method: 'GET',
  path: '/v1/system/health',
  access: 'admin',
  summary: 'How the installation fares, with what needs to be looked at',
  replies: { 200: systemHealth },
});
