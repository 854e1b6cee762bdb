/**
 * The database's disk is full while hooks, answers and operators continue. Everything acknowledged must be stored, all
 * other requests get 503 with Retry-After, no process stays down, and everything works again within seconds after space
 * becomes free. Needs root on Linux.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { leads } from '../../leads/contract.ts';
import { promptGroups } from '../../prompts/contract.ts';
import { createRandom } from '../../sandbox/random.ts';
import type { Client } from '../../testing/client.ts';
import { hookUrl } from '../../testing/messageRows.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import { SECRET_KEY, type TestLead, type World } from '../../testing/world.ts';
import { definePart, type Outcome, type Run } from '../harness/command.ts';
import { faultCounts, faultSentences, verifyMessages } from '../harness/oracle.ts';
import { type ProbeOptions, probeDuring } from '../harness/probe.ts';
import { format, formatCounts, rowTable } from '../harness/report.ts';
import { withWorld } from '../harness/world.ts';
import { mountSmallDisk, type SmallDisk } from './smallDisk.ts';

/** A new cluster takes about 90 MB, including its WAL. */
const DISK_MB = 256;
const LEAD_COUNT = 12;
const FULL_MS = 12_000;
const BETWEEN_MS = 3000;
/** Target for the recovery. */
const RECOVERY_SECONDS = 10;
const BACKUP = join(import.meta.dirname, '../../platform/postgres/backupCommand.ts');

/** `--fills N`: how often the disk fills up. */
export const disk = definePart({
  heading: 'A full disk',
  options: { fills: [5, 1] },
  async run(settings) {
    const smallDisk = mountSmallDisk(DISK_MB);
    let deaths = 0;
    const onError = (sentence: string): void => {
      if (sentence.includes('has ended')) deaths++;
    };
    try {
      return await withWorld({ dataDir: join(smallDisk.path, 'data'), onError }, (world) =>
        // The world needs space to close, too.
        runFills(settings, { world, disk: smallDisk, deaths: () => deaths }).finally(() => smallDisk.free()),
      );
    } finally {
      smallDisk.close();
    }
  },
});

interface DiskParts {
  readonly world: World;
  readonly disk: SmallDisk;
  /** Return how often PostgreSQL has ended and was started again. */
  readonly deaths: () => number;
}

async function runFills(
  { seed, fills, log }: Run & { readonly fills: number },
  { world, disk: smallDisk, deaths }: DiskParts,
): Promise<Outcome> {
  const server = startServer(world, { RAPPORT_LOG_LEVEL: 'fatal', RAPPORT_STRICT_REPLIES: 'off' });
  await server.waitUntilReady();
  await connectHooks(world);
  const operator = await world.operator();
  const requests: Requests = {
    hooks: hookRequest(await hookUrl(world)),
    writing: writeRequest(world, operator),
    reading: () => operator.call(leads.list),
  };
  const observed: Observed = { isFull: false, violations: new Set(), acknowledged: new Map(), whileFull: {} };
  const { violations, whileFull } = observed;
  const health: ProbeOptions = {
    request: () => fetch(`${world.url}/healthz`),
    everyMs: 100,
    onAnswer: (answer) => void (answer?.status === 200 || violations.add('/healthz was not answered 200')),
  };
  const probes = Object.entries(requests).map(([name, request]) => [name, probeOf(name, request, observed)] as const);
  const writing = new AbortController();
  const writers = writeMessages(world, seed, writing.signal);
  let [recovered, backupError] = [0, ''];
  await probeDuring({ ...Object.fromEntries(probes), health }, async () => {
    for (let fill = 1; fill <= fills; fill++) {
      await pause(BETWEEN_MS);
      observed.isFull = true;
      // Again and again: it takes the space that PostgreSQL frees at once.
      for (const end = performance.now() + FULL_MS; performance.now() < end; await pause(100)) smallDisk.fill();
      backupError = await runFailingBackup(world, join(smallDisk.path, 'backup.gz'), violations);
      observed.isFull = false;
      smallDisk.free();
      const seconds = await recovery(requests);
      recovered = Math.max(recovered, seconds);
      log(`full for the ${fill}. time: recovered after ${seconds.toFixed(1)} s`);
    }
  }).finally(() => {
    smallDisk.free();
    writing.abort();
  });
  await writers;
  if (server.child.exitCode !== null || server.child.signalCode !== null) violations.add('the server has ended');
  if (recovered > RECOVERY_SECONDS)
    violations.add(`the recovery took ${recovered.toFixed(1)} s, the target is ${RECOVERY_SECONDS} s`);
  if (!Object.values(whileFull).some((counts) => (counts[503] ?? 0) > 0))
    violations.add('no request noticed that the disk was full');
  await world.drain(120_000);
  const missing = await missingAcknowledged(world, observed.acknowledged);
  const { faults, written, reached } = await verifyMessages(world, []);
  await server.stop();
  const answers = Object.entries(whileFull).map(([name, by]) => `${name}: ${formatCounts(by)}`);
  const columns = {
    'written by leads': written,
    'our messages on phones': reached,
    'acknowledged probes': observed.acknowledged.size,
    'recovered after, at most': format(recovered, 's'),
    ...faultCounts(faults),
  };
  return {
    text: `PostgreSQL on a file system of ${DISK_MB} MB that is filled to the last byte ${fills} times, 12 s each, while leads write, the bot answers and an operator reads and writes; the vendors' emulators lie elsewhere. PostgreSQL ended ${deaths()} times and was started again by itself.

Answers while it was full, by status: ${answers.join('; ')}.

${rowTable(columns)}

A backup meanwhile: "${backupError}"; no file stays.`,
    violations: [...violations, ...missing, ...faultSentences(faults)],
  };
}

