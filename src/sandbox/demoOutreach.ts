/** Outreach of the demo's products: working hours, first messages, follow-ups. */
import { sql } from 'kysely';
import { DEFAULT_DAYS, type ScheduleDays } from '../outreach/schedule.ts';
import type { SequenceStep } from '../outreach/sequence.ts';
import type { Tx } from '../platform/db.ts';
import type { MessagingConfig } from '../products/contract.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { DEMO_LOGIN } from './demoOperator.ts';

/** A follow-up is a prepared message, or written by a prompt. */
type FollowUp = { readonly afterMinutes: number; readonly text: string } & (
  | { readonly name: string }
  | { readonly prompt: string }
);

/** Outreach settings of a demo product. */
export interface Outreach {
  readonly expiresHours: number;
  readonly messaging: Pick<
    MessagingConfig,
    | 'tg_daily_limit'
    | 'whatsapp_daily_limit'
    | 'add_interval_seconds'
    | 'add_interval_jitter_seconds'
    | 'initial_message_send_at'
  >;
  readonly first: { readonly name: string; readonly text: string };
  /** Another prepared message, for sending manually. */
  readonly spare?: { readonly name: string; readonly text: string };
  readonly followUps: readonly FollowUp[];
}

export interface Hours {
  readonly timezone: string;
  readonly days: ScheduleDays;
}

/** Monday to Friday, 09:00 to 18:00. */
export const OFFICE_HOURS: Hours = { timezone: 'Europe/Berlin', days: DEFAULT_DAYS };

export const WARDROBE_OUTREACH: Outreach = {
  expiresHours: 30 * 24,
  messaging: {
    tg_daily_limit: 10,
    whatsapp_daily_limit: 10,
    add_interval_seconds: 300,
    add_interval_jitter_seconds: 60,
    initial_message_send_at: '08:00',
  },
  first: {
    name: 'Good day',
    text: 'Good day, {{ lead.name }}! This is Lindgren Studio: you asked us about a wardrobe. How wide is the niche?',
  },
  followUps: [
    {
      afterMinutes: 24 * 60,
      name: 'Still interested?',
      text: '{{ lead.name }}, is a wardrobe still on your mind?',
    },
    {
      afterMinutes: 3 * 24 * 60,
      prompt: 'One more try',
      text: `You are Oskar of Lindgren Studio. {{ lead.name }} has not answered for some days.
Write one short and friendly message that gives a reason to answer.

# Facts
- A free measuring is possible on any weekday this week.`,
    },
  ],
};

/** Rows that past messages were made from. */
export interface OutreachRows {
  readonly firstId: number;
  readonly configId: number;
  readonly steps: readonly SequenceStep[];
  /** Prompts of steps, by id. */
  readonly prompts: ReadonlyMap<number, { readonly name: string; readonly text: string }>;
}

/** Create the working hours of a product. */
export async function createSchedule(tx: Tx, productId: number, { timezone, days }: Hours): Promise<void> {
  await sql`insert into schedules (product_id, timezone, config)
            values (${productId}, ${timezone}, ${JSON.stringify({ days })}::jsonb)`.execute(tx);
}

/** Create the limits, the first message and the follow-ups of a product. */
export async function createOutreach(tx: Tx, productId: number, outreach: Outreach): Promise<OutreachRows> {
  const prepare = (type: 'initial' | 'ping', { name, text }: { name: string; text: string }) =>
    idOf(
      tx,
      sql`insert into prepared_messages (product_id, name, type, message, created_at)
          values (${productId}, ${name}, ${type}, ${text}, domain_now() - interval '60 days') returning id`,
    );
  const firstId = await prepare('initial', outreach.first);
  if (outreach.spare) await prepare('initial', outreach.spare);
  const messaging: MessagingConfig = {
    ...outreach.messaging,
    initial_message_document_prompt_id: null,
    initial_message_prepared_message_id: firstId,
    initial_message_text: null,
  };
  const config = { lead_expires_in_hours: outreach.expiresHours, models_config: null, messaging_config: messaging };
  await sql`update products set config = ${JSON.stringify(config)}::jsonb where id = ${productId}`.execute(tx);
  const steps: SequenceStep[] = [];
  const prompts = new Map<number, { name: string; text: string }>();
  for (const [index, one] of outreach.followUps.entries()) {
    const step = { step_number: index + 1, after_minutes: one.afterMinutes, document_type: null };
    if ('prompt' in one) {
      const promptInput = { productId, name: one.prompt, type: 'ping', author: DEMO_LOGIN, text: one.text } as const;
      const promptId = await createPrompt(tx, promptInput);
      const since = sql`domain_now() - interval '60 days'`;
      await sql`update prompts set created_at = ${since}, saved_at = ${since} where id = ${promptId}`.execute(tx);
      await sql`update prompt_versions set created_at = ${since} where prompt_id = ${promptId}`.execute(tx);
      prompts.set(promptId, promptInput);
      steps.push({ ...step, prepared_message_id: null, prompt_id: promptId });
    } else steps.push({ ...step, prepared_message_id: await prepare('ping', one), prompt_id: null });
  }
  const configId = await idOf(
    tx,
    sql`insert into ping_configs (product_id, is_enabled, config)
        values (${productId}, true, ${JSON.stringify({ steps, use_on_no_init_msg_reply: true })}::jsonb) returning id`,
  );
  return { firstId, configId, steps, prompts };
}

/** Skip the follow-ups of all messages from before the demo's creation. */
export async function skipPastFollowUps(tx: Tx, productIds: readonly number[]): Promise<void> {
  await sql`update dialogues set skip_ping_for_msg_id = last_bot_msg_id
             where last_bot_msg_id is not null and product_id = any(${[...productIds]}::bigint[])`.execute(tx);
}

/** Return the id that a statement returns. */
export async function idOf(tx: Tx, statement: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await (statement as ReturnType<typeof sql<{ id: number }>>).execute(tx);
  const [row] = rows;
  if (!row) throw new Error('No row');
  return row.id;
}
