/**
 * A person is in one arm and counts once, whatever is edited. Random histories on a real database: leads and contacts come,
 * move and go, prompts are edited, experiments start and stop, first messages are claimed and answers made.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { variantsOfAnswer } from '../experiments/assign.ts';
import { claimBatch } from '../outreach/claimFirstMessages.ts';
import { evaluateDue } from '../outreach/evaluateDue.ts';
import { readFirstTextSources } from '../outreach/messageText.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import { checkNextExperiment } from './checkExperiment.ts';
import { type Experiment, experiments, startExperiment, stopExperiment } from './experimentContract.ts';

let world: OutreachWorld;
let admin: Client;
let context: AppContext;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('There is no server');
  ({ context } = world.app);
  admin = await world.operator('root');
});
afterAll(() => world.close());

const ADDRESSES = ['79001110001', '79001110002', '79001110003', '79001110004', '79001110005'];
const place = fc.nat(5);
const address = fc.constantFrom(...ADDRESSES);
const kind = fc.constantFrom('first_text', 'prompt');

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('lead' as const), address }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('contact' as const), lead: place, address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), contact: place, lead: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), contact: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), lead: place }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), lead: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('exchange' as const), lead: place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('start' as const), kind, part: fc.constantFrom(1, 0.6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), kind }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('check' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A first message goes with its contact, its experiment ends, and another contact of the lead gets one. */
const ENDED_BETWEEN: Step[] = [
  { do: 'start', kind: 'first_text', part: 1 },
  { do: 'lead', address: '79001110001' },
  { do: 'send' },
  { do: 'stop', kind: 'first_text' },
  { do: 'remove', contact: 0 },
  { do: 'contact', lead: 0, address: '79001110003' },
  { do: 'send' },
];

/** What a lead was answered with: the text of an arm, or null for the product's. */
interface Answer {
  readonly lead: number;
  readonly text: string | null;
}

const textOf = (experiment: number, arm: number): string => `Experiment ${experiment}, arm ${arm}`;

it('counts a person once, in one arm, and sends nobody what is not of its arm', async () => {
  let nr = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 45 }), async (steps) => {
      await clear();
      const answers: Answer[] = [];
      for (const one of steps) await carryOut(one, answers, () => ++nr);
      await check();
      await expectOnePersonCountsOnce();
      await expectTextsOfArms(answers);
    }),
    { numRuns: process.env['RAPPORT_TESTS'] === 'all' ? 200 : 25, examples: [[ENDED_BETWEEN]] },
  );
});

async function clear(): Promise<void> {
  await world.pool.query('delete from experiments');
  await world.pool.query(
    'with a as (delete from first_messages), b as (delete from first_message_quota) delete from leads',
  );
  await world.setFirstMessages({ initial_message_send_at: '00:00', initial_message_text: 'Plain' });
}

const ids = async (text: string, values: unknown[] = []): Promise<number[]> =>
  (await world.pool.query<{ id: string }>(text, values)).rows.map(({ id }) => Number(id));

/** Pick the row at a place, counted from the first one. */
async function pick(table: 'leads' | 'contacts', at: number): Promise<number | undefined> {
  const found = await ids(`select id from ${table} where product_id = $1 order by id`, [world.productId]);
  return found[at % Math.max(found.length, 1)];
}

