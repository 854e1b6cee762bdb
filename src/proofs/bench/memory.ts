/** Start and memory of a server, and what an idle node costs. `--seconds S`: duration of the load. */
import { setTimeout as pause } from 'node:timers/promises';
import { definePart } from '../harness/command.ts';
import { median, saturate, timed } from '../harness/load.ts';
import { clusterCpuMs, clusterPids, cpuMs, memoryMb, sharedMemoryMb } from '../harness/processes.ts';
import { format, formatRatio, table } from '../harness/report.ts';
import { type BenchEnvironment, hookBody, JSON_HEADERS, startBaseline, withBaseline } from './environment.ts';
import { readCommits } from './exchange.ts';

const STARTS = 5;
const REST_MS = 10_000;
const IDLE_MS = 20_000;

export const memory = definePart({
  heading: 'Start and memory',
  options: { seconds: [30, 3] },
  run: ({ seconds }) =>
    withBaseline(async (environment) => {
      const { world, cluster, operator, bare, productId, hookUrl, serve } = environment;
      const [startMs, bareStartMs]: [number[], number[]] = [[], []];
      for (let round = 0; round < STARTS; round++) {
        startMs.push(await timed(() => serve({})));
        const second = await startBaseline(cluster.url);
        bareStartMs.push(second.startMs);
        second.child.kill();
      }
      const { child } = await serve({});
      await pause(REST_MS);
      const idle = await measureIdle(environment, child.pid);
      const path = `?product_id=${productId}&limit=25`;
      const headers = { cookie: operator.cookie };
      const all = (): (number | undefined)[] => [child.pid, ...clusterPids(cluster.postmaster)];
      const ours = await measureLoad({
        environment,
        pid: child.pid,
        all,
        seconds,
        list: { url: `${world.url}/v1/leads/${path}`, headers },
        hook: hookUrl,
      });
      const theirs = await measureLoad({
        environment,
        pid: bare.child.pid,
        all,
        seconds,
        list: { url: `${bare.url}/${path}` },
        hook: bare.url,
      });
      const row = (name: string, unit: string, [mine, other]: readonly [number | null, number | null]): string[] => [
        name,
        format(mine, unit),
        format(other, unit),
        formatRatio(mine, other),
      ];
      return {
        text: `One server process with both roles against the bare handler; the shared memory (PSS) of server and PostgreSQL together counts each page once. The load: lists and hooks for ${seconds} s, 32 at a time each, while the stored hooks are processed.

${table(
  ['', 'ours', 'bare', 'ours to bare'],
  [
    row('process begins → first 200', 'ms', [median(startMs), median(bareStartMs)]),
    row('memory at rest', 'MB', [ours.idleMb, theirs.idleMb]),
    row('memory under load, at most', 'MB', [ours.peakMb, theirs.peakMb]),
  ],
)}

Server and PostgreSQL: ${format(ours.restAllMb, 'MB')} at rest, ${format(ours.loadAllMb, 'MB')} under load. An idle node: ${format(idle.commits)} commits a second, ${format(idle.serverShare, '%')} of a core in the server and ${format(idle.databaseShare, '%')} in PostgreSQL.`,
        violations: [],
      };
    }),
});

/** Measure a node without work. */
async function measureIdle({ world, cluster }: BenchEnvironment, pid: number | undefined) {
  const read = async () => ({
    commits: await readCommits(world.pool),
    server: cpuMs(pid),
    database: clusterCpuMs(cluster.postmaster),
    at: performance.now(),
  });
  const before = await read();
  await pause(IDLE_MS);
  const after = await read();
  const ms = after.at - before.at;
  const share = (to: number | null, from: number | null): number | null =>
    to === null || from === null ? null : ((to - from) / ms) * 100;
  return {
    commits: ((after.commits - before.commits) * 1000) / ms,
    serverShare: share(after.server, before.server),
    databaseShare: share(after.database, before.database),
  };
}

interface MemoryLoad {
  readonly environment: BenchEnvironment;
  readonly pid: number | undefined;
  /** Return the processes of server and database. */
  readonly all: () => (number | undefined)[];
  readonly seconds: number;
  readonly list: { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  readonly hook: string;
}

async function measureLoad({ environment, pid, all, seconds, list, hook }: MemoryLoad) {
  const idleMb = memoryMb(pid)?.now ?? null;
  const restAllMb = sharedMemoryMb(all());
  const load = Promise.all([
    saturate(list, seconds),
    saturate({ url: hook, headers: JSON_HEADERS, body: hookBody(environment.world) }, seconds),
  ]);
  await pause(seconds * 800);
  const loadAllMb = sharedMemoryMb(all());
  await load;
  return { idleMb, restAllMb, loadAllMb, peakMb: memoryMb(pid)?.peak ?? null };
}
