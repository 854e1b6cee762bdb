/** Hooks that are forged, malformed, duplicated, reordered or lost; and a CRM that is unavailable. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeLeadStage } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, AMOCRM_SHAPES as SHAPES, STEPS } from '../testing/crm.ts';
import { tableFingerprints } from '../testing/everyResource.ts';
import { createWorld, type World } from '../testing/world.ts';
import { readHook } from './amocrm/hook.ts';
import { hookAddress } from './hookAddress.ts';
import { findAccount } from './store/accounts.ts';

let world: World;
let operator: Client;
let integration: number;
let address: string;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_CRM_POLL_SECONDS: '0.5' } });
  operator = await world.operator();
  integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
  await world.drain();
  const context = world.app?.context;
  const account = context ? await findAccount(context.reader, integration) : undefined;
  if (!context || !account) throw new Error('Not connected');
  address = hookAddress(context, account);
});
afterAll(() => world.close());
afterEach(() => world.control.setFaults([]));

const calls = async (): Promise<number> =>
  (await world.control.entriesOf('amocrm')).filter((one) => one.change.what === 'called').length;

async function post(url: string, body: string, type = 'application/x-www-form-urlencoded'): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  await answer.arrayBuffer();
  return answer.status;
}

describe('a hook', () => {
  it('reports cards and contacts only', () => {
    const parseForm = (body: string) => readHook(Object.fromEntries(new URLSearchParams(body)));
    expect(SHAPES.map((body) => parseForm(body).cards)).toEqual([
      [1001],
      [1001],
      [1001],
      [1001],
      [1001, 1002, 1003],
      [],
      [],
      [1004],
    ]);
    expect(SHAPES.map((body) => parseForm(body).contacts)).toEqual([[], [], [], [], [], [2001], [], []]);
    expect(parseForm(SHAPES[0] ?? '').accounts).toEqual([31_000_777]);
    for (const wrong of [
      null,
      1,
      'text',
      [],
      [{ id: 1 }],
      { leads: { add: [{ id: 1 }] } },
      { 'leads[add][0][id]': ['1'] },
    ])
      expect(readHook(wrong)).toEqual({ cards: [], contacts: [], accounts: [] });
    expect(
      parseForm('leads[add][0][id]=0&leads[add][1][id]=-5&leads[add][2][id]=1e9&leads[add][3][id]=99999999999999999999')
        .cards,
    ).toEqual([]);
  });

  it('ignores a webhook with an unknown secret', async () => {
    const before = await tableFingerprints(world.pool);
    const secret = address.split('/').at(-1) ?? '';
    const forged = [
      `${world.url}/hooks/amocrm/${'A'.repeat(43)}`,
      `${world.url}/hooks/amocrm/${secret.slice(1)}`,
      `${world.url}/hooks/amocrm/${secret}x`,
      `${world.url}/hooks/amocrm/${secret.toLowerCase()}`,
      `${world.url}/hooks/wazzup24/${secret}`,
    ];
    for (const url of forged) for (const body of SHAPES) expect([url, await post(url, body)]).toEqual([url, 404]);
    // From another account, at the right address.
    expect(await post(address, 'leads[add][0][id]=77&leads[add][0][account_id]=5&account[id]=5')).toBe(200);
    const after = await tableFingerprints(world.pool);
    for (const table of ['crm_changes', 'crm_cards', 'leads', 'lead_events']) expect(after[table]).toBe(before[table]);
  });
});

let contactCount = 0;
const contactCard = (name: string) => ({
  name,
  contact: { name, phone: `+7 900 222-33-${String(10 + ++contactCount)}` },
});
const findLeadsByName = async (name: string) =>
  (
    await world.pool.query<{ id: string; stage: string; crm_id: string }>(
      'select id, stage, crm_id from leads where name = $1',
      [name],
    )
  ).rows;

describe('hooks that come', () => {
  it("reach the card's state when duplicated and shuffled", async () => {
    await world.control.setFaults([
      { kind: 'hooks.duplicate', copies: 3 },
      { kind: 'hooks.shuffle', size: 6, ms: 200 },
    ]);
    const names = ['Ida', 'Jan', 'Karl'];
    for (const name of names) {
      const { id } = await world.control.amocrm.makeCard(contactCard(name));
      for (const status_id of [STEPS.started, STEPS.ongoing, STEPS.pending])
        await world.control.amocrm.changeCard(id, { status_id });
      await world.control.amocrm.changeCard(id, { status_id: STEPS.initial });
    }
    await world.drain();
    for (const name of names) expect(await findLeadsByName(name)).toMatchObject([{ stage: 'initial' }]);
    for (const name of names) {
      const [lead] = await findLeadsByName(name);
      for (const status_id of [STEPS.started, STEPS.ongoing])
        await world.control.amocrm.changeCard(Number(lead?.crm_id), { status_id });
    }
    await world.drain();
    for (const name of names) {
      const [lead, ...more] = await findLeadsByName(name);
      expect([lead?.stage, more]).toEqual(['ongoing', []]);
    }
  });

  it('that are lost are recovered by polling', async () => {
    await world.control.setFaults([{ kind: 'hooks.drop' }]);
    const { id } = await world.control.amocrm.makeCard(contactCard('Lena'));
    await world.waitUntil(async () => (await findLeadsByName('Lena')).length === 1, 'imported by the poll');
    await world.control.amocrm.changeCard(id, { status_id: STEPS.pending });
    await world.waitUntil(async () => (await findLeadsByName('Lena'))[0]?.stage === 'pending', 'moved by the poll');
  });

  it('that amoCRM disabled after failures are registered again', async () => {
    await world.control.changeSettings({ amocrm: { pausesMs: [5], offAfter: 2 } });
    await world.control.setFaults([{ kind: 'hooks.fail', match: { account: 'amocrm' } }]);
    await world.control.amocrm.makeCard(contactCard('Mona'));
    const disabled = async () => (await world.control.amocrm.board()).hooks.map((one) => one.disabled);
    await world.waitUntil(async () => (await disabled()).includes(true), 'amoCRM switched the address off');
    await world.control.setFaults([]);
    // Make the daily check due.
    await world.pool.query(
      "update amocrm_accounts set hooks_checked_at = now() - interval '25 hours', next_sync_at = now()",
    );
    await world.waitUntil(async () => !(await disabled()).includes(true), 'subscribed again');
    const { id } = await world.control.amocrm.makeCard(contactCard('Nora'));
    await world.waitUntil(async () => (await findLeadsByName('Nora')).length === 1, 'imported');
    expect((await findLeadsByName('Nora'))[0]?.crm_id).toBe(String(id));
  });
});

describe('a CRM that is away', () => {
  it('does not block moving a lead, and receives the write later', async () => {
    const { id } = await world.control.amocrm.makeCard(contactCard('Max'));
    await world.drain();
    const [lead] = await findLeadsByName('Max');
    await world.control.setFaults([{ kind: 'amocrm.down' }]);
    const move = (new_stage: 'started' | 'ongoing') =>
      operator.call(changeLeadStage, { params: { id: Number(lead?.id) }, query: { new_stage } });
    expect((await move('started')).body).toMatchObject({ stage: 'started', crm_pending: true });
    expect((await move('ongoing')).body).toMatchObject({ stage: 'ongoing', crm_pending: true });
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query('select 1 from crm_cards where card_id = $1 and attempts > 0', [id]);
      return rows.length > 0;
    }, 'a write that failed');
    await world.control.setFaults([]);
    await world.drain();
    expect((await findLeadsByName('Max'))[0]?.stage).toBe('ongoing');
    const card = (await world.control.amocrm.board()).cards.find((one) => one.id === id);
    expect(card?.status_id).toBe(STEPS.ongoing);
    const { rows } = await world.pool.query('select crm_pending from leads where id = $1', [lead?.id]);
    expect(rows).toEqual([{ crm_pending: false }]);
  });

  it('is not written twice when its answer is lost', async () => {
    const { id } = await world.control.amocrm.makeCard(contactCard('Nina'));
    await world.drain();
    const [lead] = await findLeadsByName('Nina');
    const before = (await world.control.ping()).seq;
    const match = { account: 'amocrm', text: 'PATCH' };
    await world.control.setFaults([{ kind: 'amocrm.fail_after', match, times: 1 }]);
    await operator.call(changeLeadStage, { params: { id: Number(lead?.id) }, query: { new_stage: 'pending' } });
    await world.drain();
    const moves = (await world.control.entriesOf('amocrm', before)).filter(
      ({ change }) => change.what === 'called' && change.method === 'PATCH',
    );
    expect(moves).toHaveLength(1);
    expect((await world.control.amocrm.board()).cards.find((one) => one.id === id)?.status_id).toBe(STEPS.pending);
    expect((await findLeadsByName('Nina'))[0]?.stage).toBe('pending');
  });

  it('is retried later when it limits requests', async () => {
    await world.control.setFaults([{ kind: 'amocrm.rate_limited', times: 5 }]);
    await world.control.amocrm.makeCard(contactCard('Otto'));
    await world.waitUntil(async () => (await findLeadsByName('Otto')).length === 1, 'imported after all');
    expect(await calls()).toBeGreaterThan(5);
  });
});