async function carryOut(one: Step, answers: Answer[], next: () => number): Promise<void> {
  switch (one.do) {
    case 'lead': {
      const [lead] = await ids("insert into leads (product_id, name) values ($1, 'Lead') returning id", [
        world.productId,
      ]);
      return addContact(lead, one.address);
    }
    case 'contact':
      return addContact(await pick('leads', one.lead), one.address);
    case 'move': {
      const [contact, lead] = [await pick('contacts', one.contact), await pick('leads', one.lead)];
      await world.pool.query(
        `update contacts c set lead_id = $2 where id = $1
            and not exists (select from contacts o where o.lead_id = $2 and o.address = c.address)`,
        [contact, lead],
      );
      return;
    }
    case 'remove':
      await world.pool.query('delete from contacts where id = $1', [await pick('contacts', one.contact)]);
      return;
    case 'erase':
      await world.pool.query('delete from leads where id = $1', [await pick('leads', one.lead)]);
      return;
    case 'exchange':
      await world.pool.query(
        'update outcomes set started_at = domain_now() where lead_id = $1 and attempt = 1 and started_at is null',
        [await pick('leads', one.lead)],
      );
      return;
    case 'answer': {
      const lead = await pick('leads', one.lead);
      if (lead === undefined) return;
      const { prompt } = await variantsOfAnswer(context, { productId: world.productId, leadId: lead });
      answers.push({ lead, text: prompt?.text ?? null });
      if (prompt) await expectArmOfPerson(String(lead));
      return;
    }
    case 'send':
      return send();
    case 'start':
      return startOne(one.kind, one.part, next);
    case 'stop':
      for (const id of await ids("select id from experiments where kind = $1 and state = 'running'", [one.kind]))
        expect(await admin.call(stopExperiment, { params: { id } })).toMatchObject({ status: 200 });
      return;
    case 'edit':
      await world.pool.query(
        "update prompts set live_text = live_text || '!', live_version = live_version + 1 where type = 'ping'",
      );
      return;
    case 'check':
      return check();
    default:
      one satisfies never;
  }
}

