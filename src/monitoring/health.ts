/** Collects the health of the installation and rates it. */
import type { SweepState } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { migrationNames } from '../platform/migrate.ts';
import { type FigureKey, figureKeys, type SystemHealth } from './contract.ts';
import { readQueues } from './store/queues.ts';
import { appliedMigrations, databaseOf, modelsOf, nodesOf, roundTripMs, vendorsOf, withoutOwner } from './store.ts';
import { levelOf, levelOfModel, levelOfNode, levelOfSweep, levelOfVendor, worst } from './thresholds.ts';

/** State that only this process knows, injected by the app. */
export interface LocalState {
  readonly sweeps: () => readonly SweepState[];
}

export async function readHealth(context: AppContext, here: LocalState): Promise<SystemHealth> {
  const { pool, config } = context;
  const database_ms = await roundTripMs(pool);
  // Run the queries one after another, so that a page left open does not use half of the pool.
  const database = await databaseOf(pool);
  const applied = new Set(await appliedMigrations(pool));
  const missing = (await migrationNames()).filter((name) => !applied.has(name));
  const queues = await readQueues(pool);
  const sweeps = here.sweeps().map((sweep) => ({ ...sweep, level: levelOfSweep(sweep) }));
  const sockets = await context.metrics.streams.get();
  const values: Readonly<Record<FigureKey, number>> = {
    ...queues,
    database_ms,
    database_connections: (database.connections / database.most_connections) * 100,
    database_transaction_seconds: database.transaction_seconds,
    migrations_missing: missing.length,
    sweep_seconds: Math.max(0, ...sweeps.map(({ seconds }) => seconds)),
    sockets: sockets.values[0]?.value ?? 0,
  };
  const figures = figureKeys.map((key) => ({ key, value: values[key], level: levelOf(key, values[key]) }));
  const nodes = (await nodesOf(pool)).map((node) => ({
    ...node,
    here: node.life === context.instanceId,
    level: levelOfNode(node, config.leaseSeconds),
  }));
  const vendors = (await vendorsOf(pool)).map(({ dead, ...vendor }) => ({
    ...vendor,
    level: levelOfVendor(vendor, dead),
  }));
  const without_owner = (await withoutOwner(pool)).map((one) => ({ ...one, level: 'look' as const }));
  const models = (await modelsOf(pool)).map((model) => ({ ...model, level: levelOfModel(model) }));
  const { at, size_bytes, most_connections } = database;
  return {
    at,
    level: worst([...figures, ...nodes, ...sweeps, ...vendors, ...without_owner, ...models].map((one) => one.level)),
    figures,
    nodes,
    database: { size_bytes, most_connections, missing },
    sweeps,
    vendors,
    without_owner,
    models,
  };
}
