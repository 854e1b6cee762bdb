/** Reads and writes of one card that overtake each other. No worker runs: the test does each step itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeLeadStage, type Stage } from '../leads/contract.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, STEPS } from '../testing/crm.ts';
import { createWorld, type World } from '../testing/world.ts';
import { readCard } from './amocrm/api.ts';
import { createCrmLead } from './amocrmContract.ts';
import { applyCard, emptyCounts } from './applyCard.ts';
import { applyChange } from './applyChange.ts';
import { readRealClock } from './store/cards.ts';
import { writeStage } from './writeStage.ts';

let world: World;
let operator: Client;
let context: AppContext;
let integration: number;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  operator = await world.operator();
  if (!world.app) throw new Error('The world serves');
  context = world.app.context;
  integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
});
afterAll(() => world.close());

let card: number;
let lead: number;
beforeEach(async () => {
  await world.control.setFaults([]);
  card = (await world.control.amocrm.makeCard({ name: 'Anna' })).id;
  await readAndApply();
  const { rows } = await world.pool.query<{ id: string }>('select id from leads where crm_id = $1', [String(card)]);
  lead = Number(rows[0]?.id);
});

async function readSnapshot() {
  const readAt = await readRealClock(context.reader);
  const read = await readCard(context, integration, card);
  if (read.kind !== 'read' || read.value === null) throw new Error(`Not read: ${read.kind}`);
  return { card: read.value, readAt };
}
async function readAndApply(snapshot?: Awaited<ReturnType<typeof readSnapshot>>): Promise<void> {
  const { card: snapshotCard, readAt } = snapshot ?? (await readSnapshot());
  expect(
    await applyCard(context, { integrationId: integration, card: snapshotCard, readAt, counts: emptyCounts() }),
  ).toBeNull();
}
const changeStageHere = async (stage: Stage): Promise<void> => {
  const answer = await operator.call(changeLeadStage, { params: { id: lead }, query: { new_stage: stage } });
  expect(answer.status).toBe(200);
};
const moveInCrm = (status_id: number) => world.control.amocrm.changeCard(card, { status_id });
const write = async (): Promise<void> => {
  // Skip any delay from a failed attempt.
  await world.pool.query('update crm_cards set retry_at = null where card_id = $1', [card]);
  await writeStage(context, world.productId, card);
};
/** Start a write that is delayed at amoCRM before it takes effect there. */
async function writeSlowly(): Promise<void> {
  const match = { account: 'amocrm', text: 'PATCH' };
  await world.control.setFaults([{ kind: 'amocrm.delay', match, times: 1, ms: 800 }]);
  await write();
}
const countPendingStages = () =>
  world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      'select 1 from crm_cards where card_id = $1 and sent_status_id is not null',
      [card],
    );
    return rows.length > 0;
  }, 'the write is on its way');
const stepOf = async () => (await world.control.amocrm.board()).cards.find((one) => one.id === card)?.status_id;
const leadNow = async () => {
  const { rows } = await world.pool.query('select stage, status, crm_pending from leads where id = $1', [lead]);
  return rows[0];
};
/** List the events: where they came from, and to which stage. */
const events = async (): Promise<string[]> => {
  const { rows } = await world.pool.query<{ what: string }>(
    `select event_type || ' to ' || (event_data->>'to') || case event_data->>'by' when 'amoCRM' then ' there' else ' here' end as what
       from lead_events where lead_id = $1 order by id`,
    [lead],
  );
  return rows.map((row) => row.what);
};

it('does not move a lead back by a read that began before our write', async () => {
  await changeStageHere('ongoing');
  const writing = writeSlowly();
  await countPendingStages();
  const before = await readSnapshot();
  await writing;
  expect(before.card.statusId).toBe(STEPS.initial);
  await readAndApply(before);
  expect(await leadNow()).toEqual({ stage: 'ongoing', status: 'Talking', crm_pending: false });
  expect(await events()).toEqual(['stage_changed to ongoing here']);
  expect(await stepOf()).toBe(STEPS.ongoing);
});

it('recognizes our own write whose answer was lost', async () => {
  await world.control.setFaults([{ kind: 'amocrm.fail_after', match: { account: 'amocrm', text: 'PATCH' }, times: 1 }]);
  await changeStageHere('ongoing');
  await write();
  expect(await leadNow()).toMatchObject({ stage: 'ongoing', crm_pending: true });
  await readAndApply();
  expect(await events()).toEqual(['stage_changed to ongoing here']);
  await write();
  expect(await leadNow()).toEqual({ stage: 'ongoing', status: 'Talking', crm_pending: false });
  expect(await events()).toEqual(['stage_changed to ongoing here']);
});

