/**
 * The database's disk is full while hooks, answers and operators continue. Everything acknowledged must be stored, all
 * other requests get 503 with Retry-After, no process stays down, and everything works again within seconds after space
 * becomes free.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { leads } from '../../leads/contract.ts';
import { migrate } from '../../platform/migrate.ts';
import { startPostgres } from '../../platform/postgres/supervisor.ts';
import { promptGroups } from '../../prompts/contract.ts';
import type { ApiAnswer, Client } from '../../testing/client.ts';
import { hookUrl } from '../../testing/messageRows.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import { createWorld, SECRET_KEY, type TestLead, type World } from '../../testing/world.ts';
import { createRandom } from '../simulate/random.ts';
import { mountSmallDisk, type SmallDisk } from './smallDisk.ts';
import { type MessageVerification, verifyMessages } from './verifyMessages.ts';

export interface DiskScenario {
  readonly seed: number;
  /** How often the disk fills up. */
  readonly rounds: number;
  readonly log: (line: string) => void;
}

export interface DiskScenarioResult extends MessageVerification {
  /** Answers by status while the disk was full: hooks, an operator's writes and reads. */
  readonly whileFull: Readonly<Record<string, Readonly<Record<number, number>>>>;
  /** Seconds from free space until hooks and writes succeeded again, slowest round. */
  readonly recoveredAfter: number;
  /** How often PostgreSQL ended and was started again. */
  readonly databaseDeaths: number;
  readonly acknowledged: number;
  readonly violations: readonly string[];
  /** Output of `npm run backup` when there is no space for its file. */
  readonly backupError: string;
}

/** A new cluster takes about 90 MB, including its WAL. */
const DISK_MB = 256;
const LEAD_COUNT = 12;
const FULL_MS = 12_000;
const BETWEEN_MS = 3000;
/** Target for the recovery. */
const RECOVERY_SECONDS = 10;
const BACKUP = join(import.meta.dirname, '../../platform/postgres/backupCommand.ts');

/** Run the scenario and verify the result. Throws a readable error if no file system can be mounted. */
export async function runDiskScenario(scenario: DiskScenario): Promise<DiskScenarioResult> {
  const disk = mountSmallDisk(DISK_MB);
  try {
    let deaths = 0;
    const log = {
      info: () => undefined,
      warn: () => undefined,
      error: (_facts: object, sentence: string) => {
        if (sentence.includes('has ended')) deaths++;
      },
    };
    const postgres = await startPostgres({ dataDir: join(disk.path, 'data'), log });
    try {
      await migrate(postgres.superuserUrl);
      const world = await createWorld({
        serve: false,
        database: { url: postgres.superuserUrl, drop: async () => undefined },
      });
      try {
        const result = await runRounds(scenario, world, disk);
        return { ...result, databaseDeaths: deaths };
      } finally {
        disk.free();
        await world.close();
      }
    } finally {
      await postgres.stop();
    }
  } finally {
    disk.close();
  }
}

interface Probe {
  readonly name: string;
  /** Send one request. Resolves to its status and the key that must be stored if it was acknowledged. */
  ask(): Promise<ApiAnswer & { readonly key: string | null }>;
}

