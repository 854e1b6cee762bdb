/** Guesses of a second factor by somebody who knows the password, and steps of a sign-in that are taken at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { contextOf, signInSteps } from '../testing/signInSteps.ts';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';
import { changeOwnPassword } from './accountContract.ts';
import { validate } from './contract.ts';
import { dismissWrongCodes, passSecondFactor, readSecondFactors, type SecondFactors } from './secondFactorContract.ts';
import { waitAfter } from './secondFactorGuesses.ts';
import { passSecondStep } from './secondStep.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());
const { operator, enter, whole, code, forgetStep, enrol, pass, actionsOf, idOf, query } = signInSteps(() => world);

describe('wrong codes', () => {
  /** Enter wrong codes, each with a first step of its own. Returns the statuses. */
  async function guess(login: string, times: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let nth = 0; nth < times; nth++)
      statuses.push((await pass((await enter(login)).client, { code: `00000${nth}` })).status);
    return statuses;
  }
  /** Pretend that the wait is over. */
  const endWait = async (login: string): Promise<unknown> =>
    world.pool.query('update second_factor_guesses set wait_until = clock_timestamp() where operator_id = $1', [
      await idOf(login),
    ]);
  const wrongCodes = async (client: Client): Promise<unknown> =>
    ((await client.call(readSecondFactors, {})).body as SecondFactors).wrong_codes;

  it.each([
    [1, 0],
    [4, 0],
    [5, 300],
    [6, 600],
    [7, 1200],
    [12, 38_400],
    [13, 76_800],
    [14, 86_400],
    [1000, 86_400],
  ])('after %i in a row the next code waits %i s', (inARow, seconds) => {
    expect(waitAfter(inARow)).toBe(seconds);
  });

  it('allows at most 42 codes in 30 days, and 13 a day to an operator who signs in daily', () => {
    /** Count the guesses of somebody who tries again as soon as each wait is over. */
    const guessesIn = (seconds: number): number => {
      let [at, count] = [0, 0];
      for (; at < seconds; at += waitAfter(count)) count += 1;
      return count;
    };
    // Three of the million codes are accepted at a time.
    const chance = (guesses: number) => 100 * (1 - (1 - 3e-6) ** guesses);
    const day = 86_400;
    expect([guessesIn(30 * day), chance(guessesIn(30 * day)).toFixed(3)]).toEqual([42, '0.013']);
    expect([guessesIn(day), chance(30 * guessesIn(day)).toFixed(3)]).toEqual([13, '0.117']);
  });

  it('waits longer after each further one, whatever the sign-in, until a code is right', async () => {
    const login = await operator();
    const { secret } = await enrol(await whole(login));
    expect(await guess(login, 5)).toEqual([401, 401, 401, 401, 401]);
    for (const wait of [300, 600, 1200]) {
      const refused = await pass((await enter(login)).client, { code: await code(secret) });
      expect([refused.status, refused.headers.get('x-refusal')]).toEqual([429, null]);
      const seconds = Number(refused.headers.get('retry-after'));
      expect([seconds > wait - 30, seconds <= wait]).toEqual([true, true]);
      expect(refused.body).toBe(
        `Too many wrong codes. Please try again in ${Math.ceil(seconds / 60)} min, or use a recovery code or a passkey.`,
      );
      await endWait(login);
      expect(await guess(login, 1)).toEqual([401]);
    }
    await endWait(login);
    expect((await pass((await enter(login)).client, { code: await code(secret) })).status).toBe(200);
    await forgetStep();
    // A success resets the count: typing errors have no wait.
    expect(await guess(login, 4)).toEqual([401, 401, 401, 401]);
    expect((await pass((await enter(login)).client, { code: await code(secret) })).status).toBe(200);
  });

  it('counts guesses that are made at once', async () => {
    const login = await operator();
    await enrol(await whole(login));
    const clients: Client[] = [];
    for (let nth = 0; nth < 12; nth++) clients.push((await enter(login)).client);
    const answers = await Promise.all(clients.map((client, nth) => pass(client, { code: `0000${10 + nth}` })));
    // Some may have found no slot.
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect((await guess(login, 5)).at(-1)).toBe(429);
  });

  it('leaves recovery codes usable while codes wait, limited for each network', async () => {
    const login = await operator();
    const { codes } = await enrol(await whole(login));
    expect((await guess(login, 6)).at(-1)).toBe(429);
    const wrong = { recovery_code: 'ABCD-2345-EFGH-6723' };
    const statuses: number[] = [];
    for (let nth = 0; nth < 6; nth++) statuses.push((await pass((await enter(login)).client, wrong)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    // The owner of the account is on another network.
    await world.pool.query("update login_failures set address = '203.0.113.9' where login like 'recovery code of %'");
    const passed = await pass((await enter(login)).client, { recovery_code: codes[0] ?? '' });
    expect(passed.status).toBe(200);
    await world.pool.query('delete from login_failures');
  });

  it('notifies the operator, until they dismiss it or change the password', async () => {
    const login = await operator();
    const client = await whole(login);
    const { secret } = await enrol(client);
    expect(await guess(login, 4)).toHaveLength(4);
    expect([await wrongCodes(client), (await client.call(validate, {})).body]).toEqual([
      null,
      expect.not.objectContaining({ second_factor_guessed: true }),
    ]);
    expect(await guess(login, 1)).toEqual([401]);
    const notice = { count: 5, first_at: expect.any(String), last_at: expect.any(String), last_network: '127.0.0.1' };
    expect(await wrongCodes(client)).toEqual(notice);
    expect((await client.call(validate, {})).body).toMatchObject({ second_factor_guessed: true });
    // A success ends the wait, not the notice.
    await endWait(login);
    const signedIn = await pass((await enter(login)).client, { code: await code(secret) });
    expect([signedIn.status, signedIn.body]).toEqual([200, expect.objectContaining({ second_factor_guessed: true })]);
    await forgetStep();
    expect((await client.call(dismissWrongCodes, {})).status).toBe(204);
    expect([await wrongCodes(client), (await client.call(dismissWrongCodes, {})).status]).toEqual([null, 404]);
    // Dismissing is no success: a wait goes on.
    expect((await guess(login, 6)).at(-1)).toBe(429);
    expect((await client.call(dismissWrongCodes, {})).status).toBe(204);
    expect(await guess(login, 1)).toEqual([429]);
    await endWait(login);
    expect(await guess(login, 1)).toEqual([401]);
    expect(await wrongCodes(client)).toEqual({ ...notice, count: 1 });
    await client.call(changeOwnPassword, { body: { current: PASSWORD, password: `more ${PASSWORD}` } });
    expect(await wrongCodes(client)).toBe(null);
    expect((await pass((await enter(login, `more ${PASSWORD}`)).client, { code: await code(secret) })).status).toBe(
      200,
    );
    expect(await actionsOf(login)).toContain('wrong codes seen');
  });

  it('are in the audit log with the operator they concern, by nobody', async () => {
    const login = await operator();
    await enrol(await whole(login));
    await guess(login, 6);
    const { rows } = await world.pool.query<{ action: string; operator: string | null; login: string }>(
      `select action, operator, after->>'login' as login from audit where noun = 'sign_in' and row_id = $1
          and action in ('second factor failed', 'locked out') order by id`,
      [await idOf(login)],
    );
    const failed = { action: 'second factor failed', operator: null, login };
    expect(rows).toEqual([...Array.from({ length: 5 }, () => failed), { ...failed, action: 'locked out' }]);
  });

  it('change nothing where they are no codes, or come without a first step', async () => {
    const login = await operator();
    await enrol(await whole(login));
    const { client } = await enter(login);
    for (const body of [
      { code: '12345' },
      { code: 123_456 },
      { code: '000000', more: 1 },
      { recovery_code: 'ABCD' },
      {},
    ])
      expect((await client.call(passSecondFactor, { body: body as { code: string } })).status).toBe(422);
    for (let nth = 0; nth < 6; nth++)
      expect((await pass(world.anonymousClient(), { code: '000000' })).status).toBe(401);
    const { rows } = await world.pool.query('select from second_factor_guesses where operator_id = $1', [
      await idOf(login),
    ]);
    expect(rows).toEqual([]);
  });
});