async function addContact(lead: number | undefined, one: string): Promise<void> {
  await world.pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address)
     select id, product_id, $2, 'whatsapp', $2 from leads where id = $1 on conflict do nothing`,
    [lead, one],
  );
}

/** Claim the first messages that are due. */
async function send(): Promise<void> {
  await world.pool.query("update installation set clock_offset = clock_offset + interval '1 day'");
  await world.pool.query('update outreach set next_at = domain_now()');
  await evaluateDue(context, async () => undefined);
  const { productId } = world;
  const tools = { isStarted: () => false, start: () => false, queues: () => new Map(), wake: () => undefined };
  const sources = await readFirstTextSources(context.reader, productId);
  await claimBatch(context, { productId, sources, documents: new Map(), tools, limit: 8 });
}

/** Start an experiment whose arms have texts that tell where they are from, unless another one runs. */
async function startOne(of: string, part: number, next: () => number): Promise<void> {
  const nr = next();
  const arms = [];
  for (const [arm, name] of ['A', 'B', 'C'].entries()) {
    const text = textOf(nr, arm);
    const content =
      of === 'first_text'
        ? ({ source: 'text', text } as const)
        : ({ source: 'prompt', prompt_id: await world.addPrompt(text), prompt_version: 1 } as const);
    arms.push({ name, content });
  }
  const created = await admin.call(experiments.create, {
    body: {
      product_id: world.productId,
      name: `${nr}`,
      kind: of as 'prompt',
      base_rate: 0.2,
      difference: 0.1,
      part,
      arms,
    },
  });
  expect(created).toMatchObject({ status: 201 });
  const running = await ids("select id from experiments where kind = $1 and state = 'running'", [of]);
  const { id } = created.body as Experiment;
  const started = await admin.call(startExperiment, { params: { id } });
  expect(started.status).toBe(running.length > 0 ? 409 : 200);
}

async function check(): Promise<void> {
  await world.pool.query("update experiments set check_at = domain_now() where state = 'running'");
  while (await context.transact((tx) => checkNextExperiment(tx, context.config)));
}

/** Of running experiments: stopped ones are not looked at any more. */
async function expectOnePersonCountsOnce(): Promise<void> {
  const { rows: contacts } = await world.pool.query<{ lead_id: string; address: string }>(
    'select lead_id, address from contacts',
  );
  const { rows: counted } = await world.pool.query<{ experiment_id: string; lead_id: string }>(
    `select experiment_id, lead_id from experiment_assignments x join experiments e on e.id = x.experiment_id
      where excluded is null and arm is not null and e.state = 'running'`,
  );
  for (const [experiment, rows] of Map.groupBy(counted, (row) => row.experiment_id)) {
    const persons = rows.map((row) => [...leadsOfPerson(row.lead_id, contacts)].toSorted().join());
    expect([experiment, new Set(persons).size]).toEqual([experiment, persons.length]);
  }
}

/** A lead that has just been answered with its arm's prompt: no lead of the person was in another arm before. */
async function expectArmOfPerson(lead: string): Promise<void> {
  const { rows: contacts } = await world.pool.query<{ lead_id: string; address: string }>(
    'select lead_id, address from contacts',
  );
  const { rows: assigned } = await world.pool.query<{ lead: string; arm: number | null }>(
    `select x.lead_id as lead, x.arm from experiment_assignments x join experiments e on e.id = x.experiment_id
      where x.lead_id = any($1) and e.kind = 'prompt' and e.state = 'running' and x.excluded is distinct from 'united'
      order by x.id`,
    [[...leadsOfPerson(lead, contacts)]],
  );
  const own = assigned.findIndex((one) => one.lead === lead);
  expect(own).toBeGreaterThanOrEqual(0);
  expect(new Set(assigned.slice(0, own + 1).map(({ arm }) => arm)).size).toBe(1);
}

function leadsOfPerson(lead: string, contacts: readonly { lead_id: string; address: string }[]): Set<string> {
  const leads = new Set([lead]);
  for (let before = 0; before < leads.size; ) {
    before = leads.size;
    const addresses = new Set(contacts.filter((one) => leads.has(one.lead_id)).map((one) => one.address));
    for (const one of contacts) if (addresses.has(one.address)) leads.add(one.lead_id);
  }
  return leads;
}

async function expectTextsOfArms(answers: readonly Answer[]): Promise<void> {
  // What ran while a first message was made: one that went with its contact may be made again after its experiment.
  const { rows: sent } = await world.pool.query<{
    lead: string;
    text: string;
    name: string | null;
    arm: number | null;
    excluded: string | null;
  }>(
    `select f.lead_id as lead, m.message as text, e.name, x.arm, x.excluded
       from first_messages f join messages m on m.id = f.message_id
       left join experiments e on e.kind = 'first_text' and e.started_at <= m.created_at
         and m.created_at <= coalesce(e.stopped_at, 'infinity')
       left join experiment_assignments x on x.experiment_id = e.id and x.lead_id = f.lead_id`,
  );
  const { rows: assigned } = await world.pool.query<{ lead: string; name: string; arm: number }>(
    `select x.lead_id as lead, e.name, x.arm from experiment_assignments x join experiments e on e.id = x.experiment_id
      where x.arm is not null and e.kind = 'prompt'`,
  );
  for (const { lead, text, name, arm, excluded } of sent) {
    const ofArm = arm === null ? 'Plain' : textOf(Number(name), arm);
    // A person who turns out to be in two arms may have had its text before or the product's since.
    expect([lead, excluded === 'united' ? [ofArm, 'Plain'] : [ofArm]]).toEqual([lead, expect.arrayContaining([text])]);
  }
  const leads = new Set(await ids('select id from leads'));
  for (const { lead, text } of answers)
    if (text !== null && leads.has(lead))
      expect(
        assigned.filter((one) => one.lead === String(lead)).map((one) => textOf(Number(one.name), one.arm)),
      ).toContain(text);
  // A lead that was ever assigned to the arms of an experiment has had texts of one of them alone.
  for (const texts of Map.groupBy(
    answers.filter(({ text }) => text !== null),
    ({ lead }) => lead,
  ).values()) {
    const arms = new Set(texts.map(({ text }) => text));
    const of = new Set(texts.map(({ text }) => String(text).split(',')[0]));
    expect(arms.size).toBe(of.size);
  }
}
