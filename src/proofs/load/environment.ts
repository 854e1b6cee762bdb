/** The environment of the load: a world with a PostgreSQL of its own, and nodes with production settings. */

import { migrate } from '../../platform/migrate.ts';
import { connectHooks, type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { createWorld, freePort, type World } from '../../testing/world.ts';
import { PRODUCTION_SETTINGS, startCluster } from '../bench/environment.ts';
import { startBalancer } from '../chaos/balancer.ts';

export interface LoadEnvironment {
  readonly world: World;
  readonly nodes: readonly ServerProcess[];
}

interface LoadEnvironmentOptions {
  readonly nodes: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Create the environment, run the work, and remove the environment. */
export async function withLoadEnvironment<T>(
  options: LoadEnvironmentOptions,
  work: (setting: LoadEnvironment) => Promise<T>,
): Promise<T> {
  const cluster = await startCluster();
  try {
    await migrate(cluster.url);
    const world = await createWorld({
      serve: false,
      emulators: 'process',
      database: { url: cluster.url, drop: async () => undefined },
      env: { ...PRODUCTION_SETTINGS, RAPPORT_LOG_LEVEL: 'error', ...options.env },
    });
    // A single node is requested directly, without a balancer.
    const isAlone = options.nodes === 1;
    const ports = isAlone ? [world.port] : await Promise.all(Array.from({ length: options.nodes }, () => freePort()));
    const nodes = ports.map((port, index) =>
      startServer(world, {
        PORT: String(port),
        RAPPORT_NODE_NAME: `node ${index + 1}`,
        RAPPORT_PUBLIC_URL: world.url,
      }),
    );
    const balancer = isAlone ? null : await startBalancer(world.port, ports);
    try {
      await Promise.all(nodes.map((node) => node.waitUntilReady(180_000)));
      await connectHooks(world);
      return await work({ world, nodes });
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await balancer?.close();
      await world.close();
    }
  } finally {
    await cluster.stop();
  }
}
