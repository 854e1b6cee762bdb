import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, type World } from '../testing/world.ts';
import { connectDemo, seedDemo } from './demo.ts';
import { PRODUCTS } from './demoContent.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { insertRows } from './demoTables.ts';
import { answerTo } from './emulators/model/answer.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  if (!world.app) throw new Error('This world has a server');
  await seedDemo(world.app.context, { hasHistory: false });
  await connectDemo(world.app.context, world.control);
});
afterAll(() => world.close());

const DEMO = `select p.id from products p join companies c on c.id = p.company_id where c.name = 'Lindgren Studio'`;

async function rows<T>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await world.pool.query(text, values)).rows;
}
/** `label → count`, by label. */
async function counts(expression: string, from: string): Promise<Record<string, number>> {
  const found = await rows<{ label: unknown; count: string }>(
    `select ${expression} as label, count(*) from ${from} where t.product_id in (${DEMO}) group by 1`,
  );
  return Object.fromEntries(found.map((one) => [String(one.label), Number(one.count)]));
}

describe('the demo', () => {
  it('is made once', async () => {
    // Not messages and runs: the engine is already at work on what the demo left to do.
    const tables = ['companies', 'products', 'prompts', 'prepared_messages', 'channels', 'leads', 'contacts'];
    const all = () =>
      Promise.all(tables.map(async (table) => (await rows(`select count(*), max(id) from ${table}`))[0]));
    const before = await all();
    if (!world.app) throw new Error('This world has a server');
    await seedDemo(world.app.context, { hasHistory: false });
    await connectDemo(world.app.context, world.control);
    expect(await all()).toEqual(before);
  });

  it('leaves the planner with the sizes of its tables', async () => {
    const never = await rows(
      "select relname from pg_class where relname in ('leads', 'dialogues', 'messages', 'llm_runs') and reltuples <= 0",
    );
    expect(never).toEqual([]);
  });

  it('can lack the rows of a table, as those of an experiment’s analyses before the first', async () => {
    await world.app?.context.transact(async (tx) => {
      const count = async () => (await sql`select 1 from experiment_analyses`.execute(tx)).rows.length;
      const before = await count();
      await insertRows(tx, 'experiment_analyses', []);
      expect(await count()).toBe(before);
    });
  });

  it('has leads in every stage, six zones, both messengers', async () => {
    const stages = await counts('t.stage', 'leads t');
    expect(Object.keys(stages)).toHaveLength(8);
    expect(Object.keys(await counts('t.timezone', 'leads t')).length).toBeGreaterThanOrEqual(7);
    const { whatsapp = 0, telegram = 0 } = await counts('t.contact_type', 'contacts t');
    expect([whatsapp + telegram, whatsapp > telegram, telegram >= 14]).toEqual([92, true, true]);
    expect(await counts('t.is_active', 'leads t')).toEqual({ true: 88, false: 4 });
    expect(await counts('t.recognized_deactivation_request', 'leads t')).toEqual({ true: 2, false: 90 });
    const kinds = await rows<{ kind: string }>(
      `select distinct jsonb_typeof(f.value) as kind from leads t, jsonb_each(t.crm_fields) f where t.product_id in (${DEMO}) order by 1`,
    );
    expect(kinds.map((one) => one.kind)).toEqual(['array', 'number', 'string']);
  });

  it('shows every owner, author and outcome', async () => {
    const reasons = await counts('t.owner_reason', "(select * from dialogues where owner = 'human') t");
    const byBot = ['agrees_to_buy', 'asked_for_human', 'cannot_answer'];
    expect(Object.keys(reasons).toSorted()).toEqual([...byBot, 'operator', 'phone', 'qualified', 'writes_again']);
    const authors = Object.keys(await counts('t.author', 'messages t'));
    expect(authors.toSorted()).toEqual(['bot', 'lead', 'operator', 'phone']);
    const statuses = await counts('t.status', 'messages t');
    expect(statuses).toMatchObject({ error: 2, unconfirmed: 2, cancelled: 1, scheduled: 1 });
    const failures = `select status, error_code, reason from messages where status in ('error', 'unconfirmed') order by 1, 2`;
    const cut = 'No answer from the vendor: the connection was cut';
    const unconfirmed = { status: 'unconfirmed', error_code: null, reason: cut };
    expect(await rows(failures)).toEqual([
      { status: 'error', error_code: 'BAD_CONTACT', reason: 'There is no such user in this messenger' },
      { status: 'error', error_code: 'BAD_LINK', reason: 'The messenger does not accept the link in this message' },
      unconfirmed,
      unconfirmed,
    ]);
    expect(await counts('t.no_answer', 'dialogues t')).toMatchObject({ model: 2 });
    const [longest] = await rows<{ count: string; days: number }>(
      `select count(*), count(distinct thread_at::date)::int as days from messages group by dialogue_id order by 1 desc limit 1`,
    );
    expect(Number(longest?.count)).toBeGreaterThanOrEqual(60);
    expect(longest?.days).toBeGreaterThan(5);
  });

  it('agrees with itself', async () => {
    const wrong = (what: string, text: string) => rows(text).then((found) => expect(found, what).toEqual([]));
    await wrong(
      'the last words of a dialogue',
      `select d.id from dialogues d
        cross join lateral (select max(id) filter (where author = 'lead') as lead, max(thread_at) filter (where author = 'lead') as lead_at,
                                   max(id) filter (where author <> 'lead') as us, max(thread_at) as at, count(*) filter (where author = 'lead') as turns
                              from messages m where m.dialogue_id = d.id and m.status in ('inbound', 'sent', 'delivered', 'read')) m
       where (d.last_user_msg_id, d.last_user_msg_at, d.last_bot_msg_id, d.last_msg_created_at, d.turn)
             is distinct from (m.lead, m.lead_at, m.us, m.at, m.turns)`,
    );
    await wrong(
      'ids in the order of the conversation',
      `select id from (select id, lag(thread_at) over (partition by dialogue_id order by id) as before, thread_at from messages) m where before > thread_at`,
    );
    await wrong(
      'events lead to the stage',
      `select l.id from leads l left join lateral (select event_data->>'to' as stage from lead_events e
          where e.lead_id = l.id and e.event_type = 'stage_changed' order by e.id desc limit 1) e on true
        where l.product_id in (${DEMO}) and l.stage is distinct from coalesce(e.stage, case when exists (
          select 1 from contacts c join messages m on m.contact_id = c.id where c.lead_id = l.id) then 'ongoing' else 'initial' end)`,
    );
    await wrong(
      'who is switched off has the event',
      `select l.id from leads l where l.is_active = exists (select 1 from lead_events e where e.lead_id = l.id and e.event_type = 'deactivated')`,
    );
    await wrong(
      'what the bot may not be left to answer has a human, a reason or silence',
      `select d.id from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
        where d.owner = 'bot' and d.no_answer is null and l.is_active and l.stage not in ('refused', 'ignore', 'failed')
          and d.last_user_msg_id > coalesce(d.last_bot_msg_id, 0)`,
    );
  });

  it('shows the whole product on its first product', async () => {
    const operator = await world.operator();
    const [first] = await rows<{ id: string; reply_hours: string }>(
      `select id, reply_hours from products where id in (${DEMO}) order by id limit 1`,
    );
    const id = first?.id;
    expect(first?.reply_hours).toBe('any');
    const seen = async (text: string) => Number((await rows<{ count: string }>(text, [id]))[0]?.count);
    expect(await seen('select count(distinct stage) from leads where product_id = $1')).toBe(8);
    for (const [from, least] of [
      [`leads where stage = 'initial' and is_active`, 40],
      ['prepared_messages where true', 4],
      ['lead_documents where true', 4],
      ['document_prompts where true', 1],
      ['prompts where group_id is not null', 3],
      ['classification_results where true', 10],
      [`leads where tags <> '{}'`, 10],
      ['leads where owner_id is not null', 10],
      ['lead_imports where leads > 5', 2],
    ] as const)
      expect(await seen(`select count(*) from ${from} and product_id = $1`), from).toBeGreaterThanOrEqual(least);
    const versions = `select array_agg(v.author order by v.version) as authors, count(distinct v.text)::int as texts
      from prompt_versions v join prompts p on p.id = v.prompt_id where p.product_id = $1 and p.name = 'Kitchen consultant'`;
    const authors = ['demo', 'nora', 'felix', 'nora', 'demo'];
    expect(await rows(versions, [id])).toEqual([{ authors, texts: 5 }]);
    expect(await seen('select count(distinct status) from messages where product_id = $1')).toBe(8);
    const steps = await rows<{ step: number; answered: boolean }>(
      `select ping_step_number as step, bool_or(exists (select 1 from messages l where l.dialogue_id = m.dialogue_id and l.side = 'user' and l.id > m.id)) as answered
         from messages m where product_id = $1 and origin = 'ping' group by 1 order by 1`,
      [id],
    );
    expect(steps.map(({ step, answered }) => [step, answered])).toEqual([1, 2, 3].map((step) => [step, step < 3]));
    const costs = await rows<{ days: number; unpriced: number; purposes: string[] }>(
      `select count(distinct created_at::date)::int as days, count(*) filter (where cost is null and error is null)::int as unpriced,
              array_agg(distinct purpose) as purposes from llm_runs where product_id = $1 and purpose <> 'summary'`,
      [id],
    );
    expect(costs[0]).toMatchObject({ unpriced: 0, purposes: ['chatbot', 'classification', 'ping'] });
    expect(costs[0]?.days).toBeGreaterThan(7);

    const response = await operator.fetch(`/v1/outreach/rehearsal?product_id=${id}&days=30`);
    const day = z.object({ first: z.int(), ping: z.int() });
    const rehearsal = z.object({ days: z.array(day), silent: z.array(z.unknown()) });
    const { days, silent } = rehearsal.parse(await response.json());
    expect(days.reduce((sum, one) => sum + one.first, 0)).toBe(40);
    expect(days.filter((one) => one.first > 0).length).toBeGreaterThanOrEqual(4);
    expect(days.filter((one) => one.ping > 0).length).toBeGreaterThanOrEqual(8);
    expect(silent.length).toBeGreaterThan(3);
  });

  it('shows the whole inbox on its first product', async () => {
    await world.drain();
    const first = `(select min(id) from (${DEMO}) p)`;
    const ofFirst = (condition: string) =>
      `(select d.*, o.login from dialogues d left join operators o on o.id = d.assignee_id where d.product_id = ${first} and ${condition}) t`;
    expect(await counts('t.attention', ofFirst("d.inbox_state = 'needs_human'"))).toEqual({
      waiting_for_human: 3,
      asked_for_human: 1,
      says_deal: 2,
      no_answer: 2,
      send_failed: 1,
      unconfirmed: 1,
    });
    expect(await counts('t.inbox_state', ofFirst('true'))).toMatchObject({ snoozed: 2, done: 2 });
    const assigned = await counts('t.login', ofFirst("d.inbox_state = 'needs_human'"));
    expect(assigned).toEqual({ demo: 4, nora: 1, felix: 1, null: 4 });
    expect(Object.keys(await counts('t.operator', 'dialogue_notes t')).toSorted()).toEqual(['demo', 'felix', 'nora']);
    const returns = await rows<{ hours: number }>('select return_hours as hours from dialogues where return_hours > 0');
    expect(returns).toHaveLength(2);
    const audited = await rows<{ action: string }>(
      "select distinct action from audit where noun = 'dialogue' order by 1",
    );
    expect(audited.map(({ action }) => action)).toEqual(['assigned', 'done', 'return changed', 'snoozed']);
    const views = await rows('select distinct page, is_shared from saved_views order by 1, 2');
    expect(views).toEqual([
      { page: 'crm-dialogues', is_shared: true },
      { page: 'crm-leads', is_shared: false },
      { page: 'crm-leads', is_shared: true },
    ]);
  });

  it('hands over with summaries whose quotations the lead wrote', async () => {
    const open = await rows<{ name: string; state: string; quotes: number; wrong: number; lines: number }>(
      `select l.name, h.summary_state as state, jsonb_array_length(h.summary->'lines') as lines,
              jsonb_array_length(h.summary->'quotes') as quotes,
              (select count(*)::int from jsonb_array_elements(h.summary->'quotes') q where not exists (
                 select 1 from messages m where m.id = (q->>'message_id')::bigint and m.side = 'user'
                    and position(q->>'text' in m.message) > 0)) as wrong
         from hand_overs h join leads l on l.id = h.lead_id join dialogues d on d.id = h.dialogue_id
        where d.hand_over_open order by 1`,
    );
    expect(open.map(({ name, state, wrong }) => [name, state, wrong])).toEqual(
      ['Bruno Wackelpudding', 'Cosima Teelicht', 'Flora Gingersnap', 'Greta Apfelkuchen'].map((name) => [
        name,
        'done',
        0,
      ]),
    );
    for (const { lines, quotes } of open) expect(Math.min(lines, quotes)).toBeGreaterThan(0);
    const texts = await rows("select distinct m.message from messages m where m.origin = 'hand_over'");
    expect(texts).toEqual([{ message: 'One moment please, a colleague will answer you here.' }]);
  });

  it('shows on a phone what was said, and no medium twice', async () => {
    const operator = await world.operator();
    const [phone] = await rows<{ id: string }>(
      `select c.id from contacts c join leads l on l.id = c.lead_id where l.name = 'Ivy Quillfeather'`,
    );
    const { items } = await (await operator.fetch(`/sandbox/phones/${phone?.id}`)).json();
    expect(items.length).toBeGreaterThanOrEqual(60);
    expect(items[0]).toMatchObject({ from: 'us', text: expect.stringContaining('Hello Ivy') });
    expect(items.filter((one: { kind: string }) => one.kind !== 'text')).not.toEqual([]);
    expect(items.filter((one: { text: string }) => one.text.startsWith('['))).toEqual([]);
  });

  it('shows the run behind recent answers, and says whose model it was', async () => {
    const runs = await rows<{ isShown: boolean }>(
      `select r.metadata->>'system_fingerprint' = 'sandbox' and m.rendered_prompt like '%Lindgren Studio%'
              and r.token_input_usage > 100 as "isShown" from llm_runs r join messages m on m.id = r.message_id`,
    );
    expect(runs.length).toBeGreaterThan(20);
    expect(runs.every(({ isShown }) => isShown)).toBe(true);
  });

  it('does nothing by itself', async () => {
    await world.drain();
    const due = await rows(
      `select 1 from messages where status = 'scheduled' and scheduled_at <= domain_now() union all select 1 from dialogues where turn_due_at is not null`,
    );
    expect(due).toEqual([]);
    expect(await world.control.entriesOf('reached')).toEqual([]);
    expect(await rows('select 1 from inbox')).toEqual([]);
  });

  it.each(['whatsapp', 'telegram'] as const)('answers a lead who writes on %s', async (messenger) => {
    const [lead] = await rows<{ address: string; ref: string }>(
      `select t.address, h.vendor_ref as ref from contacts t join leads l on l.id = t.lead_id join dialogues d on d.contact_id = t.id join channels h on h.id = d.channel_id
        where t.contact_type = $1 and l.stage = 'ongoing' and l.is_active and d.owner = 'bot' and d.no_answer is null
          and t.product_id = (select min(id) from (${DEMO}) p) order by d.last_msg_created_at desc limit 1`,
      [messenger],
    );
    if (!lead) throw new Error('Such a lead is in the demo');
    await world.control.write(lead.address, { channelId: lead.ref, text: 'And what about the warranty? Гарантия?' });
    await world.drain();
    const seen = (await world.control.thread(lead.address)).messages;
    expect(seen.map((one) => one.author)).toEqual(['lead', 'api']);
    expect(seen[1]?.text).toMatch(/ten years|десять лет/);
  });

  it('reaches a lead in a dialogue that the emulators have not seen', async () => {
    const operator = await world.operator();
    const [dialogue] = await rows<{ id: number; product_id: number; contact_id: number; address: string }>(
      `select t.id::int, t.product_id::int, t.contact_id::int, t.address from dialogues t join leads l on l.name = 'Fritz Regenbogen'
         join contacts c on c.lead_id = l.id and c.id = t.contact_id`,
    );
    if (!dialogue) throw new Error('Fritz is in the demo');
    const { id, address, ...place } = dialogue;
    // The product keeps working hours, so the test disables them.
    const flags = { delay_enabled: false, schedule_enabled: false };
    const answer = await operator.fetch('/v1/messages/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...place, dialogue_id: id, message: 'Hello Fritz', ...flags }),
    });
    expect(answer.status).toBe(201);
    await world.drain();
    expect((await world.control.thread(address)).messages.map((one) => one.text)).toEqual(['Hello Fritz']);
  });
});