describe('the clock of an app', () => {
  it('may be half a minute off, on both sides, and no more; an older code than the last never works', async () => {
    const login = await operator();
    const { secret } = await enrol(await whole(login));
    // The test takes less than the rest of the step.
    await world.waitUntil(
      async () =>
        (await query<{ fresh: boolean }>('select extract(epoch from clock_timestamp())::int % 30 < 15 as fresh'))[0]
          ?.fresh === true,
      'a new step',
      20_000,
    );
    const statusOf = async (drift: number): Promise<number> =>
      (await pass((await enter(login)).client, { code: await code(secret, drift) })).status;
    expect([await statusOf(-90), await statusOf(90), await statusOf(-30)]).toEqual([401, 401, 200]);
    // The code of the present moment is newer than that one; the next one is newer still.
    expect([await statusOf(-30), await statusOf(0), await statusOf(30), await statusOf(0)]).toEqual([
      401, 200, 200, 401,
    ]);
  });
});

describe('steps taken at once', () => {
  it('consume one recovery code for one sign-in, and one sign-in for one recovery code', async () => {
    const login = await operator();
    const client = await whole(login);
    const { codes } = await enrol(client);
    const left = async () => ((await client.call(readSecondFactors, {})).body as SecondFactors).recovery_codes;
    const [shared = '', ...others] = codes;
    // Two browsers with the same code, once in lower case.
    const two = [(await enter(login)).client, (await enter(login)).client];
    const same = await Promise.all([
      pass(two[0] ?? client, { recovery_code: shared }),
      pass(two[1] ?? client, { recovery_code: shared.toLowerCase() }),
    ]);
    expect(same.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401]);
    expect(await left()).toBe(9);
    // One browser with two codes, as two nodes take them: both have found the first step before one of them ends it.
    const { client: one } = await enter(login);
    const origin = { network: '127.0.0.1', browser: null, requestId: 'both' };
    const party = () => ({ origin: world.url, host: 'localhost' });
    const token = one.cookie.split('=')[1];
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from operators where login = $1 for update', [login]);
    const both = Promise.allSettled(
      others
        .slice(0, 2)
        .map((recovery_code) => passSecondStep(contextOf(world), { token, step: { recovery_code }, origin, party })),
    );
    try {
      await world.waitUntil(async () => {
        const [row] = await query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%from operators%'`,
        );
        return row?.waiting === 2;
      }, 'both steps to wait');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await both).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await left()).toBe(8);
  });
});
