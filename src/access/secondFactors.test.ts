/**
 * Two-factor sign-in, reauthentication and an operator's own sessions, as a browser or the thief of a password meets
 * them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyLlms } from '../llm/contract.ts';
import type { ApiAnswer } from '../testing/client.ts';
import { contextOf, signInSteps } from '../testing/signInSteps.ts';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';
import { changeOwnPassword, operators, setOperatorPassword } from './accountContract.ts';
import { logout, validate } from './contract.ts';
import { changePassword, resetSecondFactors } from './operator.ts';
import {
  askPasskeyAtSignIn,
  changeSignInPolicy,
  confirmAuthenticator,
  confirmIdentity,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  type OwnSession,
  readSecondFactors,
  removeAuthenticator,
  renewRecoveryCodes,
  startAuthenticator,
  startPasskey,
} from './secondFactorContract.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());
const { operator, clientOf, enter, whole, code, forgetStep, enrol, pass, actionsOf } = signInSteps(() => world);

describe('an authenticator app', () => {
  it('asks for a code after the password, which alone opens no session', async () => {
    const login = await operator();
    const { secret } = await enrol(await whole(login));
    const { answer, client } = await enter(login);
    expect([answer.status, answer.body]).toEqual([202, { second_factors: ['authenticator', 'recovery_code'] }]);
    for (const one of [validate, listOwnSessions, readSecondFactors, startAuthenticator, operators.list])
      expect((await client.call(one, {})).status).toBe(401);
    expect((await pass(world.anonymousClient(), { code: await code(secret) })).status).toBe(401);
    const passed = await pass(client, { code: await code(secret) });
    expect([passed.status, passed.body]).toEqual([200, expect.objectContaining({ login, role: 'admin' })]);
    expect((await clientOf(passed).call(validate, {})).status).toBe(200);
    // The cookie of the first step is consumed.
    expect([(await client.call(validate, {})).status, (await pass(client, { code: '000000' })).status]).toEqual([
      401, 401,
    ]);
    expect(await actionsOf(login)).toEqual(['signed in', 'authenticator added', 'second factor asked', 'signed in']);
  });

  it('activates with the first code, and accepts no code twice, even at once', async () => {
    const login = await operator();
    const client = await whole(login);
    const { secret } = (await client.call(startAuthenticator, {})).body as { secret: string };
    expect((await enter(login)).answer.status).toBe(200);
    expect((await client.call(confirmAuthenticator, { body: { code: '000000' } })).status).toBe(409);
    const first = await code(secret);
    expect((await client.call(confirmAuthenticator, { body: { code: first } })).status).toBe(200);
    expect((await pass((await enter(login)).client, { code: first })).status).toBe(401);
    await forgetStep();
    const present = await code(secret);
    const both = [(await enter(login)).client, (await enter(login)).client];
    const statuses = (await Promise.all(both.map((one) => pass(one, { code: present })))).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401]);
    expect((await client.call(startAuthenticator, {})).status).toBe(409);
  });

  it('limits guesses of codes like guesses of passwords, over all sign-ins', async () => {
    const login = await operator();
    const { secret } = await enrol(await whole(login));
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++)
      statuses.push((await pass((await enter(login)).client, { code: `00000${guess}` })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await pass((await enter(login)).client, { code: await code(secret) })).status).toBe(429);
  });

  it('accepts a recovery code once in place of a code', async () => {
    const login = await operator();
    const { codes } = await enrol(await whole(login));
    expect(new Set(codes).size).toBe(10);
    const [spent = '', other = ''] = codes;
    const passed = await pass((await enter(login)).client, { recovery_code: spent.toLowerCase() });
    expect([passed.status, (await pass((await enter(login)).client, { recovery_code: spent })).status]).toEqual([
      200, 401,
    ]);
    const client = clientOf(passed);
    const renewed = (await client.call(renewRecoveryCodes, {})).body as { recovery_codes: string[] };
    expect((await pass((await enter(login)).client, { recovery_code: other })).status).toBe(401);
    const [fresh = ''] = renewed.recovery_codes;
    expect((await pass((await enter(login)).client, { recovery_code: fresh })).status).toBe(200);
    const { rows } = await world.pool.query<{ text: string }>('select c::text as text from operator_recovery_codes c');
    for (const one of [...codes, ...renewed.recovery_codes])
      expect(rows.some(({ text }) => text.includes(one))).toBe(false);
  });

  it('refuses the second step when the password changed meanwhile', async () => {
    const login = await operator();
    const { secret } = await enrol(await whole(login));
    const { client } = await enter(login);
    await contextOf(world).transact((tx) =>
      changePassword(tx, { operatorRef: login, password: 'three herons at dawn' }),
    );
    expect((await pass(client, { code: await code(secret) })).status).toBe(401);
  });

  it('removes an authenticator by its operator and by the command', async () => {
    const login = await operator();
    const client = await whole(login);
    await enrol(client);
    expect((await client.call(removeAuthenticator, {})).status).toBe(204);
    expect((await client.call(readSecondFactors, {})).body).toEqual({
      required: false,
      authenticator: null,
      passkeys: [],
      recovery_codes: 0,
      wrong_codes: null,
    });
    await enrol(client);
    await contextOf(world).transact((tx) => resetSecondFactors(tx, login));
    expect((await enter(login)).answer.status).toBe(200);
    expect((await client.call(validate, {})).status).toBe(401);
  });
});

describe('a passkey', () => {
  it('offers no passkey without a host name, and asks for none without a sign-in', async () => {
    const client = await whole(await operator());
    expect((await client.call(startPasskey, {})).headers.get('x-refusal')).toBe('operator.no_passkeys');
    expect((await world.anonymousClient().call(askPasskeyAtSignIn, {})).status).toBe(401);
  });
});

describe('a second factor that the installation requires', () => {
  it('requires adding a second factor first, and locks no admin out', async () => {
    const admin = await whole(await operator());
    const member = await whole(await operator([world.companyId]));
    const policy = (required: boolean) =>
      admin.call(changeSignInPolicy, { body: { second_factor_required: required } });
    // The operator who requires it must have a second factor.
    expect((await policy(true)).headers.get('x-refusal')).toBe('operator.no_second_factor');
    await enrol(admin);
    expect((await policy(true)).status).toBe(200);
    const list = () => member.call(companyLlms.list, {});
    expect([(await list()).status, (await list()).headers.get('x-refusal')]).toEqual([403, 'second_factor_missing']);
    expect((await member.call(validate, {})).body).toMatchObject({ second_factor_missing: true });
    await enrol(member);
    expect([(await list()).status, (await member.call(validate, {})).body]).toEqual([
      200,
      expect.not.objectContaining({ second_factor_missing: true }),
    ]);
    expect((await member.call(removeAuthenticator, {})).headers.get('x-refusal')).toBe(
      'operator.second_factor_required',
    );
    expect((await policy(false)).status).toBe(200);
    expect((await member.call(removeAuthenticator, {})).status).toBe(204);
  });
});

describe('changing credentials', () => {
  it('asks for the password again after 15 minutes before it changes credentials', async () => {
    const login = await operator();
    const client = await whole(login);
    const other = await operator();
    const { rows } = await world.pool.query<{ id: number }>('select id::int as id from operators where login = $1', [
      other,
    ]);
    const id = rows[0]?.id ?? 0;
    const llm = {
      company_id: world.companyId,
      vendor: 'gemini' as const,
      credentials: { api_key: 'AIza-of-a-test' },
      is_active: false,
    };
    const changes: (() => Promise<ApiAnswer>)[] = [
      () => client.call(setOperatorPassword, { params: { id }, body: { password: 'three herons at dawn' } }),
      () => client.call(operators.change, { params: { id }, body: { role: 'admin' } }),
      () => client.call(startAuthenticator, {}),
      () => client.call(companyLlms.create, { body: llm }),
    ];
    await world.pool.query(
      `update sessions set reauthenticated_at = clock_timestamp() - interval '15 minutes 1 second'
        where operator_id = (select id from operators where login = $1)`,
      [login],
    );
    await world.waitUntil(
      async () => (await client.call(startAuthenticator, {})).status === 403,
      'the confirmation to be forgotten',
      5000,
    );
    for (const change of changes) {
      const answer = await change();
      expect([answer.status, answer.headers.get('x-refusal')]).toEqual([403, 'proof_required']);
    }
    // Calls that change no credentials still work.
    expect((await client.call(companyLlms.list, {})).status).toBe(200);
    const wrong = await client.call(confirmIdentity, { body: { password: 'not this one' } });
    expect(wrong.headers.get('x-refusal')).toBe('operator.wrong_password');
    expect((await client.call(confirmIdentity, { body: { password: PASSWORD } })).status).toBe(204);
    for (const change of changes) expect((await change()).status).toBeLessThan(300);
    expect(await actionsOf(login)).toContain('identity confirmed');
  });
});

describe("an operator's own sessions", () => {
  it('lists sessions with their origin, and ends one or all others', async () => {
    const login = await operator();
    const { rows } = await world.pool.query<{ id: number }>('select id::int as id from sessions limit 1');
    const [here, there, third] = [await whole(login), await whole(login), await whole(login)];
    const list = async () => (await here.call(listOwnSessions, {})).body as OwnSession[];
    const before = await list();
    expect(before.filter(({ current }) => current)).toHaveLength(1);
    expect(before).toHaveLength(3);
    expect(before[0]).toMatchObject({ network: '127.0.0.1', created_at: expect.any(String) });
    const id = ((await there.call(listOwnSessions, {})).body as OwnSession[]).find(({ current }) => current)?.id ?? 0;
    // Sessions of other operators cannot be ended.
    expect((await here.call(endOwnSession, { params: { session: rows[0]?.id ?? 0 } })).status).toBe(404);
    expect((await here.call(endOwnSession, { params: { session: id } })).status).toBe(204);
    expect([(await there.call(validate, {})).status, (await third.call(validate, {})).status]).toEqual([401, 200]);
    expect((await here.call(endOtherSessions, {})).status).toBe(204);
    expect([(await third.call(validate, {})).status, (await here.call(validate, {})).status]).toEqual([401, 200]);
    expect(await list()).toHaveLength(1);
  });
});

describe('the audit log of sign-ins', () => {
  it('names the operator whose password was wrong in a session of their own', async () => {
    const login = await operator();
    const client = await whole(login);
    await client.call(confirmIdentity, { body: { password: 'not this one' } });
    for (let guess = 0; guess < 4; guess++)
      await client.call(changeOwnPassword, { body: { current: `wrong ${guess}`, password: `more ${PASSWORD}` } });
    const failed = Array.from({ length: 5 }, () => 'confirmation failed');
    expect(await actionsOf(login)).toEqual(['signed in', ...failed, 'locked out']);
  });

  it('records sign-ins, failures, lock-outs and logouts, never a typed unknown login', async () => {
    const login = await operator();
    const client = await whole(login);
    await client.call(changeOwnPassword, { body: { current: PASSWORD, password: `more ${PASSWORD}` } });
    await client.call(logout, {});
    expect(await actionsOf(login)).toEqual(['signed in', 'signed out']);
    const typed = 'my secret, by mistake';
    for (let guess = 0; guess < 6; guess++) await enter(typed, 'wrong');
    const { rows } = await world.pool.query<{ action: string; after: Record<string, unknown>; request_id: string }>(
      `select action, after, request_id from audit
        where noun = 'sign_in' and operator is null order by id desc limit 6`,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'locked out',
      ...Array.from({ length: 5 }, () => 'sign-in failed'),
    ]);
    for (const { after, request_id } of rows) {
      expect(after).toMatchObject({ network: '127.0.0.1', login_hash: rows[0]?.after['login_hash'] });
      expect([typeof request_id, JSON.stringify(after).includes(typed)]).toEqual(['string', false]);
    }
  });
});
