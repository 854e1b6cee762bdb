/**
 * Messages under kills: two to four nodes behind one address, random kills of any process, PostgreSQL restarted, vendors
 * and models that misbehave, clocks apart, working hours; afterwards every message is accounted for.
 */
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDb } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { startPostgres } from '../platform/postgres/supervisor.ts';
import { chanceOf } from '../simulate/chance.ts';
import { createWorld } from '../testing/world.ts';
import { gatherCast, HOURS } from './cast.ts';
import { type Counts, startFleet } from './fleet.ts';
import { historyOf } from './history.ts';
import { type Reckoning, reckon } from './reckoning.ts';
import { type Passed, rage } from './storm.ts';
import type { ClockBender } from './wrongClock.ts';

interface Options {
  readonly kills: number;
  readonly restarts: number;
  readonly messages: number;
  readonly seed: number;
  readonly bender: ClockBender;
  /** The database and the logs stay even when nothing is wrong. */
  readonly keep: boolean;
  readonly say: (line: string) => void;
}

export interface MessagesPassed extends Reckoning, Passed {
  readonly people: number;
  readonly counts: Counts;
  readonly seconds: number;
}

const ECHOES = ['echo', 'plain', 'off'] as const;
/** Violations of one kind that are told with their history. */
const TOLD = 5;

/** Lets the storm pass and accounts for every message. What it left behind stays when a promise is broken. */
export async function stormOfMessages(options: Options): Promise<MessagesPassed> {
  const { seed, say, keep } = options;
  const chance = chanceOf(seed);
  const echo = ECHOES[seed % ECHOES.length] ?? 'echo';
  const folder = mkdtempSync(join(tmpdir(), 'rapport-chaos-'));
  // As root PostgreSQL runs as somebody else: he has to pass, or the database would lie, and stay, elsewhere.
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
  const fleet = await startFleet(world, postgres, folder, options.bender);
  say(`logs in ${folder}`);
  const db = openDb(world.databaseUrl, createLog('silent'), { max: 2 });
  let clean = false;
  try {
    const begun = performance.now();
    await fleet.muster();
    const operator = await world.operator();
    const people = Math.max(20, Math.min(240, Math.round(options.messages / 25)));
    const cast = await gatherCast(world, operator, people);
    const passed = await rage({ ...options, chance }, { world, fleet, cast, operator, pool: db.pool });
    const stage = { ...world, domainOf: passed.domainOf };
    const reckoning = await reckon(stage, passed.accepted, { productId: cast.productWithHours, ...HOURS });
    clean = Object.values(reckoning.faults).every((list) => list.length === 0);
    if (!clean) await tellHistories(reckoning);
    return { ...passed, ...reckoning, people, counts: fleet.counts, seconds: (performance.now() - begun) / 1000 };
  } finally {
    await fleet.close();
    await db.close();
    const stays = keep || !clean;
    if (stays) cpSync(world.emulatorDir, join(folder, 'emulators'), { recursive: true });
    await world.close();
    await postgres.stop();
    if (stays) say(`The database, the journal and the logs are kept in ${folder}.`);
    else rmSync(folder, { recursive: true, force: true });
  }

  /** The journal's lines and the rows of what went wrong: shown, and whole in a file. */
  async function tellHistories({ faults }: Reckoning): Promise<void> {
    const file = join(folder, 'violations.txt');
    const whole: string[] = [];
    for (const [name, list] of Object.entries(faults)) {
      for (const [index, sentence] of list.entries()) {
        const lines = index < TOLD ? await historyOf(world, sentence) : [];
        whole.push(`${name}: ${sentence}`, ...lines.map((line) => `    ${line}`));
        if (index < TOLD)
          for (const line of [`  ${name}: ${sentence}`, ...lines.map((one) => `      ${one.slice(0, 300)}`)]) say(line);
      }
    }
    writeFileSync(file, `${whole.join('\n')}\n`);
    say(`All of it stands in ${file}.`);
  }
}