it('keeps a later move here when our own write is seen', async () => {
  await world.control.setFaults([{ kind: 'amocrm.fail_after', match: { account: 'amocrm', text: 'PATCH' }, times: 1 }]);
  await changeStageHere('ongoing');
  await write();
  await changeStageHere('pending');
  await readAndApply();
  expect(await leadNow()).toMatchObject({ stage: 'pending', crm_pending: true });
  await write();
  expect([await stepOf(), await leadNow()]).toEqual([
    STEPS.pending,
    { stage: 'pending', status: 'Thinking it over', crm_pending: false },
  ]);
  expect(await events()).toEqual(['stage_changed to ongoing here', 'stage_changed to pending here']);
});

it('makes lead and card agree when somebody moves the card during our write', async () => {
  await changeStageHere('ongoing');
  const writing = writeSlowly();
  await countPendingStages();
  await moveInCrm(STEPS.pending);
  await readAndApply();
  expect(await leadNow()).toMatchObject({ stage: 'pending' });
  await writing;
  expect(await stepOf()).toBe(STEPS.ongoing);
  // The card was recorded as to be read once more.
  await applyChange(context, { integration, entity: 'card', id: card });
  expect(await leadNow()).toEqual({ stage: 'ongoing', status: 'Talking', crm_pending: false });
});

it('leaves a card where somebody moved it before our write', async () => {
  await changeStageHere('ongoing');
  // A second later by the CRM's clock.
  await world.pool.query(
    "update crm_cards set pending_stage_since = pending_stage_since - interval '2 seconds' where card_id = $1",
    [card],
  );
  await moveInCrm(STEPS.pending);
  await write();
  expect([await stepOf(), await leadNow()]).toEqual([
    STEPS.pending,
    { stage: 'pending', status: 'Thinking it over', crm_pending: false },
  ]);
  expect(await events()).toEqual(['stage_changed to ongoing here', 'stage_changed to pending there']);
});

describe('a card made for a lead here, when its answer is lost', () => {
  const POSTED = { account: 'amocrm', text: 'POST' };
  const create = () =>
    operator.call(createCrmLead, {
      body: { company_id: world.companyId, product_id: world.productId, name: 'Hugo' },
    });
  const hugos = async () => ({
    cards: (await world.control.amocrm.board()).cards.filter((one) => one.name === 'Hugo').map((one) => String(one.id)),
    leads: (
      await world.pool.query<{ crm_id: string }>("select crm_id from leads where name = 'Hugo' order by id")
    ).rows.map((row) => row.crm_id),
  });

  it('finds the created card again, and no older one', async () => {
    expect((await create()).status).toBe(201);
    await world.control.setFaults([{ kind: 'amocrm.lose_answer', match: POSTED, times: 1 }]);
    expect((await create()).status).toBe(201);
    const { cards, leads } = await hugos();
    expect(cards).toHaveLength(2);
    expect(leads).toEqual(cards);
  });

  it('assumes no card where none was created', async () => {
    const before = await hugos();
    await world.control.setFaults([{ kind: 'amocrm.fail_before', match: POSTED, times: 1 }]);
    const answer = await create();
    expect([answer.status, answer.body]).toEqual([503, { detail: expect.stringContaining('Please try again') }]);
    expect(await hugos()).toEqual(before);
  });

  it('reports when the card cannot be looked up', async () => {
    await world.control.setFaults([
      { kind: 'amocrm.lose_answer', match: POSTED, times: 1 },
      { kind: 'amocrm.down', match: { account: 'amocrm', text: 'GET' } },
    ]);
    const answer = await create();
    expect([answer.status, answer.body]).toEqual([503, { detail: expect.stringContaining('Check there before') }]);
  });
});

it("moves a card to the lead's stage when the lead moved later", async () => {
  await moveInCrm(STEPS.pending);
  await changeStageHere('ongoing');
  await world.pool.query(
    "update crm_cards set pending_stage_since = pending_stage_since + interval '2 seconds' where card_id = $1",
    [card],
  );
  await readAndApply();
  expect(await leadNow()).toMatchObject({ stage: 'ongoing', crm_pending: true });
  await write();
  expect([await stepOf(), await leadNow()]).toEqual([
    STEPS.ongoing,
    { stage: 'ongoing', status: 'Talking', crm_pending: false },
  ]);
});
