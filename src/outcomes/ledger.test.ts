/** The ledger of outcomes on the real engine, with a moved clock. Each test ends with a recount of all rows. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeLeadStage, leads } from '../leads/contract.ts';
import type { AnswerOf } from '../platform/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';
import { listOutcomes, readOutcomeStrip } from './outcomeContract.ts';
import { countHistory, findLedgerDifferences } from './store/ledger.ts';

let world: OutreachWorld;
let anna: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  anna = await world.operator('anna');
});
afterAll(() => world.close());
beforeEach(() => world.reset());
afterEach(async () => expect((await findLedgerDifferences(world.pool)).differences).toEqual([]));

type Row = Readonly<Record<string, unknown>>;

/** The rows of a lead's attempts, oldest first. */
async function attempts({ leadId }: TestLead): Promise<Row[]> {
  const { rows } = await world.pool.query<Row>('select * from outcomes where lead_id = $1 order by attempt', [leadId]);
  return rows;
}

async function move({ leadId }: TestLead, stage: string): Promise<void> {
  const { status } = await anna.call(changeLeadStage, {
    params: { id: leadId },
    query: { new_stage: stage as 'success', update_in_crm: false },
  });
  expect(status).toBe(200);
}

/** A lead that got a first message a moment ago. */
async function writtenLead(name: string): Promise<TestLead> {
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:59');
  const lead = await world.createLead(name);
  await world.advanceClock(2 * 60);
  await world.drain();
  return lead;
}

