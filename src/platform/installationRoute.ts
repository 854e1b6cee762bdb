import { ok, type Route, route } from './http/routes.ts';
import { installation } from './installationContract.ts';

/** @param demo the operator whom the login page fills in; null in production */
export function installationRoute(demo: { login: string; password: string } | null): Route {
  const installationInfo = {
    sandbox: demo !== null,
    demo_login: demo?.login ?? null,
    demo_password: demo?.password ?? null,
  };
  return route(installation, async () => ok(200, installationInfo));
}
