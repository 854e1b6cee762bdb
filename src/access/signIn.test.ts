import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '../app.ts';
import { BACKGROUND_HEADER } from '../platform/backgroundHeader.ts';
import { readConfig } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { type Reply, send } from '../testing/sampleRequests.ts';
import { createWorld, freePort, PASSWORD, type World } from '../testing/world.ts';
import { addOperator, changePassword, disableOperator } from './operator.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { sessionCookie } from './routes.ts';

let world: World;
/** A second server on the same database, which trusts no proxy. */
let second: App;
let secondUrl: string;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_TRUST_PROXY: 'on' } });
  const port = await freePort();
  secondUrl = `http://127.0.0.1:${port}`;
  const env = world.env({ PORT: String(port), RAPPORT_TRUST_PROXY: 'off', RAPPORT_PUBLIC_URL: world.url });
  second = await startApp(readConfig(env), createLog('warn'));
});
afterAll(async () => {
  await second.stop();
  await world.close();
});

function app(): App {
  if (!world.app) throw new Error('The world serves nobody');
  return world.app;
}

let count = 0;
/** Create an operator and return the login. */
async function operator(companies: readonly number[] | null = null): Promise<string> {
  const login = `Vera${++count}`;
  await app().context.transact((tx) => addOperator(tx, { login, password: PASSWORD, companies, mustChange: false }));
  return login;
}

function signIn(login: string, password: string, options: { from?: string; url?: string } = {}): Promise<Reply> {
  return send(options.url ?? world.url, 'POST', '/v1/auth/login', {
    headers: {
      origin: world.url,
      'content-type': 'application/json',
      ...(options.from ? { 'x-forwarded-for': options.from } : {}),
    },
    body: JSON.stringify({ login, password }),
  });
}

const cookieOf = (answer: Reply): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

async function signedIn(login: string): Promise<string> {
  const answer = await signIn(login, PASSWORD, { from: `10.1.0.${++count}` });
  expect(answer.status).toBe(200);
  return cookieOf(answer);
}

async function validate(cookie: string, url = world.url): Promise<number> {
  return (await send(url, 'GET', '/v1/auth/validate', { headers: { cookie } })).status;
}

const openSessions = async (login: string): Promise<number> =>
  (
    await world.pool.query<{ count: number }>(
      'select count(*)::int as count from sessions where operator_id = (select id from operators where login = $1)',
      [login],
    )
  ).rows[0]?.count ?? 0;

