import type { AppContext } from '../platform/appContext.ts';
import type { FindCaller } from '../platform/http/caller.ts';
import type { Route } from '../platform/http/routes.ts';
import { caseRoutes } from './caseRoutes.ts';
import { judgeRoutes } from './judgeRoutes.ts';
import { playgroundRoute } from './playground.ts';
import { runRoutes } from './runRoutes.ts';
import { personaRoutes } from './simulate/personaRoutes.ts';

export function studioRoutes(context: AppContext, callerOf: FindCaller): Route[] {
  return [
    playgroundRoute(context, callerOf),
    ...caseRoutes(context),
    ...personaRoutes(context),
    ...runRoutes(context),
    ...judgeRoutes(context),
  ];
}
