/** The built console in a browser, on a server with the role web and a database of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { openBrowser, type TestBrowser } from '../../testing/browser.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { withWorld } from '../harness/world.ts';

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
export async function withBrowser<Filled, T>(
  fill: (world: World) => Promise<Filled>,
  measure: (environment: BrowserEnvironment, filled: Filled) => Promise<T>,
): Promise<T> {
  await buildConsole();
  return withWorld({ production: true, env: { RAPPORT_ROLES: 'web' } }, async (world) => {
    const filled = await fill(world);
    const server = startServer(world);
    await server.waitUntilReady();
    const browser = await openBrowser();
    try {
      return await measure({ browser, url: server.url, world }, filled);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

/** Open an empty browser profile, signed in with the cookie, with company and product chosen. */
export async function openProfile(
  { browser, url, world }: BrowserEnvironment,
  { cookie, width, height }: { readonly cookie: string; readonly width: number; readonly height: number },
): Promise<BrowserContext> {
  const context = await browser.context({ width, height });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    ...(cookie === '' ? [] : [{ url, name, value }]),
    { url, name: 'rapport_company_id', value: String(world.companyId) },
    { url, name: 'rapport_product_id', value: String(world.productId) },
  ]);
  return context;
}

async function buildConsole(): Promise<void> {
  const program = "import { ensureConsole } from './scripts/setup.mjs'; await ensureConsole(process.execPath);";
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The console could not be built');
}
