/** The built console in a browser, on a server with the role web and a database of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openBrowser, type TestBrowser } from '../../testing/browser.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { createWorldOn, startCluster } from './environment.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A browser and the server that it opens. */
export interface BrowserEnvironment {
  readonly browser: TestBrowser;
  readonly url: string;
  readonly world: World;
}

/**
 * Build the console, fill a world, open a browser, measure, and remove all of it afterwards.
 * @param fill before the server runs
 */
export async function withBrowser<Filled, Measured>(
  fill: (world: World) => Promise<Filled>,
  measure: (environment: BrowserEnvironment, filled: Filled) => Promise<Measured>,
): Promise<Measured & { readonly postgres: string }> {
  await buildConsole();
  const cluster = await startCluster();
  const world = await createWorldOn(cluster.url, { RAPPORT_ROLES: 'web' });
  const filled = await fill(world);
  const server = startServer(world);
  await server.waitUntilReady();
  const browser = await openBrowser();
  try {
    return { ...(await measure({ browser, url: server.url, world }, filled)), postgres: cluster.version };
  } finally {
    await browser.close();
    await server.stop();
    await world.close();
    await cluster.stop();
  }
}

async function buildConsole(): Promise<void> {
  const program = "import { ensureConsole } from './scripts/setup.mjs'; await ensureConsole(process.execPath);";
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The console could not be built');
}