describe('signing in', () => {
  it('opens a session identified by its cookie', async () => {
    const login = await operator();
    const answer = await signIn(login.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ id: expect.any(Number), login, role: 'admin' });
    expect(answer.headers.get('set-cookie')).toMatch(/^rapport_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const self = await send(world.url, 'GET', '/v1/auth/validate', { headers: { cookie: cookieOf(answer) } });
    expect(JSON.parse(self.text)).toEqual(JSON.parse(answer.text));
  });

  it('stores only a hash of the session, and opens a new one each time', async () => {
    const login = await operator();
    const first = await signedIn(login);
    const other = await signedIn(login);
    expect(first).not.toBe(other);
    expect([await validate(first), await validate(other)]).toEqual([200, 200]);
    const token = first.replace('rapport_session=', '');
    const { rows } = await world.pool.query<{ text: string; size: number }>(
      'select s::text as text, length(token_hash) as size from sessions s',
    );
    expect(rows.every((row) => row.size === 32 && !row.text.includes(token))).toBe(true);
    const { rows: found } = await world.pool.query(
      'select 1 from sessions where token_hash = sha256(convert_to($1, $2))',
      [token, 'UTF8'],
    );
    expect(found).toHaveLength(1);
  });

  it('binds the cookie to the host behind TLS', () => {
    expect(sessionCookie('https://rapport.example')).toEqual({
      name: '__Host-rapport_session',
      options: { path: '/', httpOnly: true, sameSite: 'lax', secure: true },
    });
  });

  it('answers the same text to a wrong password and an unknown login', async () => {
    const login = await operator();
    for (const answer of [await signIn(login, 'wrong'), await signIn('nobody at all', PASSWORD)]) {
      expect(answer.status).toBe(401);
      expect(answer.text).toBe('The login or the password is wrong.');
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it.each([
    {},
    { login: '' },
    { login: 'a', password: '' },
    { login: 1, password: 2 },
    { login: 'a', password: 'b', c: 1 },
  ])('refuses an invalid login request: %j', async (body) => {
    const answer = await send(world.url, 'POST', '/v1/auth/login', {
      headers: { origin: world.url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(422);
  });
});

describe('wrong logins', () => {
  it('stops wrong logins after five, for this login and address only', async () => {
    const login = await operator();
    const other = await operator();
    const from = '10.0.0.1';
    for (let attempt = 1; attempt <= 5; attempt++) expect((await signIn(login, 'wrong', { from })).status).toBe(401);
    for (const password of ['wrong', PASSWORD]) {
      const answer = await signIn(login.toLowerCase(), password, { from });
      expect(answer.status).toBe(429);
      expect(answer.text).toMatch(/^Too many wrong logins\. Please try again in \d+ s\.$/);
      const wait = Number(answer.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(200);
      expect(wait).toBeLessThanOrEqual(300);
    }
    expect((await signIn(login, PASSWORD, { from: '10.0.0.2' })).status).toBe(200);
    expect((await signIn(other, PASSWORD, { from })).status).toBe(200);
    // A success from another address clears nothing here.
    expect((await signIn(login, PASSWORD, { from })).status).toBe(429);
    await world.pool.query("update login_failures set at = at - interval '5 minutes' where login = lower($1)", [login]);
    expect((await signIn(login, PASSWORD, { from })).status).toBe(200);
  });

  it('resets the count of wrong logins after a correct one', async () => {
    const login = await operator();
    const from = '10.0.0.3';
    for (const password of ['1', '2', '3', '4', PASSWORD, '1', '2', '3', '4', PASSWORD])
      expect((await signIn(login, password, { from })).status).toBe(password === PASSWORD ? 200 : 401);
  });

  it('counts wrong logins tried at once on two servers', async () => {
    const login = await operator();
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async (_one, index) =>
        index % 2 === 0
          ? (await signIn(login, `guess ${index}`, { from: '127.0.0.1' })).status
          : (await signIn(login, `guess ${index}`, { url: secondUrl })).status,
      ),
    );
    expect(statuses.filter((one) => one === 401)).toHaveLength(5);
    expect(statuses.filter((one) => one === 429)).toHaveLength(19);
  });

  it('ignores forwarded addresses where no proxy is trusted', async () => {
    const login = await operator();
    const statuses: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt++)
      statuses.push((await signIn(login, 'wrong', { from: `10.2.0.${attempt}`, url: secondUrl })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe('a session', () => {
  it('ends a session opened with the old password while it was changed', async () => {
    for (const [name, end] of [
      [
        'a new password',
        (tx: Tx, login: string) => changePassword(tx, { operatorRef: login, password: 'another brown horse' }),
      ],
      ['shut out', (tx: Tx, login: string) => disableOperator(tx, login)],
    ] as const) {
      const login = await operator();
      // The login has compared the password, and waits for the row that the change has locked.
      const changing = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const change = app().context.transact(async (tx) => {
        await end(tx, login);
        changing.resolve();
        await release.promise;
      });
      await changing.promise;
      const from = `10.8.0.${++count}`;
      const logins = Array.from({ length: 3 }, () => signIn(login, PASSWORD, { from }));
      await world.waitUntil(
        async () =>
          (
            await world.pool.query(
              `select 1 from pg_stat_activity
                where wait_event_type = 'Lock' and datname = current_database() and query ilike '%operators%'`,
            )
          ).rows.length > 0,
        'a login to wait for the change',
      );
      release.resolve();
      await change;
      const answers = await Promise.all(logins);
      expect([name, answers.map(({ status }) => status)]).toEqual([name, [401, 401, 401]]);
      expect(await openSessions(login)).toBe(0);
    }
  });

  it("ends the browser's former session at sign-in, and allows twenty sessions", async () => {
    const login = await operator();
    const first = await signedIn(login);
    const again = await send(world.url, 'POST', '/v1/auth/login', {
      headers: { origin: world.url, cookie: first, 'content-type': 'application/json' },
      body: JSON.stringify({ login, password: PASSWORD }),
    });
    expect([again.status, await validate(first), await validate(cookieOf(again))]).toEqual([200, 401, 200]);
    for (let more = 0; more < 20; more++) await signedIn(login);
    expect(await openSessions(login)).toBe(20);
    // Its node learns of the end by a notice of the database.
    await world.waitUntil(async () => (await validate(cookieOf(again))) === 401, 'the oldest session to be refused');
  });

  it("does not extend a session by the console's own polling", async () => {
    const cookie = await signedIn(await operator());
    const token = cookie.replace('rapport_session=', '');
    const mine = "token_hash = sha256(convert_to($1, 'UTF8'))";
    await world.pool.query(`update sessions set last_seen_at = clock_timestamp() - interval '11 hours' where ${mine}`, [
      token,
    ]);
    const used = async () =>
      (
        await world.pool.query<{ used: boolean }>(
          `select last_seen_at > clock_timestamp() - interval '1 minute' as used from sessions where ${mine}`,
          [token],
        )
      ).rows[0]?.used;
    const poll = { cookie, [BACKGROUND_HEADER]: 'yes' };
    expect((await send(world.url, 'GET', '/v1/companies/', { headers: poll })).status).toBe(200);
    const stream = new AbortController();
    const live = await fetch(`${world.url}/v1/live?product_id=${world.productId}`, {
      headers: { cookie },
      signal: stream.signal,
    });
    expect([live.status, await used()]).toEqual([200, false]);
    // The stream keeps checking its listener's session.
    await world.pool.query('update products set name = name');
    expect(await used()).toBe(false);
    stream.abort();
    expect([await validate(cookie), await used()]).toEqual([200, true]);
  });

  it('ends a session at logout on every server at once', async () => {
    const login = await operator();
    const cookie = await signedIn(login);
    const stays = await signedIn(login);
    expect([await validate(cookie), await validate(cookie, secondUrl)]).toEqual([200, 200]);
    const answer = await send(world.url, 'POST', '/v1/auth/logout', { headers: { cookie, origin: world.url } });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('set-cookie')).toMatch(/^rapport_session=; .*Expires=Thu, 01 Jan 1970/);
    expect(await validate(cookie)).toBe(401);
    await world.waitUntil(async () => (await validate(cookie, secondUrl)) === 401, 'the second server to forget', 1000);
    expect(await validate(stays)).toBe(200);
  });

  it('ends sessions when the operator is disabled or gets a new password', async () => {
    for (const [end, then] of [
      [disableOperator, 401],
      [(tx: never, login: string) => changePassword(tx, { operatorRef: login, password: 'another grey horse' }), 401],
    ] as const) {
      const login = await operator();
      const cookie = await signedIn(login);
      expect([await validate(cookie), await validate(cookie, secondUrl)]).toEqual([200, 200]);
      await app().context.transact((tx) => end(tx as never, login));
      for (const url of [world.url, secondUrl])
        await world.waitUntil(async () => (await validate(cookie, url)) === 401, `${url} to forget`, 1000);
      expect((await signIn(login, PASSWORD, { from: '10.3.0.1' })).status).toBe(then);
    }
  });

  it('ends a session after 12 idle hours and after 7 days', async () => {
    const login = await operator();
    for (const [column, age, status] of [
      ['last_seen_at', '12 hours 1 second', 401],
      ['last_seen_at', '11 hours 59 minutes', 200],
      ['created_at', '7 days 1 second', 401],
      ['created_at', '6 days 23 hours 59 minutes', 200],
    ] as const) {
      // No request has used it yet, so no server has cached it.
      const cookie = await signedIn(login);
      await world.pool.query(
        `update sessions set ${column} = clock_timestamp() - $1::interval where token_hash = sha256(convert_to($2, 'UTF8'))`,
        [age, cookie.replace('rapport_session=', '')],
      );
      expect([column, age, await validate(cookie)]).toEqual([column, age, status]);
    }
  });

  it('extends a session by use', async () => {
    const cookie = await signedIn(await operator());
    const token = cookie.replace('rapport_session=', '');
    const mine = "token_hash = sha256(convert_to($1, 'UTF8'))";
    await world.pool.query(`update sessions set last_seen_at = clock_timestamp() - interval '11 hours' where ${mine}`, [
      token,
    ]);
    expect(await validate(cookie)).toBe(200);
    const { rows } = await world.pool.query<{ fresh: boolean }>(
      `select last_seen_at > clock_timestamp() - interval '1 minute' as fresh from sessions where ${mine}`,
      [token],
    );
    expect(rows).toEqual([{ fresh: true }]);
  });

  it('applies changes of companies and role to open sessions', async () => {
    const login = await operator([]);
    const cookie = await signedIn(login);
    const reads = async (url: string) =>
      (await send(url, 'GET', `/v1/companies/${world.companyId}`, { headers: { cookie } })).status;
    expect([await reads(world.url), await reads(secondUrl)]).toEqual([404, 404]);
    const its = 'operator_id = (select id from operators where login = $1)';
    await world.pool.query('insert into operator_companies select id, $2 from operators where login = $1', [
      login,
      world.companyId,
    ]);
    for (const url of [world.url, secondUrl])
      await world.waitUntil(async () => (await reads(url)) === 200, `${url} to let him in`, 1000);
    await world.pool.query(`delete from operator_companies where ${its}`, [login]);
    for (const url of [world.url, secondUrl])
      await world.waitUntil(async () => (await reads(url)) === 404, `${url} to shut him out`, 1000);
  });

  it('does not use the domain clock for sessions', async () => {
    const cookie = await signedIn(await operator());
    await world.pool.query("update installation set clock_offset = '30 days'");
    expect(await validate(cookie)).toBe(200);
    await world.pool.query("update installation set clock_offset = '0'");
  });
});

describe('a password', () => {
  it('stores a password as argon2id with its cost and its own salt', async () => {
    const [first, other] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
    expect(first).toMatch(/^argon2id\$19456\$2\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
    expect(first).not.toBe(other);
    expect(await verifyPassword(PASSWORD, first)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, first)).toBe(false);
    expect(await verifyPassword('', first)).toBe(false);
  });

  it('accepts a password in composed and decomposed Unicode form', async () => {
    expect(await verifyPassword('cafe\u0301 noir', await hashPassword('caf\u00e9 noir'))).toBe(true);
  });

  it('keeps a hash of an older cost until the password changes', async () => {
    const tag = (await hashPassword(PASSWORD)).split('$');
    expect(await verifyPassword(PASSWORD, [...tag.slice(0, 2), '3', ...tag.slice(3)].join('$'))).toBe(false);
  });

  it('never verifies against an invalid hash', async () => {
    for (const stored of ['', 'plain', 'argon2i$1$1$1$aa$bb', 'argon2id$19456$2$1', '$$$$$'])
      expect([stored, await verifyPassword(PASSWORD, stored)]).toEqual([stored, false]);
  });
});
