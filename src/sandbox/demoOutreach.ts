/** What the demo's later products send by themselves: working hours, first messages, follow-ups. */
import { sql } from 'kysely';
import { DEFAULT_DAYS } from '../outreach/schedule.ts';
import type { Tx } from '../platform/db.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { DEMO_LOGIN } from './demoOperator.ts';

const ZONE = 'Europe/Berlin';

/** Working hours of a product. */
export async function makeHours(tx: Tx, productId: number): Promise<void> {
  await sql`insert into schedules (product_id, timezone, config)
            values (${productId}, ${ZONE}, ${JSON.stringify({ days: DEFAULT_DAYS })}::jsonb)`.execute(tx);
}

/** First messages under small limits, and two follow-ups: one prepared, one that a model writes. */
export async function makeOutreach(tx: Tx, productId: number): Promise<void> {
  const prepared = async (name: string, type: 'initial' | 'ping', message: string): Promise<number> => {
    const { rows } = await sql<{ id: number }>`
      insert into prepared_messages (product_id, name, type, message) values (${productId}, ${name}, ${type}, ${message}) returning id`.execute(
      tx,
    );
    return rows[0]?.id ?? 0;
  };
  const hello = await prepared(
    'Good day',
    'initial',
    'Good day, {{ lead.name }}! This is Lindgren Studio: you asked us about a wardrobe. How wide is the niche?',
  );
  const still = await prepared('Still interested?', 'ping', '{{ lead.name }}, is a wardrobe still on your mind?');
  const nudge = await createPrompt(tx, {
    productId,
    name: 'One more try',
    type: 'ping',
    author: DEMO_LOGIN,
    text: `You are Oskar of Lindgren Studio. {{ lead.name }} has not answered for some days.
Write one short and friendly message that gives a reason to answer.

# Facts
- A free measuring is possible on any weekday this week.`,
  });
  const messaging = {
    tg_daily_limit: 10,
    whatsapp_daily_limit: 10,
    add_interval_seconds: 300,
    add_interval_jitter_seconds: 60,
    initial_message_send_at: '08:00',
    initial_message_document_prompt_id: null,
    initial_message_prepared_message_id: hello,
    initial_message_text: null,
  };
  await sql`
    update products set config = ${JSON.stringify({ lead_expires_in_hours: 24 * 30, models_config: null, messaging_config: messaging })}::jsonb
     where id = ${productId}`.execute(tx);
  const step = (step_number: number, after_minutes: number, source: object) => ({
    step_number,
    after_minutes,
    prepared_message_id: null,
    prompt_id: null,
    document_type: null,
    ...source,
  });
  const steps = [step(1, 24 * 60, { prepared_message_id: still }), step(2, 3 * 24 * 60, { prompt_id: nudge })];
  await sql`
    insert into ping_configs (product_id, is_enabled, config)
    values (${productId}, true, ${JSON.stringify({ steps, use_on_no_init_msg_reply: true })}::jsonb)`.execute(tx);
}

/** What was said before the demo began is left alone: nobody is followed up for it, and nobody expires. */
export async function leaveThePastAlone(tx: Tx): Promise<void> {
  await sql`update dialogues set skip_ping_for_msg_id = last_bot_msg_id where last_bot_msg_id is not null`.execute(tx);
}
