import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply } from 'fastify';
import type { AppContext } from '../platform/appContext.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Caller } from '../platform/http/caller.ts';
import { type Handler, ok, type Route, route } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import { Refusal, refuse } from '../platform/refuse.ts';
import { accountRoutes } from './accountRoutes.ts';
import { login, logout, type OperatorSelf, operatorRefusals, validate } from './contract.ts';
import { originOf } from './origin.ts';
import { createAuthenticationOptions, relyingPartyOf } from './passkeys.ts';
import { askPasskeyAtSignIn, passSecondFactor } from './secondFactorContract.ts';
import { passSecondStep, requirePendingSignIn, secondFactorKinds } from './secondStep.ts';
import { securityRoutes } from './securityRoutes.ts';
import type { Sessions } from './session.ts';
import { refuseLockedOut, signIn, signOut } from './signIn.ts';
import { readNotice } from './store/secondFactorGuesses.ts';
import { findSession } from './store/sessions.ts';

/**
 * Return the name and options of the session cookie. Behind TLS the `__Host-` prefix binds the cookie to this very
 * host.
 */
export function sessionCookie(publicUrl: string): { name: string; options: CookieSerializeOptions } {
  const secure = publicUrl.startsWith('https:');
  return {
    name: secure ? '__Host-rapport_session' : 'rapport_session',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  };
}

type Known = Pick<Caller, 'id' | 'login' | 'admin' | 'mustEnrol' | 'mustChangePassword'>;

/** Describe the signed-in operator for the console. */
async function describeSelf(
  { authReader }: AppContext,
  { id, login: name, admin, mustEnrol, mustChangePassword }: Known,
): Promise<OperatorSelf> {
  const isGuessed = (await readNotice(authReader, id)) !== null;
  return {
    id,
    login: name,
    role: admin ? 'admin' : 'member',
    ...(mustEnrol ? { second_factor_missing: true as const } : {}),
    ...(mustChangePassword ? { password_change_due: true as const } : {}),
    ...(isGuessed ? { second_factor_guessed: true as const } : {}),
  };
}

/** Reply with a refusal as the login page shows it: its sentence as text. */
function sentenceReply(error: unknown, reply: FastifyReply): { status: 401 | 429; body: string } {
  if (!(error instanceof Refusal)) throw error;
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  return ok(error.status === 429 ? 429 : 401, error.message);
}

/** Create the login route. Logins that are known to be locked out are refused before they wait for a slot. */
function loginRoute(handle: Handler<typeof login>): Route {
  return {
    ...route(login, handle),
    precheck: ({ body, raw }) => refuseLockedOut((body as BodyOf<typeof login>).login, raw.ip),
  };
}

export function operatorRoutes(context: AppContext, sessions: Sessions): Route[] {
  const cookie = sessionCookie(context.config.publicUrl);
  /** Read the operator of a new session from the database: no lookup has cached it yet. */
  const readSelf = async (token: string): Promise<OperatorSelf> => {
    const owner = await findSession(context.reader, fingerprint(token));
    if (!owner) throw refuse(operatorRefusals, 'operator.sign_in_again');
    const { role, must_enrol: mustEnrol, must_change_password: mustChangePassword } = owner;
    return describeSelf(context, { ...owner, admin: role === 'admin', mustEnrol, mustChangePassword });
  };
  return [
    ...accountRoutes(context, sessions, cookie.name),
    ...securityRoutes(context, sessions, cookie.name),
    loginRoute(async ({ body, raw, reply }) => {
      try {
        const former = raw.cookies[cookie.name];
        const { token, operator, secondFactorDue } = await signIn(context, { ...body, origin: originOf(raw), former });
        reply.setCookie(cookie.name, token, cookie.options);
        if (secondFactorDue) return ok(202, { second_factors: await secondFactorKinds(context, operator.id) });
        return ok(200, await readSelf(token));
      } catch (error) {
        return sentenceReply(error, reply);
      }
    }),
    route(passSecondFactor, async ({ body, raw, reply }) => {
      try {
        const origin = originOf(raw);
        const input = { token: raw.cookies[cookie.name], step: body, origin, party: () => relyingPartyOf(raw) };
        const { token } = await passSecondStep(context, input);
        reply.setCookie(cookie.name, token, cookie.options);
        return ok(200, await readSelf(token));
      } catch (error) {
        return sentenceReply(error, reply);
      }
    }),
    route(askPasskeyAtSignIn, async ({ raw, reply }) => {
      try {
        const pending = await requirePendingSignIn(context, raw.cookies[cookie.name]);
        return ok(200, await createAuthenticationOptions(context, relyingPartyOf(raw), pending));
      } catch (error) {
        return ok(401, sentenceReply(error, reply).body);
      }
    }),
    route(validate, async ({ caller }) => ok(200, await describeSelf(context, caller))),
    route(logout, async ({ raw, caller, reply }) => {
      const token = raw.cookies[cookie.name];
      if (token) await signOut(context, token, { operator: caller, origin: originOf(raw) });
      sessions.forget();
      reply.clearCookie(cookie.name, cookie.options);
      return ok(204, null);
    }),
  ];
}
