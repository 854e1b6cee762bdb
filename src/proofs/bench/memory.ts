/** Memory of a server: at start, idle and under load. Measures ours with both roles, and the bare handler. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../testing/world.ts';
import { type BenchEnvironment, hookBody, openEnvironment } from './environment.ts';
import { runLoad } from './loadGenerator.ts';
import { median } from './median.ts';
import { memoryMb } from './processStats.ts';

export interface Footprint {
  /** Milliseconds from the start of the process to its first 200, on an existing database; median. */
  readonly startMs: number;
  /** Resident megabytes: ten seconds after the start, at most under load, and a minute after the load. */
  readonly idleMb: number | null;
  readonly peakMb: number | null;
  readonly afterMb: number | null;
}

export interface Memory {
  readonly ours: Footprint;
  readonly bare: Footprint;
  readonly seconds: number;
  readonly postgres: string;
}

const STARTS = 5;
const REST_MS = 10_000;
const AFTER_MS = 60_000;

/** Request lists and send hooks, 32 at a time each, for `seconds`, while the hooks' items are processed. */
export async function measureMemory(seconds: number): Promise<Memory> {
  const environment = await openEnvironment();
  try {
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = -1; round < STARTS; round++) {
      const startedAt = performance.now();
      await environment.serve({});
      if (round >= 0) ours.push(performance.now() - startedAt);
      const bareMs = await startBareOnce(environment);
      if (round >= 0) bare.push(bareMs);
    }
    const { child } = await environment.serve({});
    const used = await load(environment, child.pid, {
      list: `${environment.world.url}/v1/leads/?product_id=${environment.productId}&limit=25`,
      hook: environment.hookUrl,
      cookie: environment.operator.cookie,
      seconds,
    });
    const usedBare = await load(environment, environment.barePid, {
      list: `${environment.bareUrl}/?product_id=${environment.productId}&limit=25`,
      hook: environment.bareUrl,
      cookie: '',
      seconds,
    });
    return {
      ours: { startMs: median(ours), ...used },
      bare: { startMs: median(bare), ...usedBare },
      seconds,
      postgres: environment.postgres,
    };
  } finally {
    await environment.close();
  }
}

async function startBareOnce({ world }: BenchEnvironment): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts')], {
    env: { PATH: process.env['PATH'], DATABASE_URL: world.databaseUrl, PORT: String(port) },
    stdio: 'ignore',
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/?product_id=1&limit=1&page=1`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await answers())) await pause(5);
  const durationMs = performance.now() - startedAt;
  child.kill();
  await once(child, 'exit');
  return durationMs;
}

interface Load {
  readonly list: string;
  readonly hook: string;
  readonly cookie: string;
  readonly seconds: number;
}

async function load(environment: BenchEnvironment, pid: number | undefined, { list, hook, cookie, seconds }: Load) {
  await pause(REST_MS);
  const idle = memoryMb(pid);
  await Promise.all([
    runLoad({ url: list, headers: cookie ? { cookie } : {} }, seconds),
    runLoad(
      {
        url: hook,
        headers: { 'content-type': 'application/json; charset-utf-8' },
        body: hookBody(environment.world.whatsapp.ref),
      },
      seconds,
    ),
  ]);
  const peak = memoryMb(pid);
  await pause(AFTER_MS);
  const after = memoryMb(pid);
  return { idleMb: idle?.now ?? null, peakMb: peak?.peak ?? null, afterMb: after?.now ?? null };
}
