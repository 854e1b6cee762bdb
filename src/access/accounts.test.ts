import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../companies/contract.ts';
import { type Client, makeClient } from '../testing/client.ts';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';
import {
  changeOwnPassword,
  endOperatorSessions,
  type Operator,
  operators,
  setOperatorPassword,
} from './accountContract.ts';
import { login, validate } from './contract.ts';
import { changeSignInPolicy } from './secondFactorContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());

const OTHER = `another ${PASSWORD}`;

async function make(body: { login: string; role: 'admin' | 'member'; company_ids?: number[] }): Promise<Operator> {
  const answer = await admin.call(operators.create, { body: { ...body, password: PASSWORD } });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  // As if the operator had chosen their own password since.
  await world.pool.query('update operators set must_change_password = false where login = $1', [body.login]);
  return answer.body as Operator;
}
async function enter(name: string, password = PASSWORD): Promise<{ status: number; client: Client }> {
  const answer = await world.anonymousClient().call(login, { body: { login: name, password } });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { status: answer.status, client: makeClient(world.url, cookie, world.canaries) };
}
const idOf = async (name: string): Promise<number> =>
  Number((await world.pool.query<{ id: string }>('select id from operators where login = $1', [name])).rows[0]?.id);

describe('an operator', () => {
  it('creates a member of companies who sees only those', async () => {
    const other = await world.pool.query<{ id: string }>("insert into companies (name) values ('Other') returning id");
    const anna = await make({ login: 'Anna', role: 'member', company_ids: [world.companyId, world.companyId] });
    expect(anna).toMatchObject({
      role: 'member',
      company_ids: [world.companyId],
      is_active: true,
      sessions: 0,
      last_sign_in_at: null,
    });
    const { status, client } = await enter('anna');
    expect(status).toBe(200);
    const seen = (await client.call(companies.list, {})).body as { items: { id: number }[] };
    expect(seen.items.map(({ id }) => id)).toEqual([world.companyId]);
    expect((await admin.call(operators.get, { params: { id: anna.id } })).body).toMatchObject({
      sessions: 1,
      last_sign_in_at: expect.any(String),
    });
    // The rights change at once, in the session that is open.
    const company_ids = [Number(other.rows[0]?.id)];
    const body = { role: 'member' as const, company_ids, is_active: true };
    expect((await admin.call(operators.replace, { params: { id: anna.id }, body })).status).toBe(200);
    const then = (await client.call(companies.list, {})).body as { items: { id: number }[] };
    expect(then.items.map(({ id }) => id)).toEqual(company_ids);
    expect((await client.call(operators.list, {})).status).toBe(403);
  });

  it('refuses a login that exists in another case', async () => {
    const answers = await Promise.all(
      ['Boris', 'boris', 'BORIS'].map((name) =>
        admin.call(operators.create, { body: { login: name, password: PASSWORD, role: 'admin' } }),
      ),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409']);
    expect(
      (await admin.call(operators.create, { body: { login: 'short', password: '1234567', role: 'admin' } })).status,
    ).toBe(422);
  });

  it('refuses a login that looks like another one', async () => {
    await make({ login: 'Vera Admin', role: 'member' });
    const status = async (login: string) =>
      (await admin.call(operators.create, { body: { login, password: PASSWORD, role: 'member' } })).status;
    const looksAlike = ['V\u0435ra Admin', 'Vera\u200b Admin', 'Vera\nAdmin', 'Vera\u00a0Admin', 'Ve\u00adra Admin'];
    looksAlike.push('\uff36era Admin', 'Vera\u202e Admin', 'Vera\u3164Admin');
    for (const login of looksAlike) expect([login, await status(login)]).toEqual([login, 422]);
    // In a single alphabet, and still look-alikes.
    expect([
      await status('vera  Adm1n'),
      await status('oscar'),
      await status('\u043e\u0455\u0441\u0430\u0433'),
    ]).toEqual([409, 201, 201]);
    expect(await status('\u043e\u0455\u0441a\u0433')).toBe(422);
    expect([await status('\u0441\u0430\u0440\u043e'), await status('capo')]).toEqual([201, 409]);
    for (const login of ['Вера Иванова', 'José', 'anna.o’neill@example.org', '田中さくら', 'Ελένη'])
      expect([login, await status(login)]).toEqual([login, 201]);
  });

  it('keeps an existing login that would be refused today', async () => {
    const { rows } = await world.pool.query<{ hash: string }>('select password_hash as hash from operators limit 1');
    await world.pool.query(
      "insert into operators (login, password_hash, role, login_key) values ($1, $2, 'admin', 'of before')",
      ['V\u0435ra\u200b', rows[0]?.hash],
    );
    expect((await enter('V\u0435ra\u200b')).status).toBe(200);
  });

  it('refuses common passwords, whether set by an admin or by the operator', async () => {
    const body = { password: 'PassWord1234' };
    const createAnswer = await admin.call(operators.create, { body: { ...body, login: 'gleb', role: 'member' } });
    const gleb = await make({ login: 'gleb', role: 'member' });
    const passwordAnswer = await admin.call(setOperatorPassword, { params: { id: gleb.id }, body });
    const { client } = await enter('gleb');
    const own = await client.call(changeOwnPassword, { body: { ...body, current: PASSWORD } });
    expect(
      [createAnswer, passwordAnswer, own].map(({ status, headers }) => [status, headers.get('x-refusal')]),
    ).toEqual(Array.from({ length: 3 }, () => [409, 'operator.common_password']));
  });

  it('requires a new password at sign-in when somebody else set the current one', async () => {
    const createAnswer = { login: 'inna', password: PASSWORD, role: 'admin' as const };
    const { id } = (await admin.call(operators.create, { body: createAnswer })).body as Operator;
    /** Sign in with an assigned password and choose another one. Returns the session in which it was chosen. */
    const choose = async (passwordAnswer: string, own: string): Promise<Client> => {
      const { status, client } = await enter('inna', passwordAnswer);
      expect(status).toBe(200);
      expect((await client.call(validate, {})).body).toMatchObject({ login: 'inna', password_change_due: true });
      const closed = [
        await client.call(companies.list, {}),
        await client.call(operators.list, {}),
        await client.call(changeSignInPolicy, { body: { second_factor_required: false } }),
        await client.call(setOperatorPassword, { params: { id }, body: { password: own } }),
      ];
      for (const { status, headers } of closed)
        expect([status, headers.get('x-refusal')]).toEqual([403, 'password_change_due']);
      const same = await client.call(changeOwnPassword, {
        body: { current: passwordAnswer, password: passwordAnswer },
      });
      expect([same.status, same.headers.get('x-refusal')]).toEqual([409, 'operator.same_password']);
      expect((await client.call(changeOwnPassword, { body: { current: passwordAnswer, password: own } })).status).toBe(
        204,
      );
      expect((await client.call(validate, {})).body).not.toHaveProperty('password_change_due');
      expect((await client.call(companies.list, {})).status).toBe(200);
      return client;
    };
    const client = await choose(PASSWORD, OTHER);
    expect((await enter('inna', OTHER)).status).toBe(200);
    // Admins who set their own password with this call need not change it: nobody else knows it.
    const own = { params: { id }, body: { password: `more ${OTHER}` } };
    expect((await client.call(setOperatorPassword, own)).status).toBe(200);
    expect((await (await enter('inna', `more ${OTHER}`)).client.call(companies.list, {})).status).toBe(200);
    const passwordAnswer = { params: { id }, body: { password: `given ${PASSWORD}` } };
    expect((await admin.call(setOperatorPassword, passwordAnswer)).status).toBe(200);
    await choose(`given ${PASSWORD}`, OTHER);
  });

  it('disables and enables an operator', async () => {
    const clara = await make({ login: 'clara', role: 'admin' });
    const { client } = await enter('clara');
    const body = (is_active: boolean) => ({ role: 'admin' as const, company_ids: [], is_active });
    expect((await admin.call(operators.replace, { params: { id: clara.id }, body: body(false) })).status).toBe(200);
    expect((await client.call(validate, {})).status).toBe(401);
    expect((await enter('clara')).status).toBe(401);
    expect((await admin.call(operators.replace, { params: { id: clara.id }, body: body(true) })).status).toBe(200);
    expect((await enter('clara')).status).toBe(200);
  });

  it('signs an operator out everywhere when an admin resets the password', async () => {
    const dora = await make({ login: 'dora', role: 'admin' });
    const before = await enter('dora');
    expect((await admin.call(endOperatorSessions, { params: { id: dora.id } })).body).toMatchObject({ sessions: 0 });
    expect((await before.client.call(validate, {})).status).toBe(401);
    const again = await enter('dora');
    await admin.call(setOperatorPassword, { params: { id: dora.id }, body: { password: OTHER } });
    expect((await again.client.call(validate, {})).status).toBe(401);
    expect([(await enter('dora')).status, (await enter('dora', OTHER)).status]).toEqual([401, 200]);
  });

  it("ends the operator's other sessions when the password is changed", async () => {
    await make({ login: 'egor', role: 'member' });
    const [here, there] = [await enter('egor'), await enter('egor')];
    const wrong = await here.client.call(changeOwnPassword, { body: { current: OTHER, password: OTHER } });
    expect([wrong.status, wrong.body]).toEqual([409, { detail: 'The current password is wrong.' }]);
    expect((await here.client.call(changeOwnPassword, { body: { current: PASSWORD, password: OTHER } })).status).toBe(
      204,
    );
    expect((await here.client.call(validate, {})).status).toBe(200);
    expect((await there.client.call(validate, {})).status).toBe(401);
    expect((await enter('egor', OTHER)).status).toBe(200);
  });

  it('limits guesses of the current password like those at sign-in', async () => {
    await make({ login: 'fima', role: 'member' });
    const { client } = await enter('fima');
    const tries = [];
    for (let one = 0; one < 6; one++)
      tries.push(
        (await client.call(changeOwnPassword, { body: { current: `${OTHER} ${one}`, password: OTHER } })).status,
      );
    expect(tries).toEqual([409, 409, 409, 409, 409, 429]);
  });
});

describe('the last admin', () => {
  it('keeps the last admin enabled and an admin', async () => {
    await world.pool.query("update operators set role = 'member' where login <> 'root'");
    const id = await idOf('root');
    for (const change of [{ role: 'member' as const }, { is_active: false }]) {
      const body = { role: 'admin' as const, company_ids: [], is_active: true, ...change };
      const answer = await admin.call(operators.replace, { params: { id }, body });
      expect([answer.status, answer.headers.get('x-refusal')]).toEqual([409, 'operator.last_admin']);
    }
    expect((await admin.call(validate, {})).body).toMatchObject({ role: 'admin' });
  });

  it('leaves one admin when two disable each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      await world.pool.query("update operators set role = 'admin', is_active = login in ('root', 'clara')");
      const ids = [await idOf('root'), await idOf('clara')];
      const [root, clara] = [await enter('root'), await enter('clara')];
      const body = { role: 'member' as const, company_ids: [], is_active: false };
      const answers = await Promise.all([
        root.client.call(operators.replace, { params: { id: ids[1] ?? 0 }, body }),
        clara.client.call(operators.replace, { params: { id: ids[0] ?? 0 }, body }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const { rows } = await world.pool.query("select login from operators where role = 'admin' and is_active");
      expect(rows).toHaveLength(1);
    }
    await world.pool.query("update operators set role = 'admin', is_active = true");
  });
});

it('records account changes in the audit log, without passwords', async () => {
  const { rows } = await world.pool.query<{ action: string; all: string }>(
    "select action, coalesce(before::text, '') || coalesce(after::text, '') as all from audit where noun = 'operator'",
  );
  expect(new Set(rows.map(({ action }) => action))).toEqual(
    new Set(['created', 'changed', 'new password', 'sessions ended']),
  );
  for (const { all } of rows) expect(all).not.toMatch(/horse|argon2id|password_hash/);
});
