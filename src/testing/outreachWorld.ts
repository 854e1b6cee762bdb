/** A world with outreach and a movable clock, for tests of first messages, follow-ups and expiry. */
import { DEFAULT_PRODUCT_CONFIG } from '../products/contract.ts';
import { moveDomainClock } from '../sandbox/domainClock.ts';
import { createWorld, type TestLead, type World, type WorldOptions } from './world.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;

export interface OutreachWorld extends World {
  /** Move the domain clock forward, running everything that falls due meanwhile. */
  advanceClock(seconds: number): Promise<void>;
  /** Move the clock to the next instant at this time of day, UTC. */
  advanceClockTo(time: string): Promise<void>;
  /** Set the settings of first messages; null: none. `rest` sets other fields of the product's config. */
  setFirstMessages(settings: object | null, rest?: object): Promise<void>;
  setFollowUps(steps: readonly object[], more?: { is_enabled?: boolean; onNoReply?: boolean }): Promise<void>;
  setWorkingHours(start: string, end: string, zone?: string): Promise<void>;
  /** Create a lead that has not been contacted yet. */
  createLead(
    name: string,
    options?: { messenger?: 'whatsapp' | 'telegram'; zone?: string; productId?: number },
  ): Promise<TestLead>;
  /** Make these the product's only channels, with inbound messages enabled. */
  setChannels(...channels: number[]): Promise<void>;
  addPreparedMessage(message: string, type?: 'initial' | 'ping'): Promise<number>;
  addPrompt(text: string): Promise<number>;
  stageOf(leadId: number): Promise<string | undefined>;
  /** Read the reason that the plan last gave for a lead. */
  reasonOf(leadId: number): Promise<string | undefined>;
  /** List first messages and follow-ups that were sent, in order: when (domain clock), and to whom. */
  sentMessages(): Promise<{ at: string; lead: string; text: string; step: number | null }[]>;
  /** Delete leads, schedules, follow-ups and used quotas, and reset first-message settings, faults and time zones. */
  reset(): Promise<void>;
}

const OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };

/** Create a world with outreach. */
export async function createOutreachWorld(options: WorldOptions = {}): Promise<OutreachWorld> {
  const world = await createWorld(options);
  const { pool } = world;
  const settings = outreachSettings(world);
  return {
    ...world,
    ...movableClock(world),
    ...settings,
    ...outreachState(pool),
    async createLead(name, { zone, ...rest } = {}) {
      const lead = await world.lead(name, { stage: 'initial', dialogue: false, ...rest });
      if (zone !== undefined) await pool.query('update leads set timezone = $2 where id = $1', [lead.leadId, zone]);
      return lead;
    },
    async reset() {
      await world.control.setFaults([]);
      // An evaluation locks leads in their order, which this deletion does not keep.
      await world.drain();
      await pool.query(
        `with a as (delete from schedules), b as (delete from ping_configs), c as (delete from first_message_quota) delete from leads`,
      );
      await pool.query(`update outreach_products set last_first_message_at = null`);
      await pool.query(
        `update products set timezone = 'UTC', long_day_from = null, long_day_until = null, previous_limits = null, previous_limits_until = null`,
      );
      await settings.setFirstMessages(null);
      await world.drain();
    },
  };
}

type Part<Key extends keyof OutreachWorld> = Pick<OutreachWorld, Key>;

function movableClock(world: World): Part<'advanceClock' | 'advanceClockTo'> {
  async function advanceClock(seconds: number): Promise<void> {
    if (!world.app) throw new Error('No server in this world');
    await world.drain();
    await moveDomainClock(world.app.context, world.control, seconds);
    await world.drain();
  }
  return {
    advanceClock,
    async advanceClockTo(time) {
      const { rows } = await world.pool.query<{ seconds: number }>(
        `select extract(epoch from ((domain_now() at time zone 'UTC')::date + $1::time) - (domain_now() at time zone 'UTC'))::float8 as seconds`,
        [time],
      );
      const seconds = rows[0]?.seconds ?? 0;
      await advanceClock(seconds > 0 ? seconds : seconds + DAY);
    },
  };
}

