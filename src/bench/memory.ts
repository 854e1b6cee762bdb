/** What a server takes: until it serves, at rest, and while it works. Ours with both roles, and the bare handler. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../testing/world.ts';
import { shoot } from './cannon.ts';
import { median } from './median.ts';
import { memoryMb } from './proc.ts';
import { hookBody, openSetting, type Setting } from './setting.ts';

export interface Footprint {
  /** From the process's begin to its first 200, on a database that stands: milliseconds, median. */
  readonly startMs: number;
  /** Megabytes resident: ten seconds after the start, at most while it worked, and a minute after that. */
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

/** Lists and hooks, 32 at a time each, for `seconds`, while what the hooks bring is worked on. */
export async function measureMemory(seconds: number): Promise<Memory> {
  const setting = await openSetting();
  try {
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = -1; round < STARTS; round++) {
      const begun = performance.now();
      await setting.serve({});
      if (round >= 0) ours.push(performance.now() - begun);
      const bareMs = await startBareOnce(setting);
      if (round >= 0) bare.push(bareMs);
    }
    const { child } = await setting.serve({});
    const used = await load(setting, child.pid, {
      list: `${setting.world.url}/v1/leads/?product_id=${setting.productId}&limit=25`,
      hook: setting.hookUrl,
      cookie: setting.operator.cookie,
      seconds,
    });
    const usedBare = await load(setting, setting.barePid, {
      list: `${setting.bareUrl}/?product_id=${setting.productId}&limit=25`,
      hook: setting.bareUrl,
      cookie: '',
      seconds,
    });
    return {
      ours: { startMs: median(ours), ...used },
      bare: { startMs: median(bare), ...usedBare },
      seconds,
      postgres: setting.postgres,
    };
  } finally {
    await setting.close();
  }
}

async function startBareOnce({ world }: Setting): Promise<number> {
  const port = await freePort();
  const begun = performance.now();
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
  const taken = performance.now() - begun;
  child.kill();
  await once(child, 'exit');
  return taken;
}

interface Load {
  readonly list: string;
  readonly hook: string;
  readonly cookie: string;
  readonly seconds: number;
}

async function load(setting: Setting, pid: number | undefined, { list, hook, cookie, seconds }: Load) {
  await pause(REST_MS);
  const idle = memoryMb(pid);
  await Promise.all([
    shoot({ url: list, headers: cookie ? { cookie } : {} }, seconds),
    shoot(
      {
        url: hook,
        headers: { 'content-type': 'application/json; charset-utf-8' },
        body: hookBody(setting.world.whatsapp.ref),
      },
      seconds,
    ),
  ]);
  const peak = memoryMb(pid);
  await pause(AFTER_MS);
  const after = memoryMb(pid);
  return { idleMb: idle?.now ?? null, peakMb: peak?.peak ?? null, afterMb: after?.now ?? null };
}
