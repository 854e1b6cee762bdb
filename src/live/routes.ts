import { type Route, route } from '../platform/http/routes.ts';
import { streamLiveEvents } from './contract.ts';
import type { LiveStreams } from './streams.ts';

export function liveRoutes(streams: LiveStreams): Route[] {
  return [
    route(streamLiveEvents, async ({ query, caller, stillAllowed, reply }) => {
      streams.openStream(reply, query.product_id ?? { companies: caller.companies }, stillAllowed);
      return 'answered';
    }),
  ];
}
