/** Tells which leads of a product are simulated. */
import { readSimulatedHistory, SIMULATED_TAG } from '../../outcomes/simulatedHistoryContract.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { ok, type Route, route } from '../../platform/http/routes.ts';

export function historyRoute({ pool }: AppContext): Route {
  return route(readSimulatedHistory, async ({ query }) => {
    const { rows } = await pool.query<{ leads: number; from: string | null; to: string | null }>(
      `select count(*)::int as leads, (min(o.started_at) at time zone p.timezone)::date::text as from,
              (max(o.started_at) at time zone p.timezone)::date::text as to
         from products p join leads l on l.product_id = p.id join outcomes o on o.lead_id = l.id
        where p.id = $1 and $2 = any(l.tags) and o.started_at is not null group by p.id`,
      [query.product_id, SIMULATED_TAG],
    );
    const { leads = 0, from = null, to = null } = rows[0] ?? {};
    return ok(200, { history: from === null || to === null ? null : { leads, from, to } });
  });
}
