/**
 * Two server processes and one pair of tokens: refreshed once however many calls need it, and lost for both when
 * revoked.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeLeadStage } from '../leads/contract.ts';
import { type Client, makeClient } from '../testing/client.ts';
import { connectAmocrm, connectProduct, STEPS } from '../testing/crm.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, freePort, type World } from '../testing/world.ts';
import { readCrmDirectory } from './amocrmContract.ts';

let world: World;
let one: ServerProcess;
let other: ServerProcess;
let operator: Client;
let integration: number;
beforeAll(async () => {
  world = await createWorld({ serve: false });
  one = startServer(world, { RAPPORT_NODE_NAME: 'one' });
  const elsewhere = { RAPPORT_NODE_NAME: 'other', RAPPORT_PUBLIC_URL: world.url, PORT: String(await freePort()) };
  other = startServer(world, elsewhere);
  await Promise.all([one.waitUntilReady(), other.waitUntilReady()]);
  operator = await world.operator();
  await connectHooks(world);
  integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
  await world.drain();
});
afterAll(async () => {
  await Promise.all([one.kill(), other.kill()]);
  await world.close();
});

/** Ask both processes several times at once for data that only amoCRM has, while the token endpoint is slow. */
async function callFromBoth(meanwhile: () => Promise<unknown> = async () => undefined): Promise<number[]> {
  const match = { account: 'amocrm', text: 'access_token' };
  await world.control.amocrm.expireAccess();
  await world.pool.query("update amocrm_accounts set access_expires_at = now() - interval '1 minute'");
  await world.control.setFaults([{ kind: 'amocrm.delay', ms: 400, match }]);
  const pending = [one, other, one, other].map(async ({ url }) => {
    const browser = makeClient(url, operator.cookie, world.canaries);
    const pending = { params: { id: integration }, query: { refresh: true } };
    return (await browser.call(readCrmDirectory, pending)).status;
  });
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query('select 1 from amocrm_accounts where refresh_claimed_by is not null');
    return rows.length > 0;
  }, 'a refresh is under way');
  await meanwhile();
  const statuses = await Promise.all(pending);
  await world.control.setFaults([]);
  return statuses;
}

const countRefreshes = async (mark: number): Promise<number> =>
  (await world.control.entriesOf('amocrm', mark)).filter(({ change }) => change.what === 'tokens').length;
const mark = async (): Promise<number> => (await world.control.ping()).seq;
const readAccountState = async () => {
  const { rows } = await world.pool.query<{ state: string; state_reason: string | null; client_id: string }>(
    'select state, state_reason, client_id from amocrm_accounts',
  );
  const [row] = rows;
  if (!row) throw new Error('No account');
  return row;
};

it('refresh once when both need new tokens', async () => {
  const startMark = await mark();
  expect(await callFromBoth()).toEqual([200, 200, 200, 200]);
  expect(await countRefreshes(startMark)).toBe(1);
  expect(await readAccountState()).toMatchObject({ state: 'connected' });
});

it('report revoked tokens once', async () => {
  const { id: card } = await world.control.amocrm.makeCard({ name: 'Anna' });
  await world.drain();
  const startMark = await mark();
  const { client_id: client } = await readAccountState();
  expect(await callFromBoth(() => world.control.amocrm.revoke(client))).toEqual([409, 409, 409, 409]);
  expect(await countRefreshes(startMark)).toBe(0);
  expect(await readAccountState()).toMatchObject({
    state: 'reconnect',
    state_reason: expect.stringContaining('revoked'),
  });
  // Leads are moved and answered as before; writes to the CRM wait.
  const { rows } = await world.pool.query<{ id: string }>('select id from leads where crm_id = $1', [String(card)]);
  const moved = await operator.call(changeLeadStage, {
    params: { id: Number(rows[0]?.id) },
    query: { new_stage: 'ongoing' },
  });
  expect([moved.status, moved.body]).toEqual([200, expect.objectContaining({ stage: 'ongoing', crm_pending: true })]);
  const boris = await world.lead('Boris');
  await boris.writes('How long does delivery take?');
  await world.drain();
  expect((await boris.sees()).at(-1)).toContain('six weeks');
  for (const { url } of [one, other]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  // After reconnecting, the waiting writes arrive.
  await connectAmocrm(world, operator);
  await world.drain();
  const moves = await world.control.amocrm.board();
  expect(moves.cards.find((each) => each.id === card)?.status_id).toBe(STEPS.ongoing);
});
