/** The environment of the load: nodes with production settings, and emulators in a process of their own. */
import { connectHooks } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { namedNodes, type ServerNode, startNodes, withWorld } from '../harness/world.ts';

/** Start the nodes, connect the vendor's hooks, run the work, and remove everything. */
export function withNodes<T>(
  { count, env = {} }: { readonly count: number; readonly env?: Readonly<Record<string, string>> },
  work: (world: World, nodes: readonly ServerNode[]) => Promise<T>,
): Promise<T> {
  return withWorld({ production: true, emulators: 'process', env }, async (world) => {
    const { nodes, close } = await startNodes(world, namedNodes(count));
    try {
      await connectHooks(world);
      return await work(world, nodes);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await close();
    }
  });
}
