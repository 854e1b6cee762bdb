/** The target of the attacks: a server process of its own, with a company that has a row of every kind. */
import type pg from 'pg';
import { startApp } from '../../app.ts';
import { readConfig } from '../../platform/config.ts';
import type { Endpoint } from '../../platform/contract.ts';
import { createLog } from '../../platform/log.ts';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { connectHooks, type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import type { ProbeOptions } from '../harness/probe.ts';
import { withWorld } from '../harness/world.ts';

/** Limits for ordinary requests during an attack: the slowdown factor, and the share that may fail. */
export const MAX_SLOWDOWN = 10;
export const MAX_FAILED_SHARE = 0.01;

export interface Target {
  readonly url: string;
  /** The company with conversations, beside the one that has a row of every kind. */
  readonly world: World;
  readonly pool: pg.Pool;
  /** Endpoints as they are served. */
  readonly endpoints: readonly Endpoint[];
  readonly rows: CompanyRowIds;
  /** Session cookie of an admin. */
  readonly cookie: string;
  readonly server: ServerProcess;
}

/** Start the product on a database of its own, with its hooks connected, and attack it. */
export function withTarget<T>(attack: (target: Target) => Promise<T>): Promise<T> {
  return withWorld({}, async (world) => {
    const settings = {
      // The floods send from addresses that they name themselves.
      RAPPORT_TRUST_PROXY: 'on',
      RAPPORT_LOG_LEVEL: 'error',
      RAPPORT_STRICT_REPLIES: 'off',
      RAPPORT_SWEEP_SECONDS: '1',
    };
    // Reads the list of endpoints from the app itself, on a port that is used for nothing else.
    const app = await startApp(
      readConfig(world.env({ ...settings, PORT: String(await freePort()), RAPPORT_ROLES: 'web' })),
      createLog('silent'),
    );
    const endpoints = app.routes.map((one) => one.endpoint);
    await app.stop();
    const server = startServer(world, settings);
    try {
      await server.waitUntilReady();
      await connectHooks(world);
      const rows = await createCompanyWithEveryResource(world.pool, 'Amber');
      for (const name of ['Basalt', 'Copper', 'Dolomite']) await createCompanyWithEveryResource(world.pool, name);
      const { cookie } = await world.operator('root');
      return await attack({ url: world.url, world, pool: world.pool, endpoints, rows, cookie, server });
    } finally {
      await server.stop();
    }
  });
}

/** An ordinary request, one after another; one that takes longer than `timeoutMs` is not served. */
export function ordinaryRequest(url: string, timeoutMs: number, init: RequestInit = {}): ProbeOptions {
  return { request: () => fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }), everyMs: 50 };
}
