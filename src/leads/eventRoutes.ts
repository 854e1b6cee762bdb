import type { AppContext } from '../platform/appContext.ts';
import { type Listing, readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { eventsOfLead, type LeadEvent, leadEvents } from './contract.ts';

const EVENTS: Listing = {
  from: 'lead_events t',
  select: {
    id: 't.id',
    lead_id: 't.lead_id',
    // A subquery instead of a join: it runs only for the rows of the page.
    lead_name: '(select l.name from leads l where l.id = t.lead_id)',
    event: "jsonb_build_object('event_type', t.event_type, 'event_data', t.event_data)",
    created_at: 't.created_at',
  },
  conditions: { product_id: 't.product_id = $', event_type: 't.event_type = $' },
  search: [],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

/** List events, of one lead or of all leads. */
export function leadEventRoutes(context: AppContext): Route[] {
  return [
    route(eventsOfLead, async ({ params, query }) => {
      const result = await readList<LeadEvent>(context.pool, {
        listing: EVENTS,
        query: { ...query, lead_id: [params.id] },
        companies: null,
      });
      return ok(200, { ...result, page: query.page, limit: query.limit });
    }),
    route(leadEvents, async ({ query, caller }) => {
      const result = await readList<LeadEvent>(context.pool, { listing: EVENTS, query, companies: caller.companies });
      return ok(200, { ...result, page: query.page, limit: query.limit });
    }),
  ];
}
