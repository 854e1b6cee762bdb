/** Password guessing by attackers with many addresses, many logins to try, or a header to write an address into. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, send } from '../testing/sampleRequests.ts';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';
import { networkOf } from './network.ts';
import { addOperator } from './operator.ts';
import { DUMMY_HASH, hashPassword, verifyPassword } from './password.ts';

describe('a network', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['2001:db8::5:6:7:8', '2001:db8:0:0::/64'],
    ['2001:db8::3:4:5:6:7', '2001:db8:0:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:203.0.113.7', '1:2:3:4::/64'],
    ['::1', '::1'],
    ['::', '0:0:0:0::/64'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['203.0.113.7:', '203.0.113.7'],
    ['"203.0.113.7:4711"', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7:80', '203.0.113.7'],
    ['[2001:db8:1:2::7]:4711', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
    ['"[2001:db8:1:2::7]:4711"', '2001:db8:1:2::/64'],
    ['[fe80::1%25eth0]:80', 'fe80:0:0:0::/64'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
    ['another one', 'unknown'],
    ['unknown', 'unknown'],
    ['_hidden', 'unknown'],
    ['127.evil', 'unknown'],
    ['203.0.113.7:80:90', 'unknown'],
    ['203.0.113.999', 'unknown'],
    ['client.example:80', 'unknown'],
    ['for=203.0.113.7', 'unknown'],
  ])('maps the address %s to the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

let world: World;
let login: string;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_TRUST_PROXY: 'on' } });
  login = 'Vera';
  await world.app?.context.transact((tx) =>
    addOperator(tx, { login, password: PASSWORD, companies: null, mustChange: false }),
  );
});
afterAll(() => world.close());
afterEach(async () => {
  await world.pool.query('delete from login_failures');
});

function signIn(name: string, password: string, from: string): Promise<Reply> {
  return send(world.url, 'POST', '/v1/auth/login', {
    headers: { origin: world.url, 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ login: name, password }),
  });
}

/** Return the status of several attempts, made one after the other. */
async function statuses(count: number, attempt: (index: number) => Promise<Reply>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index++) found.push((await attempt(index)).status);
  return found;
}
const STOPPED = [401, 401, 401, 401, 401, 429];

describe('password guesses', () => {
  it('counts guesses from one IPv6 network together, and those of other networks apart', async () => {
    expect(await statuses(6, (index) => signIn(login, 'wrong', `2001:db8:7:7:${index}::${index}`))).toEqual(STOPPED);
    expect((await signIn(login, PASSWORD, '2001:db8:7:7::beef')).status).toBe(429);
    expect((await signIn(login, PASSWORD, '2001:db8:7:8::beef')).status).toBe(200);
  });

  it('ignores a forged X-Forwarded-For when limiting guesses', async () => {
    expect(await statuses(6, (index) => signIn(login, 'wrong', `198.51.100.${index}, 203.0.113.9`))).toEqual(STOPPED);
    expect((await signIn(login, PASSWORD, '198.51.100.200, 203.0.113.9')).status).toBe(429);
    expect((await signIn(login, PASSWORD, '203.0.113.9, 198.51.100.200')).status).toBe(200);
  });

  it('stops guesses at all logins from one address after a hundred, and no other address', async () => {
    const from = '203.0.113.50';
    await world.pool.query(
      "insert into login_failures (login, address) select 'name ' || n, $1 from generate_series(1, 98) n",
      [from],
    );
    expect((await signIn(login, PASSWORD, from)).status).toBe(200);
    expect(await statuses(3, (index) => signIn(`another ${index}`, 'Spring2026', from))).toEqual([401, 401, 429]);
    const answer = await signIn(login, PASSWORD, from);
    expect([answer.status, Number(answer.headers.get('retry-after')) > 200]).toEqual([429, true]);
    expect((await signIn(login, PASSWORD, '203.0.113.51')).status).toBe(200);
    // Behind a proxy that is not configured, all requests come from this machine.
    await world.pool.query("update login_failures set address = '127.0.0.1'");
    expect((await signIn(login, PASSWORD, '127.0.0.1')).status).toBe(200);
  });

  it('refuses further guesses without asking the database', async () => {
    const from = '203.0.113.70';
    expect(await statuses(6, () => signIn(login, 'wrong', from))).toEqual(STOPPED);
    const holder = await world.pool.connect();
    await holder.query('begin; lock table login_failures in access exclusive mode');
    let over = false;
    const other = signIn(login, PASSWORD, '203.0.113.71').finally(() => {
      over = true;
    });
    try {
      await world.waitUntil(async () => {
        const { rowCount } = await world.pool.query(
          `select 1 from pg_locks where not granted and relation = 'login_failures'::regclass
              and database = (select oid from pg_database where datname = current_database())`,
        );
        return rowCount === 1;
      }, 'a login to be under way');
      // More logins than may run at once.
      for (let index = 0; index < 5; index++) expect((await signIn(login, PASSWORD, from)).status).toBe(429);
      expect(over).toBe(false);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await other).status).toBe(200);
  });

  it('serves other requests while many logins are guessed at once', async () => {
    const cookie = (await world.operator('reader')).cookie;
    let over = false;
    const flood = Promise.all(
      Array.from({ length: 24 }, (_one, index) => signIn(`flood ${index}`, 'wrong', '203.0.113.60')),
    ).finally(() => {
      over = true;
    });
    const answer = await send(world.url, 'GET', '/v1/companies/', { headers: { cookie } });
    expect([answer.status, over]).toEqual([200, false]);
    // Attempts for which there is no capacity are told to retry.
    expect((await flood).filter((one) => ![401, 429, 503].includes(one.status))).toEqual([]);
  });
});

describe('an unknown login', () => {
  it('does the same work for an unknown login as for a known one', async () => {
    expect(DUMMY_HASH.split('$').slice(0, 4)).toEqual((await hashPassword(PASSWORD)).split('$').slice(0, 4));
    expect(
      DUMMY_HASH.split('$')
        .slice(4)
        .map((one) => Buffer.from(one, 'base64').length),
    ).toEqual([16, 32]);
    expect(await verifyPassword('', DUMMY_HASH)).toBe(false);
  });
});
