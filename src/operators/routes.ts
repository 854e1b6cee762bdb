import type { CookieSerializeOptions } from '@fastify/cookie';
import type { BodyOf } from '../platform/contract.ts';
import type { Ground } from '../platform/ground.ts';
import { type Handler, ok, type Route, route } from '../platform/http/routes.ts';
import { Refusal } from '../platform/refuse.ts';
import { accountRoutes } from './accountRoutes.ts';
import { login, logout, validate } from './contract.ts';
import type { Sessions } from './session.ts';
import { refuseShutOut, signIn, signOut } from './signIn.ts';

/** Behind TLS the `__Host-` prefix binds the cookie to this very host. */
export function sessionCookie(publicUrl: string): { name: string; options: CookieSerializeOptions } {
  const secure = publicUrl.startsWith('https:');
  return {
    name: secure ? '__Host-rapport_session' : 'rapport_session',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  };
}

/** The route of the login. Who is known to be refused takes no place among those who are not. */
function loginRoute(handle: Handler<typeof login>): Route {
  return {
    ...route(login, handle),
    before: ({ body, raw }) => refuseShutOut((body as BodyOf<typeof login>).login, raw.ip),
  };
}

export function operatorRoutes(ground: Ground, sessions: Sessions): Route[] {
  const cookie = sessionCookie(ground.config.publicUrl);
  return [
    ...accountRoutes(ground, cookie.name),
    loginRoute(async ({ body, raw, reply }) => {
      try {
        const { token, operator } = await signIn(ground, body.login, body.password, raw.ip);
        reply.setCookie(cookie.name, token, cookie.options);
        return ok(200, operator);
      } catch (error) {
        // The login page shows a failure's text body as it is.
        if (!(error instanceof Refusal)) throw error;
        if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
        return ok(error.status === 429 ? 429 : 401, error.message);
      }
    }),
    route(validate, async ({ caller }) =>
      ok(200, { id: caller.id, login: caller.login, role: caller.admin ? 'admin' : 'member' }),
    ),
    route(logout, async ({ raw, reply }) => {
      const token = raw.cookies[cookie.name];
      if (token) await signOut(ground, token);
      sessions.forget();
      reply.clearCookie(cookie.name, cookie.options);
      return ok(204, null);
    }),
  ];
}
