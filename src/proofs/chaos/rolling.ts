/**
 * `npm run rolling [-- --nodes N --rounds R --seconds S]`: stops several nodes behind HAProxy (with the file in
 * ops/haproxy) by SIGTERM and starts them again, one after the other, while leads write, operators read and type,
 * consoles listen and chat sockets are open. No request may fail and no message be lost; streams and sockets must
 * reconnect by themselves. Writes bench/ROLLING.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectHooks } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import { definePart, type Outcome, type Run, runCommand } from '../harness/command.ts';
import { percentile } from '../harness/load.ts';
import { faultCounts, faultSentences, verifyMessages } from '../harness/oracle.ts';
import { format, formatCounts, table } from '../harness/report.ts';
import { createNode, keepIfViolated, namedNodes, type ServerNode, withWorld } from '../harness/world.ts';
import { RollingTraffic } from './rollingTraffic.ts';

const CONFIG = join(import.meta.dirname, '../../../ops/haproxy/haproxy.cfg');
const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'].find((path) => existsSync(path));
/** Targets: SIGTERM ends a node within this time; chat sockets try three times, a second apart. */
const STOP_MS = 10_000;
const GAP_MS = 3500;

interface Restarts extends Run {
  readonly rounds: number;
  readonly seconds: number;
}

async function startProxy(port: number, nodes: readonly ServerNode[]): Promise<ChildProcess> {
  if (HAPROXY === undefined) throw new Error('HAProxy is not installed: apt-get install haproxy');
  const addresses = Object.fromEntries(
    nodes.map((node, index) => [`RAPPORT_NODE${index + 1}`, `127.0.0.1:${node.port}`]),
  );
  const child = spawn(HAPROXY, ['-db', '-f', CONFIG], {
    env: { PATH: process.env['PATH'], RAPPORT_BIND: `127.0.0.1:${port}`, ...addresses },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Wait until the proxy has a node to send requests to. */
async function waitUntilServed(world: World): Promise<void> {
  await world.waitUntil(
    async () => (await fetch(`${world.url}/readyz`).catch(() => null))?.status === 200,
    'the proxy to find a node',
    30_000,
  );
}

async function restartNodes(settings: Restarts, world: World, nodes: readonly ServerNode[]): Promise<Outcome> {
  const { rounds, seconds, log } = settings;
  await connectHooks(world);
  const traffic = await RollingTraffic.start(world, await world.operator('root'));
  const [stops, starts]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    for (const [index, node] of nodes.entries()) {
      await pause(seconds * 1000);
      stops.push(await node.stop());
      const down = performance.now();
      await node.start();
      starts.push(performance.now() - down);
      // The proxy uses the node after two health checks; only then may the next one stop.
      await pause(seconds * 1000);
      log(`round ${round}, node ${index + 1}: stopped in ${format(stops.at(-1), 'ms')}; ${traffic.summary()}`);
    }
  }
  await traffic.stop();
  await world.drain(120_000);
  const { faults, listed, written, reached } = await verifyMessages(world, traffic.accepted);
  const hooks = await world.control.entriesOf('hook_answered');
  const hooksFailed = hooks.filter(({ status }) => status !== 200).length;
  const { failed, durations, sockets, streams } = traffic;
  const [slowestStop, slowestStart] = [Math.max(0, ...stops), Math.max(0, ...starts)];
  const times = [0.5, 0.99, 1].map((share) => format(percentile(durations, share), 'ms')).join(' / ');
  const rows: [string, string][] = [
    ['Nodes behind HAProxy', String(nodes.length)],
    ['Restarts by SIGTERM', String(stops.length)],
    ['Requests of operators; failed', `${format(durations.length)}; ${failed.length}`],
    ['Request time, median / 99th / longest', times],
    ['Hooks answered; not with 200', `${format(hooks.length)}; ${hooksFailed}`],
    ['Messages of leads / of ours on phones', `${format(written)} / ${format(reached)}`],
    ['Messages by fault', formatCounts(faultCounts(faults))],
    ['Listed for operators', formatCounts(listed)],
    ['Live streams that came back, longest gap', `${streams.breaks}, ${format(streams.worstGapMs, 'ms')}`],
    ['Chat sockets that came back, longest gap', `${sockets.breaks}, ${format(sockets.worstGapMs, 'ms')}`],
    ['Slowest stop / start to ready', `${format(slowestStop, 'ms')} / ${format(slowestStart, 'ms')}`],
  ];
  return {
    text: `Nodes are behind HAProxy with the file of \`ops/haproxy\`. One after the other they get SIGTERM and are started again, while leads write over the emulated messenger, operators read and type, consoles listen, and chat sockets are open.

${table(['what', 'figure'], rows)}`,
    violations: [
      ...failed,
      ...faultSentences(faults),
      ...(hooksFailed > 0 ? [`${hooksFailed} hooks were not answered with 200`] : []),
      ...(slowestStop > STOP_MS ? [`a node took ${format(slowestStop, 'ms')} to end`] : []),
      ...(sockets.normalCloses > 0 ? [`${sockets.normalCloses} sockets were closed as if for good`] : []),
      ...(Math.max(sockets.worstGapMs, streams.worstGapMs) > GAP_MS
        ? ['a stream or socket was away for too long']
        : []),
    ],
  };
}

const rolling = definePart({
  heading: 'Nodes behind HAProxy',
  options: { nodes: [2, 2], rounds: [2, 1], seconds: [4, 4] },
  run: ({ nodes: count, ...settings }) =>
    withWorld({ postgres: { max_connections: '300' } }, async (world, cluster) => {
      const env = { RAPPORT_TRUST_PROXY: 'on', RAPPORT_DRAIN_SECONDS: '2', RAPPORT_STRICT_REPLIES: '' };
      const nodes: ServerNode[] = [];
      for (const one of namedNodes(count, env)) nodes.push(createNode(world, await freePort(), one));
      const proxy = await startProxy(world.port, nodes);
      return keepIfViolated({ world, cluster, nodes, log: settings.log }, async () => {
        await Promise.all(nodes.map((node) => node.start()));
        await waitUntilServed(world);
        return restartNodes(settings, world, nodes);
      }).finally(async () => {
        await Promise.all(nodes.map((node) => node.stop()));
        proxy.kill('SIGTERM');
        if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
      });
    }),
});

await runCommand({
  name: 'rolling',
  title: 'Rolling restarts under load',
  intro: 'No request may fail and no message be lost.',
  file: 'ROLLING.md',
  parts: { rolling },
});