async function runRounds(
  scenario: DiskScenario,
  world: World,
  disk: SmallDisk,
): Promise<Omit<DiskScenarioResult, 'databaseDeaths'>> {
  const { log, rounds } = scenario;
  const random = createRandom(scenario.seed);
  const server = startServer(world, { RAPPORT_LOG_LEVEL: 'fatal', RAPPORT_STRICT_REPLIES: 'off' });
  await server.waitUntilReady();
  await connectHooks(world);
  const operator = await world.operator();
  const chatLeads: TestLead[] = [];
  for (let index = 0; index < LEAD_COUNT; index++) chatLeads.push(await world.lead(`Lead ${index + 1}`));
  const probes = [hookProbe(await hookUrl(world)), writeProbe(world, operator), readProbe(operator)];
  const whileFull: Record<string, Record<number, number>> = Object.fromEntries(probes.map(({ name }) => [name, {}]));
  const acknowledged = new Map<string, string>();
  const violations: string[] = [];
  const reportOnce = (sentence: string) => void (violations.includes(sentence) || violations.push(sentence));
  let isFull = false;
  let isOver = false;

  /** Send requests continuously and check each answer against the guarantees. */
  async function pollProbe(probe: Probe): Promise<void> {
    for (; !isOver; await pause(40)) {
      const before = isFull;
      const answer = await probe.ask().catch(() => null);
      if (answer === null) {
        reportOnce(`${probe.name}: a request was not answered`);
        continue;
      }
      if (answer.key !== null && answer.status < 300) acknowledged.set(answer.key, probe.name);
      if (answer.status >= 300 && answer.status !== 503) reportOnce(`${probe.name} was answered ${answer.status}`);
      if (answer.status === 503 && answer.headers.get('retry-after') === null)
        reportOnce(`${probe.name} was answered 503 without Retry-After`);
      const counts = whileFull[probe.name];
      if (before && isFull && counts) counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    }
  }

  async function writeMessages(): Promise<void> {
    for (let number = 0; !isOver; number++) {
      await random.pick(chatLeads).writes(`What does a kitchen cost? (${number})`);
      await pause(60);
    }
  }

  async function pollHealth(): Promise<void> {
    for (; !isOver; await pause(100)) {
      const status = await fetch(`${world.url}/healthz`).then(
        (one) => one.status,
        () => 0,
      );
      if (status !== 200) reportOnce(`/healthz was answered ${status}`);
    }
  }

  const all = Promise.all([...probes.map(pollProbe), writeMessages(), pollHealth()]);
  let recoveredAfter = 0;
  let backupError = '';
  try {
    for (let round = 0; round < rounds; round++) {
      await pause(BETWEEN_MS);
      disk.fill();
      isFull = true;
      const end = performance.now() + FULL_MS;
      while (performance.now() < end) {
        // Takes the space that PostgreSQL frees at once.
        disk.fill();
        await pause(100);
      }
      backupError = await runFailingBackup(world, join(disk.path, 'backup.gz'), reportOnce);
      isFull = false;
      disk.free();
      const startedAt = performance.now();
      await Promise.all(probes.map(waitUntilHealthy));
      const seconds = (performance.now() - startedAt) / 1000;
      recoveredAfter = Math.max(recoveredAfter, seconds);
      log(`full for the ${round + 1}. time: well again after ${seconds.toFixed(1)} s`);
      if (seconds > RECOVERY_SECONDS)
        reportOnce(`it took ${seconds.toFixed(1)} s until all was well, the aim is ${RECOVERY_SECONDS} s`);
    }
  } finally {
    isOver = true;
    disk.free();
    await all;
  }
  if (server.child.exitCode !== null || server.child.signalCode !== null) reportOnce('the server has ended');
  if (!Object.values(whileFull).some((counts) => (counts[503] ?? 0) > 0))
    reportOnce('nobody noticed that the disk was full');
  await world.drain(120_000);
  for (const sentence of await missingAcknowledged(world, acknowledged)) reportOnce(sentence);
  const verification = await verifyMessages(world, []);
  await server.stop();
  return { ...verification, whileFull, recoveredAfter, acknowledged: acknowledged.size, violations, backupError };
}

/** Wait until a probe succeeds. */
async function waitUntilHealthy(probe: Probe): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; await pause(20)) {
    const answer = await probe.ask().catch(() => null);
    if (answer !== null && answer.status < 300) return;
  }
  throw new Error('It does not heal within two minutes of the space coming back');
}

/** Send the status of an unknown message, which must be stored. */
function hookProbe(url: string): Probe {
  return {
    name: 'hooks',
    async ask() {
      const key = randomUUID();
      const status = { messageId: key, timestamp: new Date().toISOString(), status: 'delivered' };
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ statuses: [status] }),
      });
      return { status: answer.status, headers: answer.headers, body: await answer.text(), key };
    },
  };
}

function writeProbe({ productId }: World, operator: Client): Probe {
  return {
    name: 'writing',
    async ask() {
      const key = randomUUID();
      const body = { product_id: productId, name: key, description: 'x'.repeat(2000) };
      return { ...(await operator.call(promptGroups.create, { body })), key };
    },
  };
}

function readProbe(operator: Client): Probe {
  return { name: 'reading', ask: async () => ({ ...(await operator.call(leads.list)), key: null }) };
}

async function missingAcknowledged({ pool }: World, acknowledged: ReadonlyMap<string, string>): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `select key from unnest($1::text[]) as key
      where not exists (select 1 from inbox where ext_id = key) and not exists (select 1 from prompt_groups where name = key)`,
    [[...acknowledged.keys()]],
  );
  return rows.map(({ key }) => `${acknowledged.get(key) ?? ''}: ${key} was acknowledged and is not there`);
}

/** Run the backup and return its output. */
async function runFailingBackup(world: World, file: string, reportOnce: (sentence: string) => void): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: world.databaseUrl,
    DATABASE_MIGRATIONS_URL: world.ownerUrl,
    RAPPORT_SECRET_KEY: SECRET_KEY,
    RAPPORT_DATA_DIR: join(world.emulatorDir, '..'),
  };
  const { code, stderr } = await new Promise<{ code: number; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [BACKUP, file], { env, timeout: 60_000 }, (_error, _out, stderr) =>
      resolve({ code: child.exitCode ?? -1, stderr: stderr.trim() }),
    );
  });
  if (code === 0) reportOnce('a backup on a full disk succeeded');
  if (existsSync(file) || existsSync(`${file}.unfinished`)) reportOnce('a backup on a full disk left a file behind');
  if (stderr === '' || stderr.includes('\n    at '))
    reportOnce(`a backup on a full disk says no sentence: ${stderr.slice(0, 200)}`);
  return stderr.split('\n')[0] ?? '';
}
