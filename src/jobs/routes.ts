import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { readJobQueues } from './contract.ts';
import type { QueueState } from './keyedConcurrency.ts';

/** Create the routes of jobs. `queueStates` returns the concurrency queues of this node; none where it runs no jobs. */
export function jobRoutes(context: AppContext, queueStates: () => readonly QueueState[]): Route[] {
  return [
    route(readJobQueues, async () =>
      ok(200, { node: context.config.nodeName, width: context.config.concurrency, lanes: [...queueStates()] }),
    ),
  ];
}
