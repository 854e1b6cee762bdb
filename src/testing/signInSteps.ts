/** The steps of a sign-in and of second factors, as a browser or the thief of a password takes them. */
import { login as signInWith } from '../access/contract.ts';
import { addOperator } from '../access/operator.ts';
import { confirmAuthenticator, passSecondFactor, startAuthenticator } from '../access/secondFactorContract.ts';
import { codeOf, stepAt } from '../access/totp.ts';
import type { AppContext } from '../platform/appContext.ts';
import { type ApiAnswer, type Client, makeClient } from './client.ts';
import { PASSWORD, type World } from './world.ts';

/** Return the context of the world's app. Throws if the world serves nobody. */
export function contextOf(world: World): AppContext {
  if (!world.app) throw new Error('The world serves nobody');
  return world.app.context;
}

/** Return the steps in a world that is created later. */
export function signInSteps(worldOf: () => World) {
  let count = 0;
  const query = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await worldOf().pool.query<R>(text, values)).rows;
  const clientOf = (answer: ApiAnswer): Client =>
    makeClient(worldOf().url, answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', worldOf().canaries);
  /** Create an operator, an admin without `companies`. Returns the login. */
  async function operator(companies: readonly number[] | null = null): Promise<string> {
    const login = `second ${++count}`;
    await contextOf(worldOf()).transact((tx) =>
      addOperator(tx, { login, password: PASSWORD, companies, mustChange: false }),
    );
    return login;
  }
  /** Take the first step. */
  async function enter(login: string, password = PASSWORD): Promise<{ answer: ApiAnswer; client: Client }> {
    const answer = await worldOf().anonymousClient().call(signInWith, { body: { login, password } });
    return { answer, client: clientOf(answer) };
  }
  /** Sign in an operator who has no second factor. */
  async function whole(login: string): Promise<Client> {
    const { answer, client } = await enter(login);
    if (answer.status !== 200) throw new Error(`Signing in was answered ${answer.status}`);
    return client;
  }
  /** Return the code that an app shows at `drift` seconds from the database's clock, which the server uses. */
  async function code(secret: string, drift = 0): Promise<string> {
    const [row] = await query<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now');
    return codeOf(secret, stepAt((row?.now ?? 0) + drift));
  }
  /** Pretend that half a minute has passed since the last code. */
  const forgetStep = () => query('update operator_authenticators set last_step = null');
  /** Add an authenticator. Returns its secret and the recovery codes. */
  async function enrol(client: Client): Promise<{ secret: string; codes: string[] }> {
    const { secret } = (await client.call(startAuthenticator, {})).body as { secret: string };
    const confirmed = await client.call(confirmAuthenticator, { body: { code: await code(secret) } });
    if (confirmed.status !== 200) throw new Error(`Enrolling was answered ${confirmed.status}`);
    await forgetStep();
    return { secret, codes: (confirmed.body as { recovery_codes: string[] }).recovery_codes };
  }
  /** Take the second step. */
  const pass = (client: Client, body: { code: string } | { recovery_code: string }): Promise<ApiAnswer> =>
    client.call(passSecondFactor, { body });
  const actionsOf = async (login: string): Promise<string[]> =>
    (
      await query<{ action: string }>("select action from audit where noun = 'sign_in' and operator = $1 order by id", [
        login,
      ])
    ).map(({ action }) => action);
  const idOf = async (login: string): Promise<number> =>
    (await query<{ id: number }>('select id::int as id from operators where login = $1', [login]))[0]?.id ?? 0;
  return { query, clientOf, operator, enter, whole, code, forgetStep, enrol, pass, actionsOf, idOf };
}
