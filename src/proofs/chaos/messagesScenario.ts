/**
 * Messages under kills: two to four nodes behind one address, random kills of any process, PostgreSQL restarts,
 * misbehaving vendors and models, different clocks, working hours. Afterwards every message is accounted for.
 */
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../platform/log.ts';
import { migrate } from '../../platform/migrate.ts';
import { openDb } from '../../platform/openDb.ts';
import { startPostgres } from '../../platform/postgres/supervisor.ts';
import { createWorld } from '../../testing/world.ts';
import { createRandom } from '../simulate/random.ts';
import type { ClockSkewMethod } from './clockSkew.ts';
import { createFixture, HOURS } from './fixture.ts';
import { type Counts, startFleet } from './fleet.ts';
import { messageHistory } from './messageHistory.ts';
import { runTraffic, type TrafficResult } from './messageTraffic.ts';
import { type MessageVerification, verifyMessages } from './verifyMessages.ts';

interface MessagesOptions {
  readonly kills: number;
  readonly restarts: number;
  readonly messages: number;
  readonly seed: number;
  readonly skewMethod: ClockSkewMethod;
  /** Whether to keep the database and the logs even without violations. */
  readonly keep: boolean;
  readonly log: (line: string) => void;
}

export interface MessagesScenarioResult extends MessageVerification, TrafficResult {
  readonly leadCount: number;
  readonly counts: Counts;
  readonly seconds: number;
}

const ECHOES = ['echo', 'plain', 'off'] as const;
/** Violations of one kind that are reported with their history. */
const MAX_HISTORIES = 5;

/** Run the scenario and account for every message. Its files are kept if a guarantee is broken. */
export async function runMessagesScenario(options: MessagesOptions): Promise<MessagesScenarioResult> {
  const { seed, log, keep } = options;
  const random = createRandom(seed);
  const echo = ECHOES[seed % ECHOES.length] ?? 'echo';
  const folder = mkdtempSync(join(tmpdir(), 'rapport-chaos-'));
  // As root, PostgreSQL runs as another user, which must be able to pass this folder; otherwise the database would be
  // created, and stay, elsewhere.
  chmodSync(folder, 0o711);
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  await migrate(postgres.superuserUrl);
  const world = await createWorld({
    serve: false,
    emulators: 'process',
    database: { url: postgres.superuserUrl, drop: async () => undefined },
    env: {
      RAPPORT_ASK_VENDOR_SECONDS: '1',
      RAPPORT_MODEL_SILENCE_SECONDS: '3',
      RAPPORT_LOG_LEVEL: 'warn',
    },
  });
  await world.control.changeSettings({ seed, echo });
  const fleet = await startFleet(world, postgres, folder, options.skewMethod);
  log(`logs in ${folder}`);
  const db = openDb(world.databaseUrl, createLog('silent'), { max: 2 });
  let clean = false;
  try {
    const startedAt = performance.now();
    await fleet.startAllNodes();
    const operator = await world.operator();
    const leadCount = Math.max(20, Math.min(240, Math.round(options.messages / 25)));
    const fixture = await createFixture(world, operator, leadCount);
    const traffic = await runTraffic({ ...options, random }, { world, fleet, fixture, operator, pool: db.pool });
    const input = { ...world, domainOf: traffic.domainOf };
    const verification = await verifyMessages(input, traffic.accepted, {
      productId: fixture.productWithHours,
      ...HOURS,
    });
    clean = Object.values(verification.faults).every((list) => list.length === 0);
    if (!clean) await writeHistories(verification);
    return {
      ...traffic,
      ...verification,
      leadCount,
      counts: fleet.counts,
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await fleet.close();
    await db.close();
    const keepFolder = keep || !clean;
    if (keepFolder) cpSync(world.emulatorDir, join(folder, 'emulators'), { recursive: true });
    await world.close();
    await postgres.stop();
    if (keepFolder) log(`The database, the journal and the logs are kept in ${folder}.`);
    else rmSync(folder, { recursive: true, force: true });
  }

  /** Print the journal's lines and the rows of each violation, and write all of them to a file. */
  async function writeHistories({ faults }: MessageVerification): Promise<void> {
    const file = join(folder, 'violations.txt');
    const whole: string[] = [];
    for (const [name, list] of Object.entries(faults)) {
      for (const [index, sentence] of list.entries()) {
        const lines = index < MAX_HISTORIES ? await messageHistory(world, sentence) : [];
        whole.push(`${name}: ${sentence}`, ...lines.map((line) => `    ${line}`));
        if (index < MAX_HISTORIES)
          for (const line of [`  ${name}: ${sentence}`, ...lines.map((one) => `      ${one.slice(0, 300)}`)]) log(line);
      }
    }
    writeFileSync(file, `${whole.join('\n')}\n`);
    log(`All of it stands in ${file}.`);
  }
}
