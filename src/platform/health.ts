/** Whether the process lives, is ready, and how it fares. */
import { z } from 'zod';
import { endpoint, nameShape, sentence } from './contract.ts';
import type { Ground } from './ground.ts';
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
  summary: 'The database answers, migrations are current, the job runner is alive',
  replies: { 200: health, 503: sentence },
});

export const metrics = endpoint({
  operation: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  access: 'metrics',
  load: 'probe',
  media: 'text/plain',
  summary: 'Metrics for Prometheus',
  replies: { 200: z.string(), 401: sentence },
});

/** What the house knows of itself. */
export interface Condition {
  readonly isRunnerAlive: () => boolean;
  /** Told to stop: still serving, but whoever stands before it shall send nobody here any more. */
  readonly isLeaving: () => boolean;
  /**
   * What the node has no room for. An overloaded node is ready all the same, and says so in its status: taken out of a
   * balancer's turn, it would push its share on the others until they are out too.
   */
  readonly full: () => readonly string[];
  /** Brings up to date what is read only when somebody asks for metrics. */
  readonly refreshGauges: () => Promise<void>;
}

export function healthRoutes(ground: Ground, { isRunnerAlive, isLeaving, full, refreshGauges }: Condition): Route[] {
  const known = migrationNames();
  let areCurrent = false;
  /** Somebody else waits for a connection already: the one that listens tells whether the database is there. */
  const isCrowded = () => areCurrent && ground.live.healthy && ground.pool.waitingCount > 0;
  return [
    route(healthz, async () => ok(200, { status: 'alive', version: VERSION })),
    route(readyz, async () => {
      if (isLeaving()) return ok(503, { detail: 'This server is about to stop' });
      const idle = isRunnerAlive() ? null : ok(503, { detail: 'The job runner is not running' });
      if (isCrowded()) return idle ?? ok(200, { status: 'overloaded: the database', version: VERSION });
      try {
        const { rows } = await ground.pool.query<{ name: string }>('select name from migrations order by name');
        const missing = (await known).filter((name) => !rows.some((row) => row.name === name));
        areCurrent = missing.length === 0;
        if (missing.length > 0) return ok(503, { detail: `Migrations are missing: ${missing.join(', ')}` });
      } catch {
        // Without it the job runner does not run either: the cause is told, not what follows from it.
        return ok(503, { detail: 'The database does not answer' });
      }
      if (idle) return idle;
      const crowds = full();
      return ok(200, { status: crowds.length > 0 ? `overloaded: ${crowds.join(', ')}` : 'ready', version: VERSION });
    }),
    route(metrics, async ({ reply }) => {
      await refreshGauges();
      reply.type(ground.metrics.registry.contentType);
      return ok(200, await ground.metrics.registry.metrics());
    }),
  ];
}
