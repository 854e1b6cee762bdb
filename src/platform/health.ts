/** Health of the process: liveness, readiness, metrics. */
import { z } from 'zod';
import type { AppContext } from './appContext.ts';
import { endpoint, errorReply, nameShape } from './contract.ts';
import { ok, type Route, route } from './http/routes.ts';
import { migrationNames } from './migrate.ts';
import { VERSION } from './version.ts';

const health = z.object({ status: z.string(), version: z.string() });
nameShape('Health', health);

export const healthz = endpoint({
  operation: 'getHealth',
  method: 'GET',
  path: '/healthz',
  access: 'public',
  load: 'probe',
  summary: 'The process is alive',
  replies: { 200: health },
});

export const readyz = endpoint({
  operation: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  access: 'public',
  load: 'probe',
  summary: 'The database answers, migrations are current, and the server is not about to stop',
  replies: { 200: health, 503: errorReply },
});

export const metrics = endpoint({
  operation: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  access: 'metrics',
  load: 'probe',
  media: 'text/plain',
  summary: 'Metrics for Prometheus',
  replies: { 200: z.string(), 401: errorReply },
});

/**
 * - `starting`: what the first sign-in needs is not stored yet; in a sandbox, that is the demo
 * - `serving`
 * - `stopping`: still served, but load balancers shall route no more requests to it
 */
export type Stage = 'starting' | 'serving' | 'stopping';

/** State of the app that the health checks report. */
export interface HealthState {
  readonly stage: () => Stage;
  /**
   * Request classes that the node has no free slots for. An overloaded node still reports ready, and mentions it in its
   * status: if a balancer removed it, its share would overload the others until they are out too.
   */
  readonly fullClasses: () => readonly string[];
  /** Update the gauges that are read only when metrics are requested. */
  readonly refreshGauges: () => Promise<void>;
}

export function healthRoutes(context: AppContext, { stage, fullClasses, refreshGauges }: HealthState): Route[] {
  const expectedMigrations = migrationNames();
  let migrationsAreCurrent = false;
  /**
   * Whether callers are already waiting for a connection: the listening connection then shows that the database is up.
   */
  const isPoolBusy = () => migrationsAreCurrent && context.notifications.isConnected && context.pool.waitingCount > 0;
  return [
    route(healthz, async () => ok(200, { status: 'alive', version: VERSION })),
    route(readyz, async () => {
      if (stage() === 'stopping') return ok(503, { detail: 'This server is about to stop' });
      if (stage() === 'starting') return ok(503, { detail: 'This server is still starting' });
      if (isPoolBusy()) return ok(200, { status: 'overloaded: the database', version: VERSION });
      try {
        const { rows } = await context.pool.query<{ name: string }>('select name from migrations order by name');
        const missing = (await expectedMigrations).filter((name) => !rows.some((row) => row.name === name));
        migrationsAreCurrent = missing.length === 0;
        if (missing.length > 0) return ok(503, { detail: `Migrations are missing: ${missing.join(', ')}` });
      } catch {
        return ok(503, { detail: 'The database does not answer' });
      }
      const fullNow = fullClasses();
      return ok(200, { status: fullNow.length > 0 ? `overloaded: ${fullNow.join(', ')}` : 'ready', version: VERSION });
    }),
    route(metrics, async ({ reply }) => {
      await refreshGauges();
      reply.type(context.metrics.registry.contentType);
      return ok(200, await context.metrics.registry.metrics());
    }),
  ];
}
