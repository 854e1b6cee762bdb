/** Installation data that the console may read before sign-in. */
import type { Mode } from '../platform/config.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { installation } from './contract.ts';
import { DEMO_LOGIN, DEMO_PASSWORD } from './demoOperator.ts';

export function installationRoute(mode: Mode): Route {
  const sandbox = mode === 'sandbox';
  return route(installation, async () =>
    ok(200, { sandbox, demo_login: sandbox ? DEMO_LOGIN : null, demo_password: sandbox ? DEMO_PASSWORD : null }),
  );
}
