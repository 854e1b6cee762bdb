/**
 * `npm run chaos -- --kills K --messages M [--seed S]`: two server processes behind one address, random kills of them
 * and of PostgreSQL, vendors that misbehave; afterwards every message is accounted for. Exit code 1 when one is not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../platform/migrate.ts';
import { startPostgres } from '../platform/postgres/supervisor.ts';
import { createWorld, freePort } from '../testing/world.ts';
import { startBalancer } from './balancer.ts';
import { serverNode } from './node.ts';
import { type Reckoning, reckon } from './reckoning.ts';
import { connect, FAULTS, rage } from './storm.ts';

const ECHOES = ['echo', 'plain', 'off'] as const;
/** After the last blow: a key's window and the two minutes that an unconfirmed message holds its dialogue. */
const CALM_MS = 200_000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    messages: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    keep: { type: 'boolean', default: false },
  },
});

function whole(name: string, given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 0) return value;
  console.error(`--${name} has to be a whole number, not "${given}".`);
  process.exit(2);
}

/** Repeatable chance (mulberry32). */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const say = (line: string): void => console.log(line);

/** Says what there was and what is wrong; true when nothing is. */
function report({ written, reached, faults, listed }: Reckoning): boolean {
  const kinds = Object.entries(faults);
  for (const [name, list] of kinds) for (const one of list.slice(0, 20)) say(`  ${name}: ${one}`);
  const counts = kinds.map(([name, list]) => `${name} ${list.length}`).join(', ');
  const visible = Object.entries(listed).map(([status, count]) => `${status} ${count}`);
  say(
    `${written} messages of leads, ${reached} of ours on phones: ${counts}; listed for operators: ${visible.join(', ')}`,
  );
  return kinds.every(([, list]) => list.length === 0);
}

async function main(): Promise<boolean> {
  const kills = whole('kills', values.kills);
  const count = whole('messages', values.messages);
  const seed = whole('seed', values.seed);
  const random = chance(seed);
  const echo = ECHOES[seed % ECHOES.length] ?? 'echo';
  const folder = mkdtempSync(join(tmpdir(), 'rapport-chaos-'));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  await migrate(postgres.url);
  const world = await createWorld({
    serve: false,
    database: { url: postgres.url, drop: async () => undefined },
  });
  await world.control.changeSettings({ seed, echo });
  const ports = [await freePort(), await freePort()];
  const nodes = ports.map((port, index) =>
    serverNode(
      port,
      world.env({ RAPPORT_NODE_NAME: `node ${index + 1}`, RAPPORT_PUBLIC_URL: world.url }),
      join(folder, `node${index + 1}.log`),
    ),
  );
  const balancer = await startBalancer(world.port, ports);
  say(`seed ${seed}, echoes ${echo}, ${kills} kills over ${count} messages; logs in ${folder}`);
  let clean = false;
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const operator = await world.operator();
    await connect(world, operator);
    await world.control.setFaults([...FAULTS]);
    const begun = performance.now();
    const passed = await rage({ kills, messages: count, random, say }, { world, nodes, postgres, operator });
    await world.control.setFaults([]);
    const calming = performance.now();
    const calm = await world.drain(CALM_MS).then(
      () => null,
      (error: unknown) => String(error),
    );
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    say(
      `${passed.nodeKills} processes killed, ${passed.stops} stopped (slowest ${seconds(passed.slowestStopMs)}), ` +
        `${passed.databaseKills} blows to PostgreSQL in ${seconds(calming - begun)}; quiet after ${seconds(performance.now() - calming)}`,
    );
    if (calm !== null) say(`  ${calm}`);
    clean = report(await reckon(world, passed.accepted)) && calm === null;
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer.close();
    if (clean && !values.keep) {
      await world.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    } else {
      say(`The database and the logs are kept in ${folder}.`);
      await world.control.shutdown().catch(() => undefined);
      await postgres.stop();
    }
  }
  return clean;
}

process.exit((await main()) ? 0 : 1);
