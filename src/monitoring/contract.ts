/** Health of the installation, for admins: nodes, database, queues, vendors, models. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { endpoint, instant, nameShape } from '../platform/contract.ts';
import { llmVendors } from '../products/contract.ts';

/** `look`: needs attention today; `bad`: needs attention now. */
export const levels = ['fine', 'look', 'bad'] as const;
export type Level = (typeof levels)[number];
const level = z.enum(levels);

/** Single figures. Counts of queues stop at a hundred thousand; `_seconds` is the age of the oldest due row. */
export const figureKeys = [
  'database_ms',
  'database_connections',
  'database_transaction_seconds',
  'migrations_missing',
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
  'opt_outs_due',
  'opt_outs_due_seconds',
  'sockets',
] as const;
export type FigureKey = (typeof figureKeys)[number];

const systemHealth = z.object({
  /** The database's real clock. */
  at: instant,
  /** The worst of all levels below. */
  level,
  figures: z.array(z.object({ key: z.enum(figureKeys), value: z.number(), level })),
  nodes: z.array(
    z.object({
      life: z.string(),
      name: z.string(),
      roles: z.array(z.string()),
      /** Version of the release; null for releases that did not report it yet. */
      version: z.string().nullable(),
      started_at: instant,
      beat_seconds: z.number(),
      ended_at: instant.nullable(),
      /** Whether this node answers the request. */
      here: z.boolean(),
      level,
    }),
  ),
  database: z.object({
    size_bytes: z.number(),
    most_connections: z.int(),
    missing: z.array(z.string()),
  }),
  /** Sweeps of the node that answers; empty if it is no worker. */
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
      /** Messages sent within 24 hours without a delivery report; counted up to a thousand per channel. */
      unacknowledged: z.int(),
      /** Why nothing is sent, and until when; null if sending works. */
      rest_reason: z.string().nullable(),
      resting_until: instant.nullable(),
      level,
    }),
  ),
  /**
   * Channels, and accounts of channels with owners, that have no company yet. An admin must choose it; until then only
   * admins see them.
   */
  without_owner: z.array(
    z.object({
      kind: z.enum(['channel', 'account']),
      /** Id of the channel, or of one of the account's channels. The owner is chosen through it. */
      channel_id: z.int(),
      /** Name of the channel, or masked key of the account. */
      name: z.string(),
      vendor: z.enum(channelVendors),
      used_by: z.array(
        z.object({ company_id: z.int(), company_name: z.string(), products: z.int(), dialogues: z.int() }),
      ),
      level,
    }),
  ),
  /** Models called in the last hour. */
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
  summary: 'The health of the installation, with what needs attention',
  replies: { 200: systemHealth },
});
