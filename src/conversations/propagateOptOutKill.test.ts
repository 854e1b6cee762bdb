/**
 * Kills the server at every failpoint on the way from a person's opt-out to its other leads: each of them follows once,
 * whichever process does it. Then two processes do it side by side.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectHooks, type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, freePort, type TestLead, type World } from '../testing/world.ts';

const POINTS = ['optOut.afterClaim', 'optOut.beforeOther', 'optOut.afterOther', 'optOut.beforeEnd'];

let world: World;
let servers: ServerProcess[] = [];

beforeAll(async () => {
  world = await createWorld({ serve: false });
});
afterEach(async () => {
  await Promise.all(servers.map((one) => one.kill()));
  servers = [];
});
afterAll(() => world.close());

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = startServer(world, env);
  servers.push(server);
  await server.waitUntilReady();
  return server;
}

/** Create three leads of one person: the one that writes, and two others. */
async function createPerson(name: string): Promise<{ writer: TestLead; others: number[] }> {
  const writer = await world.lead(name);
  const others = [
    await world.lead(`${name} again`, { messenger: 'telegram' }),
    await world.lead(`${name} once more`, { messenger: 'telegram' }),
  ];
  await world.pool.query('update contacts set address = $2 where id = any($1)', [
    others.map(({ contactId }) => contactId),
    writer.address,
  ]);
  return { writer, others: others.map(({ leadId }) => leadId) };
}

/** Count how often each lead was deactivated as another lead of the same person. */
async function countFollowed(leadIds: readonly number[]): Promise<number[]> {
  const { rows } = await world.pool.query<{ count: number }>(
    `select (select count(*)::int from lead_events e
              where e.lead_id = l.id and e.event_type = 'deactivated' and e.event_data->>'by' = 'same person') as count
       from leads l where l.id = any($1) and not l.is_active`,
    [leadIds],
  );
  return rows.map(({ count }) => count);
}

const countLeft = async (): Promise<number | null> =>
  (await world.pool.query('select from opt_out_propagations')).rowCount;

it('has every other lead of the person follow once when killed anywhere', async () => {
  const [first, ...points] = POINTS;
  const server = await start({ RAPPORT_FAILPOINT: `${first}` });
  await connectHooks(world);
  const { writer, others } = await createPerson('Dora');
  await writer.writes('Stop writing to me, please');
  expect(await server.waitForExit(), server.output()).toBe('SIGKILL');
  for (const point of points) {
    expect(await countLeft(), point).toBe(1);
    const next = startServer(world, { RAPPORT_FAILPOINT: point });
    expect(await next.waitForExit(), `${point} ${next.output()}`).toBe('SIGKILL');
  }
  expect(await countLeft()).toBe(1);
  await start();
  await world.drain();
  expect(await countFollowed(others)).toEqual([1, 1]);
  expect(await countLeft()).toBe(0);
});

it('has them follow once when two processes look for work', async () => {
  await start({ RAPPORT_NODE_NAME: 'one' });
  await start({
    RAPPORT_NODE_NAME: 'other',
    RAPPORT_PUBLIC_URL: world.url,
    PORT: String(await freePort()),
    RAPPORT_SWEEP_SECONDS: '0.02',
  });
  const persons = await Promise.all(['Anna', 'Boris', 'Clara'].map(createPerson));
  await Promise.all(persons.map(({ writer }) => writer.writes('Stop writing to me, please')));
  await world.drain();
  expect(await countFollowed(persons.flatMap(({ others }) => others))).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await countLeft()).toBe(0);
});
