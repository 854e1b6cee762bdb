/** What the load stands on: a world with a PostgreSQL of its own, nodes with the settings of a product in use. */

import { REAL, startCluster } from '../bench/setting.ts';
import { startBalancer } from '../chaos/balancer.ts';
import { migrate } from '../platform/migrate.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/process.ts';
import { createWorld, freePort, type World } from '../testing/world.ts';

export interface LoadSetting {
  readonly world: World;
  readonly nodes: readonly ServerProcess[];
}

interface Wanted {
  readonly nodes: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Sets it up, works, and takes all of it away. */
export async function inSetting<T>(wanted: Wanted, work: (setting: LoadSetting) => Promise<T>): Promise<T> {
  const cluster = await startCluster();
  try {
    await migrate(cluster.url);
    const world = await createWorld({
      serve: false,
      emulators: 'process',
      database: { url: cluster.url, drop: async () => undefined },
      env: { ...REAL, RAPPORT_LOG_LEVEL: 'error', ...wanted.env },
    });
    // One node is asked without anybody in between.
    const isAlone = wanted.nodes === 1;
    const ports = isAlone ? [world.port] : await Promise.all(Array.from({ length: wanted.nodes }, () => freePort()));
    const nodes = ports.map((port, index) =>
      startServer(world, {
        PORT: String(port),
        RAPPORT_NODE_NAME: `node ${index + 1}`,
        RAPPORT_PUBLIC_URL: world.url,
      }),
    );
    const balancer = isAlone ? null : await startBalancer(world.port, ports);
    try {
      await Promise.all(nodes.map((node) => node.ready(180_000)));
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