type Requests = Readonly<Record<string, (key: string) => ReturnType<ProbeOptions['request']>>>;

interface Observed {
  isFull: boolean;
  readonly violations: Set<string>;
  /** Name of the request by the key that it was to store. */
  readonly acknowledged: Map<string, string>;
  /** Answers by status while the disk was full. */
  readonly whileFull: Record<string, Record<number, number>>;
}

/** Send a request continuously and check each answer against the guarantees. */
function probeOf(name: string, request: Requests[string], observed: Observed): ProbeOptions {
  const { violations, acknowledged, whileFull } = observed;
  const statuses: Record<number, number> = {};
  whileFull[name] = statuses;
  let [key, before] = ['', false];
  return {
    request() {
      before = observed.isFull;
      key = randomUUID();
      return request(key);
    },
    everyMs: 40,
    onAnswer(answer) {
      if (answer === null) return void violations.add(`${name}: a request was not answered`);
      const { status, headers } = answer;
      if (status < 300 && name !== 'reading') acknowledged.set(key, name);
      if (status >= 300 && status !== 503) violations.add(`${name} was answered ${status}`);
      if (status === 503 && !headers.has('retry-after')) violations.add(`${name} was answered 503 without Retry-After`);
      if (before && observed.isFull) statuses[status] = (statuses[status] ?? 0) + 1;
    },
  };
}

/** Wait until every request succeeds again. Returns the seconds that it took. */
async function recovery(requests: Requests): Promise<number> {
  const startedAt = performance.now();
  const waitUntilAnswered = async (request: Requests[string]): Promise<void> => {
    for (const end = performance.now() + 120_000; performance.now() < end; await pause(20)) {
      const answer = await request(randomUUID()).catch(() => null);
      if (answer !== null && answer.status < 300) return;
    }
    throw new Error('It does not recover within two minutes of the space becoming free');
  };
  await Promise.all(Object.values(requests).map(waitUntilAnswered));
  return (performance.now() - startedAt) / 1000;
}

async function writeMessages(world: World, seed: number, signal: AbortSignal): Promise<void> {
  const random = createRandom(seed);
  const chatLeads: TestLead[] = [];
  for (let index = 0; index < LEAD_COUNT; index++) chatLeads.push(await world.lead(`Lead ${index + 1}`));
  for (let number = 0; !signal.aborted; number++) {
    await random.pick(chatLeads).writes(`What does a kitchen cost? (${number})`);
    await pause(60);
  }
}

/** Send the status of an unknown message, which must be stored. */
function hookRequest(url: string): Requests[string] {
  return (key) => {
    const status = { messageId: key, timestamp: new Date().toISOString(), status: 'delivered' };
    const headers = { 'content-type': 'application/json' };
    return fetch(url, { method: 'POST', headers, body: JSON.stringify({ statuses: [status] }) });
  };
}

function writeRequest({ productId }: World, operator: Client): Requests[string] {
  return (key) => {
    const body = { product_id: productId, name: key, description: 'x'.repeat(2000) };
    return operator.call(promptGroups.create, { body });
  };
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
async function runFailingBackup(world: World, file: string, violations: Set<string>): Promise<string> {
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
  if (code === 0) violations.add('a backup on a full disk succeeded');
  if (existsSync(file) || existsSync(`${file}.unfinished`))
    violations.add('a backup on a full disk left a file behind');
  if (stderr === '' || stderr.includes('\n    at '))
    violations.add(`a backup on a full disk says no sentence: ${stderr.slice(0, 200)}`);
  return stderr.split('\n')[0] ?? '';
}
