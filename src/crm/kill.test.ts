/**
 * Kill the server at every named point on the way to the CRM and back, as a power cut would. The next instance finishes
 * the work: lead and card agree, no card has two leads, no move has two events, and the token pair works or is known
 * not to.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeLeadStage, type Stage } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import {
  connectAmocrm,
  connectProduct,
  followRedirect,
  STEPS,
  startConnection,
  submitConsent,
} from '../testing/crm.ts';
import { type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, type World } from '../testing/world.ts';
import { createCrmLead } from './amocrmContract.ts';

/** Each is passed by one of the tests below. */
const POINTS = [
  'crm.beforeConnectionSaved',
  'crm.beforePairSaved',
  'crm.afterHookStored',
  'crm.beforeApply',
  'crm.afterMove',
  'crm.afterCardMade',
] as const;
type Point = (typeof POINTS)[number];

let world: World;
let server: ServerProcess;
let operator: Client;
let integration: number;
beforeAll(async () => {
  world = await createWorld({ serve: false, env: { RAPPORT_CRM_POLL_SECONDS: '1' } });
  await world.control.changeSettings({ amocrm: { pausesMs: [50, 50, 50, 50] } });
  server = startServer(world, { RAPPORT_FAILPOINT: 'crm.beforeConnectionSaved' });
  await server.waitUntilReady();
  operator = await world.operator();
});
afterAll(async () => {
  await server.kill();
  await world.close();
});

/** The point at which the running instance is to be killed; null if it was killed, or has none. */
let killPoint: Point | null = null;
/**
 * Start an instance that is killed at `killAt`, after stopping the previous one. An instance with the same point keeps
 * running.
 */
async function launch(killAt: Point | null): Promise<void> {
  if (killAt !== null && killAt === killPoint) return;
  await server.kill();
  server = startServer(world, killAt === null ? {} : { RAPPORT_FAILPOINT: killAt });
  killPoint = killAt;
}
const waitForDeath = async (): Promise<void> => {
  expect(await server.waitForExit(), server.output()).toBe('SIGKILL');
  killPoint = null;
};

const readAccountState = async () => {
  const { rows } = await world.pool.query<{ state: string; state_reason: string | null }>(
    'select state, state_reason from amocrm_accounts',
  );
  return rows;
};
const leadOf = async (card: number) => {
  const { rows } = await world.pool.query<{ id: string; stage: Stage; crm_pending: boolean }>(
    'select id, stage, crm_pending from leads where crm_id = $1',
    [String(card)],
  );
  expect(rows, `card ${card}`).toHaveLength(1);
  const [row] = rows;
  if (!row) throw new Error('There is no lead');
  return { id: Number(row.id), stage: row.stage, pending: row.crm_pending };
};
const eventsOf = async (card: number): Promise<string[]> => {
  const { rows } = await world.pool.query<{ what: string }>(
    `select event_type || ' ' || coalesce(event_data->>'to', '') || ' by ' || coalesce(event_data->>'by', '') as what
       from lead_events where lead_id = (select id from leads where crm_id = $1) order by id`,
    [String(card)],
  );
  return rows.map((row) => row.what);
};
const stepOf = async (card: number) =>
  (await world.control.amocrm.board()).cards.find((one) => one.id === card)?.status_id;
const move = (lead: number, stage: Stage) =>
  operator.call(changeLeadStage, { params: { id: lead }, query: { new_stage: stage } });

/** Connect, in whatever state the previous test left. */
async function ensureConnected(): Promise<void> {
  await server.waitUntilReady();
  const accounts = await readAccountState();
  if (accounts[0]?.state === 'connected') return;
  integration = await connectAmocrm(world, operator);
  if (accounts.length === 0) await connectProduct(world, operator, integration);
  await world.drain();
}

it('covers every failpoint', () => {
  const files = ['actions', 'applyCard', 'connect', 'writeStage', 'amocrmRoutes', 'amocrm/tokens'];
  const namedPoints = files.flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8').matchAll(/failpoint\('(crm\.\w+)'\)/g)].map(
      ([, name]) => name,
    ),
  );
  expect(new Set(namedPoints)).toEqual(new Set(POINTS));
});