/** Set what the product's outreach does, and add the texts for it. */
function outreachSettings(
  world: World,
): Part<'setFirstMessages' | 'setFollowUps' | 'setWorkingHours' | 'setChannels' | 'addPreparedMessage' | 'addPrompt'> {
  const { pool, productId } = world;
  return {
    async setFirstMessages(settings, rest = {}) {
      const config = {
        ...DEFAULT_PRODUCT_CONFIG,
        messaging_config: settings && {
          tg_daily_limit: 100,
          whatsapp_daily_limit: 100,
          add_interval_seconds: 0,
          add_interval_jitter_seconds: 0,
          initial_message_send_at: '10:30',
          initial_message_document_prompt_id: null,
          initial_message_prepared_message_id: null,
          initial_message_text: 'Good day!',
          ...settings,
        },
        ...rest,
      };
      await pool.query('update products set config = $2 where id = $1', [productId, config]);
    },
    async setFollowUps(steps, { is_enabled = true, onNoReply = true } = {}) {
      const config = {
        use_on_no_init_msg_reply: onNoReply,
        steps: steps.map((step, index) => ({
          step_number: index + 1,
          prepared_message_id: null,
          prompt_id: null,
          document_type: null,
          ...step,
        })),
      };
      await pool.query(
        `insert into ping_configs (product_id, is_enabled, config) values ($1, $2, $3)
         on conflict (product_id) do update set is_enabled = excluded.is_enabled, config = excluded.config`,
        [productId, is_enabled, config],
      );
    },
    async setWorkingHours(start, end, zone = 'UTC') {
      const day = { is_working_day: true, time_start: start, time_end: end };
      const days = start === end ? OFF : day;
      await pool.query(
        `insert into schedules (product_id, timezone, config) values ($1, $2, $3)
         on conflict (product_id) do update set timezone = excluded.timezone, config = excluded.config`,
        [productId, zone, { days: Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((key) => [key, days])) }],
      );
    },
    async setChannels(...channels) {
      await pool.query('delete from product_channels where product_id = $1', [productId]);
      await pool.query(
        'insert into product_channels (product_id, company_id, channel_id, inbound_enabled) select $1, $2, unnest($3::bigint[]), true',
        [productId, world.companyId, channels],
      );
    },
    async addPreparedMessage(message, type = 'ping') {
      const { rows } = await pool.query<{ id: string }>(
        `insert into prepared_messages (product_id, name, type, message) values ($1, 'Prepared ' || gen_random_uuid(), $3, $2) returning id`,
        [productId, message, type],
      );
      return Number(rows[0]?.id);
    },
    async addPrompt(text) {
      if (!world.app) throw new Error('No server in this world');
      const { createPrompt } = await import('../prompts/prompt.ts');
      return world.app.context.transact((tx) =>
        createPrompt(tx, { productId, name: 'Nudge', type: 'ping', text, author: 'test' }),
      );
    },
  };
}

/** Read what outreach did. */
function outreachState(pool: World['pool']): Part<'stageOf' | 'reasonOf' | 'sentMessages'> {
  return {
    async stageOf(leadId) {
      const { rows } = await pool.query<{ stage: string }>('select stage from leads where id = $1', [leadId]);
      return rows[0]?.stage;
    },
    async reasonOf(leadId) {
      const { rows } = await pool.query<{ code: string }>(
        `select reason->>'code' as code from outreach where lead_id = $1`,
        [leadId],
      );
      return rows[0]?.code;
    },
    async sentMessages() {
      const { rows } = await pool.query<{ at: Date; lead: string; text: string; step: number | null }>(
        `select m.sent_at as at, l.name as lead, m.message as text, m.ping_step_number as step
           from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
          where m.origin is not null and m.sent_at is not null order by m.sent_at, m.id`,
      );
      return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
    },
  };
}
