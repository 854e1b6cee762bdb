/** Two server processes and one pair of tokens: refreshed once however many want it, and lost for both when revoked. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeLeadStage } from '../leads/contract.ts';
import { type Client, makeClient } from '../testing/client.ts';
import { connect, STEPS, use } from '../testing/crm.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/process.ts';
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
  await Promise.all([one.ready(), other.ready()]);
  operator = await world.operator();
  await connectHooks(world);
  integration = await connect(world, operator);
  await use(world, operator, integration);
  await world.drain();
});
afterAll(async () => {
  await Promise.all([one.kill(), other.kill()]);
  await world.close();
});

/** Both are asked for what only amoCRM knows, several times at once, while the token endpoint takes its time. */
async function bothAsk(meanwhile: () => Promise<unknown> = async () => undefined): Promise<number[]> {
  const match = { account: 'amocrm', text: 'access_token' };
  await world.control.amocrm.expireAccess();
  await world.pool.query("update amocrm_accounts set access_expires_at = now() - interval '1 minute'");
  await world.control.setFaults([{ kind: 'amocrm.delay', ms: 400, match }]);
  const asked = [one, other, one, other].map(async ({ url }) => {
    const browser = makeClient(url, operator.cookie, world.canaries);
    const asked = { params: { id: integration }, query: { refresh: true } };
    return (await browser.call(readCrmDirectory, asked)).status;
  });
  await world.until(async () => {
    const { rows } = await world.pool.query('select 1 from amocrm_accounts where refresh_by is not null');
    return rows.length > 0;
  }, 'a refresh is under way');
  await meanwhile();
  const statuses = await Promise.all(asked);
  await world.control.setFaults([]);
  return statuses;
}

const refreshed = async (mark: number): Promise<number> =>
  (await world.control.entriesOf('amocrm', mark)).filter(({ change }) => change.what === 'tokens').length;
const mark = async (): Promise<number> => (await world.control.ping()).seq;
const standing = async () => {
  const { rows } = await world.pool.query<{ state: string; state_reason: string | null; client_id: string }>(
    'select state, state_reason, client_id from amocrm_accounts',
  );
  const [row] = rows;
  if (!row) throw new Error('No account');
  return row;
};

it('that want a new pair at once make one refresh, and both go on with it', async () => {
  const begun = await mark();
  expect(await bothAsk()).toEqual([200, 200, 200, 200]);
  expect(await refreshed(begun)).toBe(1);
  expect(await standing()).toMatchObject({ state: 'connected' });
});

it('whose pair is revoked in between say so once, and nothing else breaks', async () => {
  const { id: card } = await world.control.amocrm.makeCard({ name: 'Anna' });
  await world.drain();
  const begun = await mark();
  const { client_id: client } = await standing();
  expect(await bothAsk(() => world.control.amocrm.revoke(client))).toEqual([409, 409, 409, 409]);
  expect(await refreshed(begun)).toBe(0);
  expect(await standing()).toMatchObject({ state: 'reconnect', state_reason: expect.stringContaining('revoked') });
  // Leads are moved and answered as before; what the CRM is to be told waits.
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
  // Connected again, what waited arrives.
  await connect(world, operator);
  await world.drain();
  const moves = await world.control.amocrm.board();
  expect(moves.cards.find((each) => each.id === card)?.status_id).toBe(STEPS.ongoing);
});