it('leaves nothing half connected when killed between the code and the tokens', async () => {
  const location = await submitConsent(await startConnection(world, operator));
  await expect(followRedirect(operator, location)).rejects.toThrow();
  await waitForDeath();
  await launch('crm.afterHookStored');
  expect(await readAccountState()).toEqual([]);
  await ensureConnected();
  expect(await readAccountState()).toEqual([{ state: 'connected', state_reason: null }]);
});

it('creates one lead and one event a move when killed between webhook and lead', async () => {
  await launch('crm.afterHookStored');
  await ensureConnected();
  const { id: card } = await world.control.amocrm.makeCard({ name: 'Anna' });
  await waitForDeath();
  // The next instance picks up the stored hook and is killed while applying it.
  await launch('crm.beforeApply');
  await waitForDeath();
  await launch('crm.afterMove');
  await server.waitUntilReady();
  await world.drain();
  const lead = await leadOf(card);
  expect(lead).toMatchObject({ stage: 'initial', pending: false });
  expect((await move(lead.id, 'ongoing')).status).toBe(200);
  await waitForDeath();
  // The card has moved, and nothing here knows it.
  expect([await stepOf(card), (await leadOf(card)).pending]).toEqual([STEPS.ongoing, true]);
  await launch('crm.afterCardMade');
  await world.drain();
  expect(await leadOf(card)).toMatchObject({ stage: 'ongoing', pending: false });
  expect(await eventsOf(card)).toEqual([expect.stringMatching(/^stage_changed ongoing by operator/)]);
  await world.control.amocrm.changeCard(card, { status_id: STEPS.pending });
  await world.drain();
  expect((await eventsOf(card)).slice(1)).toEqual(['stage_changed pending by amoCRM']);
  expect([await stepOf(card), (await leadOf(card)).stage]).toEqual([STEPS.pending, 'pending']);
});

it('imports one lead when killed between creating a card and storing its lead', async () => {
  await launch('crm.afterCardMade');
  await ensureConnected();
  const body = { company_id: world.companyId, product_id: world.productId, name: 'Hugo' };
  await expect(operator.call(createCrmLead, { body })).rejects.toThrow();
  await waitForDeath();
  const cards = (await world.control.amocrm.board()).cards.filter((one) => one.name === 'Hugo');
  expect(cards).toHaveLength(1);
  const { rows } = await world.pool.query('select 1 from leads where name = $1', ['Hugo']);
  expect(rows).toEqual([]);
  await launch('crm.beforePairSaved');
  const card = cards[0]?.id ?? 0;
  await world.waitUntil(async () => {
    const result = await world.pool.query('select 1 from leads where crm_id = $1', [String(card)]);
    return result.rows.length > 0;
  }, 'the card is imported');
  await world.drain();
  expect((await leadOf(card)).stage).toBe('initial');
});

it('reports lost tokens when killed before storing a new pair, and recovers by connecting again', async () => {
  await launch('crm.beforePairSaved');
  await ensureConnected();
  const { id: card } = await world.control.amocrm.makeCard({ name: 'Boris' });
  await world.drain();
  const lead = await leadOf(card);
  await world.control.amocrm.expireAccess();
  await world.pool.query("update amocrm_accounts set access_expires_at = now() - interval '1 minute'");
  expect((await move(lead.id, 'started')).status).toBe(200);
  await waitForDeath();
  // The claim of the dead instance blocks nothing.
  await launch(null);
  await server.waitUntilReady();
  await world.waitUntil(async () => (await readAccountState())[0]?.state === 'reconnect', 'the lost pair is noticed');
  expect((await readAccountState())[0]?.state_reason).toContain('revoked');
  expect(await leadOf(card)).toMatchObject({ stage: 'started', pending: true });
  expect(await connectAmocrm(world, operator)).toBe(integration);
  await world.drain();
  expect(await leadOf(card)).toMatchObject({ stage: 'started', pending: false });
  expect(await stepOf(card)).toBe(STEPS.started);
  expect(await eventsOf(card)).toEqual([expect.stringMatching(/^stage_changed started by operator/)]);
});