describe('an attempt', () => {
  it('begins with its first message, not with the lead', async () => {
    await world.setFirstMessages(null);
    const lead = await world.createLead('Nobody wrote');
    expect(await attempts(lead)).toMatchObject([{ attempt: 1, started_at: null, sent: 0, received: 0 }]);
  });

  it('tells what was written, delivered, read and answered', async () => {
    await world.setFollowUps([
      { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
    ]);
    const lead = await writtenLead('Talks');
    expect(await attempts(lead)).toMatchObject([
      { started_by: 'us', sent: 1, received: 0, answered_at: null, outcome: null },
    ]);
    await world.advanceClock(70 * 60);
    await world.drain();
    await lead.writes('Сколько стоит доставка?');
    await world.drain();
    const [row, ...others] = await attempts(lead);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      sent: 3,
      received: 1,
      steps: 1,
      language: 'ru',
      last_author: 'bot',
      qualified_at: null,
    });
    for (const name of [
      'written_at',
      'delivered_at',
      'read_at',
      'answered_at',
      'replied_at',
      'text_message_id',
      'prompt_id',
    ])
      expect([name, row?.[name]]).not.toEqual([name, null]);
    expect(Object.values(row?.['answers'] ?? {})).toEqual([1]);
    const { rows } = await world.pool.query(
      'select step, answered_at, opted_out from outcome_steps where lead_id = $1',
      [lead.leadId],
    );
    expect(rows).toEqual([{ step: 1, answered_at: row?.['answered_at'], opted_out: false }]);
  });

  it('ends with a final stage, and goes on when the stage is changed back', async () => {
    const lead = await writtenLead('Qualifies');
    await lead.writes('I want to pay');
    await world.drain();
    await move(lead, 'pending');
    await move(lead, 'success');
    expect(await attempts(lead)).toMatchObject([
      { outcome: 'success', ended_by: 'anna', qualified_at: expect.anything() },
    ]);
    await lead.writes('Thank you');
    await world.drain();
    await move(lead, 'ongoing');
    expect(await attempts(lead)).toMatchObject([{ outcome: null, ended_at: null, qualified_at: null, received: 2 }]);
  });

  it('is followed by another one when the lead comes back, or is written to anew', async () => {
    const lead = await writtenLead('Comes back');
    await move(lead, 'refused');
    await world.advanceClock(30 * DAY);
    await lead.writes('I have thought about it');
    await world.drain();
    expect(await attempts(lead)).toMatchObject([
      { outcome: 'refused', received: 0 },
      { started_by: 'lead', outcome: null, received: 1 },
    ]);
    await move(lead, 'failed');
    await move(lead, 'initial');
    expect((await attempts(lead)).map(({ outcome }) => outcome)).toEqual(['refused', 'failed', null]);
  });

  it('has the source of the first one, though we have begun it', async () => {
    const lead = await world.createLead('Wrote first');
    await lead.writes('Hello');
    await world.drain();
    await move(lead, 'failed');
    await move(lead, 'initial');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, origin, thread_at, sent_at)
       select d.product_id, d.contact_id, d.id, d.channel_id, 'Good day!', 'bot', 'bot', 'sent', 'first', domain_now(), domain_now()
         from dialogues d join contacts c on c.id = d.contact_id where c.lead_id = $1`,
      [lead.leadId],
    );
    expect(await attempts(lead)).toMatchObject([
      { started_by: 'lead', source: 'inbound' },
      { started_by: 'us', source: 'inbound', sent: 1 },
    ]);
  });

  it('notes who opted out', async () => {
    await world.setFollowUps([
      { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
    ]);
    const lead = await writtenLead('Leaves');
    await world.advanceClock(70 * 60);
    await world.drain();
    await lead.writes('Stop writing to me');
    await world.drain();
    expect(await attempts(lead)).toMatchObject([{ opted_out_at: expect.anything() }]);
    const { rows } = await world.pool.query('select opted_out from outcome_steps where lead_id = $1', [lead.leadId]);
    expect(rows).toEqual([{ opted_out: true }]);
  });

  it('loses what is removed with a contact, and goes with its lead', async () => {
    const lead = await writtenLead('Vanishes');
    await world.pool.query('delete from contacts where id = $1', [lead.contactId]);
    expect(await attempts(lead)).toMatchObject([{ started_at: null, sent: 0 }]);
    expect((await anna.call(leads.remove, { params: { id: lead.leadId } })).status).toBeLessThan(300);
    expect(await attempts(lead)).toEqual([]);
  });
});

describe('two weeks in which everything happens', () => {
  /** Numbers of a fixed sequence, below `limit`. */
  function sequence(seed: number): (limit: number) => number {
    let state = seed;
    return (limit) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
  }

  it('leave the rows that a recount has, and counts of them', async () => {
    const { pool, control, productId, whatsapp } = world;
    const next = sequence(20_261_123);
    const text = await world.addPreparedMessage('Still there?');
    await world.setFollowUps([
      { after_minutes: 60, prepared_message_id: text },
      { after_minutes: 600, prepared_message_id: text },
    ]);
    await world.setFirstMessages({ initial_message_send_at: '08:00' }, { lead_expires_in_hours: 60 });
    const people: TestLead[] = [];
    const lead = (): TestLead => people[next(people.length)] as TestLead;
    const imported = async ({ leadId }: TestLead) => {
      await pool.query(
        `with i as (insert into lead_imports (product_id, name, import_key) values ($1, 'Fair', gen_random_uuid()) returning id)
         update leads set import_id = i.id from i where leads.id = $2`,
        [productId, leadId],
      );
    };
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      write: () => lead().writes(['Сколько стоит?', 'I want to pay', 'Call me, please', '123'][next(4)] ?? ''),
      optOut: () => lead().writes('Stop writing to me'),
      end: () => move(lead(), ['success', 'refused', 'failed', 'ignore'][next(4)] ?? ''),
      back: () => move(lead(), ['initial', 'started', 'ongoing', 'pending'][next(4)] ?? ''),
      takeOver: () => control.type(lead().address, { channelId: whatsapp.ref, text: 'Oleg here' }),
      edit: () => pool.query('update prompts set version = version + 1 where product_id = $1', [productId]),
      fault: () => control.setFaults([{ kind: 'wazzup24.fail_before', times: 1 }]),
      remove: () => pool.query('delete from dialogues where contact_id = $1', [lead().contactId]),
      import: () => imported(lead()),
      card: () => pool.query('update leads set crm_id = id::text where id = $1', [lead().leadId]),
      postpone: () =>
        pool.query(
          `update messages m set sent_at = m.sent_at - interval '3 hours' from contacts c
            where c.id = m.contact_id and c.lead_id = $1 and m.side = 'bot' and m.status in ('sent', 'delivered', 'read')`,
          [lead().leadId],
        ),
    };
    const names = Object.keys(acts);
    for (let day = 0; day < 14; day++) {
      if (day < 6) people.push(await world.createLead(`Person ${day}`));
      for (let count = 0; count < 4; count++) {
        // Writing is as frequent as everything else.
        await acts[next(2) === 0 ? 'write' : (names[next(names.length)] ?? 'write')]?.();
        await world.advanceClock(next(6) * 3600);
        await world.drain();
      }
      await world.advanceClockTo('08:01');
      await world.drain();
    }
    const { rows: kinds } = await pool.query<Record<string, number>>(
      `select count(*) filter (where attempt > 1)::int as others, count(outcome)::int as ended, count(*) filter (where steps > 0)::int as steps,
              count(*) filter (where source = 'import')::int as imported, count(opted_out_at)::int as opted_out from outcomes`,
    );
    expect(Object.entries(kinds[0] ?? {}).filter(([, count]) => count === 0)).toEqual([]);
    const query = { product_id: productId };
    const strip = await anna.call(readOutcomeStrip, { query });
    const list = (await anna.call(listOutcomes, { query: { ...query, limit: 100 } })).body as AnswerOf<
      typeof listOutcomes
    >;
    const answered = list.items.filter((row) => row.answered_at !== null).length;
    expect(strip.body).toMatchObject({ current: { attempts: list.total, answered } });
  });
});

/** Statements that each change rows of many leads, of those with these dialogues. */
const OF_MANY = {
  inbound: `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id, thread_at, sent_at)
    select product_id, contact_id, id, channel_id, 'How much is it?', 'user', 'lead', 'inbound', gen_random_uuid()::text, domain_now(), domain_now()
      from dialogues where id = any($1)`,
  burst: `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id, thread_at, sent_at)
    select product_id, contact_id, id, channel_id, 'And when?', 'user', 'lead', 'inbound', gen_random_uuid()::text, domain_now() - ago, domain_now() - ago
      from dialogues, (values (interval '1 hour'), (interval '0')) as t (ago) where id = any($1)`,
  failed: `update messages set status = 'error' where dialogue_id = any($1) and status = 'sent' and id % 2 = 0`,
  repeated: `update messages set status = case status when 'error' then 'sent' else status end,
           sent_at = case status when 'error' then domain_now() else sent_at - interval '1 minute' end
    where dialogue_id = any($1) and side = 'bot' and status in ('error', 'read')`,
  sent: `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, prompt_id, prompt_version, turn, thread_at, sent_at)
    select product_id, contact_id, id, channel_id, 'Ten days', 'bot', 'bot', 'sent', 1, id % 3, 1, domain_now(), domain_now()
      from dialogues where id = any($1)`,
  read: `update messages set status = 'read', sent_confirmation_at = domain_now(), read_at = domain_now()
    where dialogue_id = any($1) and status = 'sent'`,
  run: `insert into llm_runs (product_id, lead_id, purpose, name, model_vendor, model_name, execution_ms, cost)
    select d.product_id, c.lead_id, 'chatbot', 'Answer', 'chatgpt', 'gpt-5', 5, 0.25
      from dialogues d join contacts c on c.id = d.contact_id where d.id = any($1)`,
  refused: `insert into lead_events (lead_id, product_id, event_type, event_data)
    select c.lead_id, d.product_id, 'stage_changed', '{"from": "ongoing", "to": "refused", "by": "bot"}'
      from dialogues d join contacts c on c.id = d.contact_id where d.id = any($1)`,
  earlier: `update messages set sent_at = sent_at - interval '1 hour' where dialogue_id = any($1) and status = 'read'`,
  removed: `delete from messages where dialogue_id = any($1) and status = 'read' and id % 4 = 0`,
} as const;

/** Store leads in the middle of a conversation. Returns their dialogues. */
async function talkingLeads(count: number): Promise<number[]> {
  const { rows } = await world.pool.query<{ id: number }>(
    `with l as (insert into leads (product_id, name, stage) select $1, 'At once ' || n, 'ongoing' from generate_series(1, $3) n returning id, product_id),
          c as (insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
                select id, product_id, '+' || 79310000000 + id, 'whatsapp', (79310000000 + id)::text, true from l returning id, product_id, address)
     insert into dialogues (product_id, contact_id, channel_id, chat_id, address, owner, owner_since)
     select product_id, id, $2, address, address, 'human', domain_now() from c returning id`,
    [world.productId, world.whatsapp.id, count],
  );
  return rows.map(({ id }) => id);
}

it('of many rows, written by several connections at the same time, is that of a recount', async () => {
  const { pool } = world;
  const ids = await talkingLeads(12);
  const kinds = [
    'inbound',
    'sent',
    'read',
    'run',
    'burst',
    'refused',
    'inbound',
    'sent',
    'failed',
    'repeated',
    'earlier',
    'removed',
  ] as const;
  await Promise.all(
    [1, 2, 3, 4].map(async (writer) => {
      for (let step = 0; step < 30; step++)
        await pool.query(OF_MANY[kinds[(step * 7 + writer) % kinds.length] ?? 'inbound'], [
          ids.filter((_id, place) => (place + step * writer) % 3 > 0),
        ]);
    }),
  );
  const { rows: counts } = await pool.query<Record<'others' | 'received' | 'written' | 'cost' | 'runs', number>>(
    `with d as (select d.id, c.lead_id from dialogues d join contacts c on c.id = d.contact_id where d.id = any($1))
     select count(*) filter (where attempt > 1)::int as others, sum(received)::int as received, sum(cost)::float8 as cost,
            (select count(*)::int from messages where side = 'user' and dialogue_id in (select id from d)) as written,
            (select count(*)::int from llm_runs where lead_id in (select lead_id from d)) as runs
       from outcomes where lead_id in (select lead_id from d)`,
    [ids],
  );
  const [count] = counts;
  expect(count?.others).toBeGreaterThan(0);
  expect(count?.received).toBe(count?.written);
  expect(count?.cost).toBe((count?.runs ?? 0) * 0.25);
});

it('has a reading that arrives while the only other message that was read is removed', async () => {
  const dialogue = [await talkingLeads(1)];
  for (const kind of ['sent', 'read', 'sent'] as const) await world.pool.query(OF_MANY[kind], dialogue);
  const remover = await world.pool.connect();
  await remover.query('begin');
  await remover.query("delete from messages where dialogue_id = any($1) and status = 'read'", dialogue);
  let isRead = false;
  const reading = world.pool.query(OF_MANY.read, dialogue).then(() => {
    isRead = true;
  });
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await world.waitUntil(
    async () => isRead || ((await world.pool.query(waits)).rowCount ?? 0) > 0,
    'the reading is stored, or waits for the removal',
  );
  await remover.query('commit');
  remover.release();
  await reading;
});

describe('history', () => {
  it('is counted as it would have been', async () => {
    const lead = await writtenLead('Has a past');
    await lead.writes('How much is it?');
    await world.drain();
    await move(lead, 'refused');
    await world.advanceClock(30 * DAY);
    await lead.writes('I have thought about it');
    await world.drain();
    await move(lead, 'success');
    const select = "select to_jsonb(o) - 'id' as row from outcomes o order by lead_id, attempt";
    const before = (await world.pool.query(select)).rows;
    expect(before.some(({ row }) => row.attempt > 1)).toBe(true);
    for (const table of ['leads', 'messages', 'lead_events', 'llm_runs'])
      await world.pool.query(`update ${table} set attempt = 1`);
    await world.pool.query('delete from outcomes');
    await world.pool.query(
      'insert into outcomes (lead_id, attempt, product_id, is_stale) select id, 1, product_id, true from leads',
    );
    await world.waitUntil(
      async () => (await world.pool.query('select from outcomes where is_stale')).rowCount === 0,
      'the history to be counted',
    );
    expect((await world.pool.query(select)).rows).toEqual(before);
  });

  it('begins another attempt for a lead who comes back while it is counted', async () => {
    const lead = await writtenLead('Comes back meanwhile');
    await lead.writes('How much is it?');
    await world.drain();
    await move(lead, 'refused');
    const before = await attempts(lead);
    await uncount(lead);
    const { storing } = await countMeanwhile(
      lead,
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, kind, side, author, status, ext_id, thread_at, sent_at)
       select m.product_id, m.contact_id, m.dialogue_id, m.channel_id, 'I have thought about it', 'text', 'user', 'lead', 'inbound', 'back', domain_now(), domain_now()
         from messages m join contacts c on c.id = m.contact_id where c.lead_id = $1 and m.side = 'user'`,
    );
    await storing;
    expect(await attempts(lead)).toMatchObject([
      { attempt: 1, received: before[0]?.['received'], outcome: 'refused' },
      { attempt: 2, received: 1, started_by: 'lead', outcome: null },
    ]);
  });

  it('has the run of a lead who came back, stored while it is counted, in the last attempt', async () => {
    const lead = await writtenLead('Came back before');
    await lead.writes('How much is it?');
    await world.drain();
    await move(lead, 'refused');
    await world.advanceClock(30 * DAY);
    await lead.writes('I have thought about it');
    await world.drain();
    await uncount(lead);
    const { storing } = await countMeanwhile(lead, STORE_RUN);
    await storing;
    expect((await attempts(lead)).map(({ cost }) => Number(cost) >= 0.5)).toEqual([false, true]);
  });

  it('has the event of a lead who came back, stored while it is counted, in the last attempt', async () => {
    const lead = await writtenLead('Came back and asked for a person');
    await lead.writes('How much is it?');
    await world.drain();
    await move(lead, 'refused');
    await world.advanceClock(30 * DAY);
    await lead.writes('I have thought about it');
    await world.drain();
    await uncount(lead);
    const { storing } = await countMeanwhile(
      lead,
      `insert into lead_events (lead_id, product_id, event_type, event_data) select id, product_id, 'handed_over', '{}' from leads where id = $1`,
    );
    await storing;
    expect((await attempts(lead)).map((row) => row['handed_over_at'] !== null)).toEqual([false, true]);
  });

  it('has the cost of a run that is stored while it is counted', async () => {
    const lead = await writtenLead('Talks meanwhile');
    await uncount(lead);
    const { storing } = await countMeanwhile(lead, STORE_RUN);
    await storing;
    expect((await attempts(lead)).map(({ cost }) => Number(cost))).toEqual([0.5]);
  });
});

