/** Start and memory of a server, and what an idle node costs. `--seconds S`: duration of the load. */
import { setTimeout as pause } from 'node:timers/promises';
import { definePart } from '../harness/command.ts';
import { median, saturate, type Target, timed } from '../harness/load.ts';
import { clusterCpuMs, clusterPids, cpuMs, memoryMb, sharedMemoryMb } from '../harness/processes.ts';
import { comparisonTable, format, table } from '../harness/report.ts';
import { type BenchEnvironment, hookBody, JSON_HEADERS, startBaseline, withBaseline } from './environment.ts';
import { readCommits } from './exchange.ts';

const STARTS = 5;
/** Until a server that has just started is idle: its first sweeps, the compilation of their code, what is given back. */
const SETTLE_MS = 30_000;
const IDLE_MS = 60_000;
/** Most megabytes of server and PostgreSQL together. */
const TARGET_MB = { rest: 180, load: 270 };
/** Most that an idle node does: transactions a second, and the share of a core in the server in percent. */
const TARGET_IDLE = { commits: 2, serverShare: 0.5 };

export const memory = definePart({
  heading: 'Start and memory',
  options: { seconds: [30, 3] },
  run: ({ seconds }) =>
    withBaseline({}, async (environment) => {
      const { world, cluster, node, operator, bare, productId, hookUrl } = environment;
      const [startMs, bareStartMs]: [number[], number[]] = [[], []];
      for (let round = 0; round < STARTS; round++) {
        await node.stop();
        startMs.push(await timed(() => node.start()));
        const second = await startBaseline(cluster.url);
        bareStartMs.push(second.startMs);
        second.child.kill();
      }
      await pause(SETTLE_MS);
      const pid = node.pid();
      const idle = await measureIdle(environment, pid);
      const path = `?product_id=${productId}&limit=25`;
      const pids = (): (number | undefined)[] => [pid, ...clusterPids(cluster.postmaster)];
      const load = { body: hookBody(world), pids, seconds };
      const list = { url: `${world.url}/v1/leads/${path}`, headers: { cookie: operator.cookie } };
      const ours = await measureLoad({ ...load, pid, list, hook: hookUrl });
      const bareList = { url: `${bare.url}/${path}` };
      const theirs = await measureLoad({ ...load, pid: bare.child.pid, list: bareList, hook: bare.url });
      const figures = [
        { name: 'process begins → first 200', unit: 'ms', ours: median(startMs), bare: median(bareStartMs) },
        { name: 'memory at rest', unit: 'MB', ours: ours.idleMb, bare: theirs.idleMb },
        { name: 'memory under load, at most', unit: 'MB', ours: ours.peakMb, bare: theirs.peakMb },
      ];
      const judged = [
        { name: 'server and PostgreSQL at rest', unit: 'MB', value: ours.restAllMb, target: TARGET_MB.rest },
        { name: 'server and PostgreSQL under load', unit: 'MB', value: ours.loadAllMb, target: TARGET_MB.load },
        { name: 'commits a second of an idle node', unit: '', value: idle.commits, target: TARGET_IDLE.commits },
        {
          name: 'share of a core in an idle server',
          unit: '%',
          value: idle.serverShare,
          target: TARGET_IDLE.serverShare,
        },
      ];
      return {
        text: `One server process with both roles against the bare handler; the shared memory (PSS) of server and PostgreSQL together counts each page once. The load: lists and hooks for ${seconds} s, 32 at a time each, while the stored hooks are processed.

${comparisonTable(figures)}

${table(
  ['', 'measured', 'target'],
  judged.map(({ name, unit, value, target }) => [name, format(value, unit), format(target, unit)]),
)}

An idle node is measured for ${IDLE_MS / 1000} s, from ${SETTLE_MS / 1000} s after its start. PostgreSQL takes ${format(idle.databaseShare, '%')} of a core beside it.`,
        violations: judged
          .filter(({ value, target }) => value !== null && value > target)
          .map(
            ({ name, unit, value, target }) => `${name}: ${format(value, unit)}, the target is ${format(target, unit)}`,
          ),
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
  readonly pid: number | undefined;
  /** Return the processes of server and database. */
  readonly pids: () => (number | undefined)[];
  readonly seconds: number;
  readonly list: Target;
  readonly hook: string;
  readonly body: string;
}

async function measureLoad({ pid, pids, seconds, list, hook, body }: MemoryLoad) {
  const idleMb = memoryMb(pid)?.now ?? null;
  const restAllMb = sharedMemoryMb(pids());
  const load = Promise.all([saturate(list, seconds), saturate({ url: hook, headers: JSON_HEADERS, body }, seconds)]);
  await pause(seconds * 800);
  const loadAllMb = sharedMemoryMb(pids());
  await load;
  return { idleMb, restAllMb, loadAllMb, peakMb: memoryMb(pid)?.peak ?? null };
}