describe('the prompts', () => {
  const ask = (product: number, content: string): string => {
    const system = { role: 'system' as const, content: PRODUCTS[product]?.prompt ?? '' };
    return answerTo({ model: 'sandbox-gpt', messages: [system, { role: 'user', content }] }).text;
  };

  it.each([
    [0, 'How much does a kitchen cost?', '4,200 euros'],
    [0, 'How long will it take?', 'four to six weeks'],
    [0, 'What about the warranty?', 'ten years'],
    [0, 'Where is your showroom?', 'Juniper Street'],
    [0, 'Can you take away my old kitchen?', '250 euros'],
    [0, 'Сколько стоит кухня?', '4 200 евро'],
    [0, 'Есть доставка?', '100 км'],
    [0, 'Можно в рассрочку?', 'три части'],
    [1, 'How can I pay?', 'by card'],
    [1, 'Can it go under a sloping roof?', 'sloping roofs'],
    [2, 'Is there a discount for 25?', '12 %'],
    [2, 'Which colours do the chairs have?', 'moss green'],
  ] as const)('product %i: %s', (product, asked, answer) => {
    expect(ask(product, asked)).toContain(answer);
  });

  it('are signed by the demo operator', async () => {
    expect(await rows(`select distinct author from prompts t where t.product_id in (${DEMO})`)).toEqual([
      { author: DEMO_LOGIN },
    ]);
  });
});
