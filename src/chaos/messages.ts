/**
 * Messages under kills: two server processes behind one address, random kills of them and of PostgreSQL, vendors that
 * misbehave; afterwards every message is accounted for.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../platform/migrate.ts';
import { startPostgres } from '../platform/postgres/supervisor.ts';
import { chanceOf } from '../simulate/chance.ts';
import { createWorld, freePort } from '../testing/world.ts';
import { startBalancer } from './balancer.ts';
import { serverNode } from './node.ts';
import { type Reckoning, reckon } from './reckoning.ts';
import { connect, FAULTS, rage } from './storm.ts';

type Say = (line: string) => void;

interface Options {
  readonly kills: number;
  readonly messages: number;
  readonly seed: number;
  /** The database and the logs stay even when nothing is wrong. */
  readonly keep: boolean;
  readonly say: Say;
}

const ECHOES = ['echo', 'plain', 'off'] as const;
/** After the last blow: a key's window and the two minutes that an unconfirmed message holds its dialogue. */
const CALM_MS = 200_000;

/** Says what there was and what is wrong; true when nothing is. */
function report(say: Say, { written, reached, faults, listed }: Reckoning): boolean {
  const kinds = Object.entries(faults);
  for (const [name, list] of kinds) for (const one of list.slice(0, 20)) say(`  ${name}: ${one}`);
  const counts = kinds.map(([name, list]) => `${name} ${list.length}`).join(', ');
  const visible = Object.entries(listed).map(([status, count]) => `${status} ${count}`);
  say(
    `${written} messages of leads, ${reached} of ours on phones: ${counts}; listed for operators: ${visible.join(', ')}`,
  );
  return kinds.every(([, list]) => list.length === 0);
}

/** Lets the storm pass and accounts for every message; true when nothing is wrong. */
export async function stormOfMessages({ kills, messages: count, seed, keep, say }: Options): Promise<boolean> {
  const chance = chanceOf(seed);
  const random = () => chance.next();
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
    clean = report(say, await reckon(world, passed.accepted)) && calm === null;
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer.close();
    if (clean && !keep) {
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