const STORE_RUN = `insert into llm_runs (product_id, lead_id, purpose, name, model_vendor, model_name, execution_ms, cost)
  select product_id, id, 'chatbot', 'Answer', 'chatgpt', 'gpt-5', 5, 0.5 from leads where id = $1`;

/** Take the numbers of a lead's attempts away, which version 1.0.0 did not have. */
async function uncount({ leadId }: TestLead): Promise<void> {
  await world.pool.query('update leads set attempt = 1 where id = $1', [leadId]);
  await world.pool.query(
    'update messages set attempt = 1 where contact_id in (select id from contacts where lead_id = $1)',
    [leadId],
  );
  for (const table of ['lead_events', 'llm_runs'])
    await world.pool.query(`update ${table} set attempt = 1 where lead_id = $1`, [leadId]);
  await world.pool.query('delete from outcomes where lead_id = $1 and attempt > 1', [leadId]);
}

/** Count a lead's history while another transaction stores something, which is done or waits before the count commits. */
async function countMeanwhile({ leadId }: TestLead, statement: string): Promise<{ readonly storing: Promise<void> }> {
  const { app, pool } = world;
  if (!app) throw new Error('This world has a server');
  let isStored = false;
  return app.context.transact(async (tx) => {
    // The sweep leaves out a lead that is locked.
    await sql`select from leads where id = ${leadId} for update`.execute(tx);
    await pool.query(
      'update outcomes set is_stale = true, started_at = null, outcome = null, ended_at = null, ended_by = null where lead_id = $1',
      [leadId],
    );
    expect(await countHistory(tx, 1)).toBe(1);
    const storing = pool.query(statement, [leadId]).then(() => {
      isStored = true;
    });
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into %'`;
    await world.waitUntil(
      async () => isStored || (await pool.query(waiting)).rowCount === 1,
      'the row to be stored or to wait for the count',
    );
    return { storing };
  });
}
