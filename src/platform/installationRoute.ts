import { ok, type Route, route } from './http/routes.ts';
import { installation } from './installationContract.ts';

interface Installation {
  readonly isSandbox: boolean;
  /** The operator whom the login page fills in; null in production, and in a sandbox without the demo. */
  readonly demo: { readonly login: string; readonly password: string } | null;
}

export function installationRoute({ isSandbox, demo }: Installation): Route {
  const installationInfo = {
    sandbox: isSandbox,
    demo_login: demo?.login ?? null,
    demo_password: demo?.password ?? null,
  };
  return route(installation, async () => ok(200, installationInfo));
}
