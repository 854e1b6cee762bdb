/** Writes bench/ROLLING.md: measurements of restarting nodes under load. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { TrafficResult } from './rollingTraffic.ts';

export interface RollingFigures {
  readonly nodes: number;
  readonly restarts: number;
  readonly lastedMs: number;
  /** Milliseconds from SIGTERM to the exit, and from the start to ready. */
  readonly stops: readonly number[];
  readonly starts: readonly number[];
  readonly traffic: TrafficResult;
  readonly hooks: number;
  /** Attempts that were not answered with 200; the vendor tries again. */
  readonly hooksFailed: number;
  readonly written: number;
  readonly reached: number;
  readonly faults: Readonly<Record<string, readonly string[]>>;
  readonly listed: Readonly<Record<string, number>>;
}

const FILE = join(import.meta.dirname, '../../../bench/ROLLING.md');
/** Targets: SIGTERM ends a node within this time; chat sockets try three times, a second apart. */
const STOP_MS = 10_000;
const GAP_MS = 3500;

/** Render a table as the formatter expects it: columns as wide as their widest cell. */
function table(rows: readonly [string, string][]): string[] {
  const all: readonly [string, string][] = [['what', 'figure'], ...rows];
  const [first, second] = [0, 1].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (one: string, other: string) => `| ${one.padEnd(first ?? 0)} | ${other.padEnd(second ?? 0)} |`;
  const [head = '', ...body] = all.map(([what, figure]) => line(what, figure));
  return [head, line('-'.repeat(first ?? 0), '-'.repeat(second ?? 0)), ...body];
}

/** Write the report; return the violations and a one-sentence summary. */
export function writeRollingReport(figures: RollingFigures, database: string): { faults: string[]; sentence: string } {
  const { traffic, stops, starts } = figures;
  const at = (share: number): string =>
    `${(traffic.durations[Math.floor((traffic.durations.length - 1) * share)] ?? 0).toFixed(0)} ms`;
  const worst = (list: readonly number[]): string => `${(Math.max(0, ...list) / 1000).toFixed(1)} s`;
  const faults = [
    ...traffic.failed,
    ...Object.entries(figures.faults).flatMap(([name, list]) => list.map((one) => `${name}: ${one}`)),
    ...(figures.hooksFailed > 0 ? [`${figures.hooksFailed} hooks were not answered with 200`] : []),
    ...(Math.max(0, ...stops) > STOP_MS ? [`a node took ${worst(stops)} to end`] : []),
    ...(traffic.sockets.normalCloses > 0 ? [`${traffic.sockets.normalCloses} sockets were ended as if for good`] : []),
    ...(traffic.sockets.worstGapMs > GAP_MS ? [`a socket was away for ${worst([traffic.sockets.worstGapMs])}`] : []),
    ...(traffic.streams.worstGapMs > GAP_MS ? [`a stream was away for ${worst([traffic.streams.worstGapMs])}`] : []),
  ];
  const counts = Object.entries(figures.faults).map(([name, list]) => `${name} ${list.length}`);
  const rows: [string, string][] = [
    ['Nodes behind HAProxy', String(figures.nodes)],
    ['Restarts by SIGTERM', `${figures.restarts} in ${(figures.lastedMs / 1000).toFixed(0)} s`],
    ['Requests of operators', String(traffic.requests)],
    ['of these failed', String(traffic.failed.length)],
    ['Request time, median / 99th / longest', `${at(0.5)} / ${at(0.99)} / ${at(1)}`],
    ['Hooks answered', `${figures.hooks}, not with 200: ${figures.hooksFailed}`],
    ['Messages of leads / of ours on phones', `${figures.written} / ${figures.reached}`],
    ['Messages by fault', counts.join(', ')],
    [
      'Listed for operators',
      Object.entries(figures.listed)
        .map(([status, count]) => `${status} ${count}`)
        .join(', '),
    ],
    ['Live streams that came back, longest gap', `${traffic.streams.breaks}, ${worst([traffic.streams.worstGapMs])}`],
    ['Chat sockets that came back, longest gap', `${traffic.sockets.breaks}, ${worst([traffic.sockets.worstGapMs])}`],
    ['Slowest stop / start to ready', `${worst(stops)} / ${worst(starts)}`],
  ];
  writeFileSync(
    FILE,
    [
      '# Rolling restarts under load',
      '',
      `${new Date().toISOString().slice(0, 10)}. ${availableParallelism()} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB, Node ${process.version}, ${database}. Written by \`npm run rolling\`.`,
      '',
      'Nodes stand behind HAProxy with the file of `ops/haproxy`. One after the other they get SIGTERM and are started',
      'again, while leads write over the emulated messenger, operators read and type, consoles listen, and chat sockets',
      'are open.',
      '',
      ...table(rows),
      '',
      faults.length === 0 ? 'Nothing missed its aim.' : `What is wrong (${faults.length}, the first of them):`,
      ...faults.slice(0, 30).map((one) => `- ${one}`),
      '',
    ].join('\n'),
  );
  return {
    faults,
    sentence:
      `${figures.restarts} restarts: ${traffic.requests} requests, ${traffic.failed.length} failed; ${figures.hooks} hooks, ` +
      `${figures.hooksFailed} not with 200; ${figures.written} messages of leads, ${figures.reached} of ours; ${counts.join(', ')}`,
  };
}
