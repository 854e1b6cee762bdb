/**
 * More load of every kind than a node can serve: it must refuse at once with a time to retry, and lose nothing that it
 * acknowledged.
 */
import { leads } from '../../leads/contract.ts';
import type { Client } from '../../testing/client.ts';
import { hookUrl } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import { definePart, type Outcome } from '../harness/command.ts';
import { compareStored, createHook, makeChats } from '../harness/leads.ts';
import { percentile, sendHooks, timed } from '../harness/load.ts';
import { hookViolations } from '../harness/oracle.ts';
import { type ProbeOptions, probeDuring } from '../harness/probe.ts';
import { sampleMemory } from '../harness/processes.ts';
import { format, formatCount, formatCounts, table } from '../harness/report.ts';
import { LOAD_WORLD, withNodes } from '../harness/world.ts';

const CAPACITY = { hooks: 100, calls: 16, streams: 50 } as const;
const CALLERS = 64;
const STREAMS = 80;

/** `--rush N --rush-seconds S`: hooks a second, and for how long. */
export const overload = definePart({
  heading: 'More than a node holds',
  options: { rush: [4000, 600], 'rush-seconds': [20, 5] },
  run({ rush: perSecond, 'rush-seconds': seconds }) {
    const env = {
      RAPPORT_MOST_HOOKS: String(CAPACITY.hooks),
      RAPPORT_MOST_CALLS: String(CAPACITY.calls),
      RAPPORT_MOST_STREAMS: String(CAPACITY.streams),
    };
    return withNodes({ ...LOAD_WORLD, env }, async (world, nodes): Promise<Outcome> => {
      const operator = await world.operator();
      const chats = await makeChats(world, 1000, 'human');
      const url = await hookUrl(world);
      const violations = new Set<string>();
      const ready: Record<string, number> = {};
      const memory = sampleMemory(nodes.map((node) => node.pid()));
      const leaving = new AbortController();
      const streams = await openStreams({ world, operator, signal: leaving.signal, violations });
      const next = (number: number) => createHook(world, chats[number % chats.length] ?? '', `Message ${number}`);
      const connections = CAPACITY.hooks * 4;
      const sending = sendHooks({ url, perSecond, seconds, next, retryMs: 2000, tries: 500, connections });
      const probes = probesOf(world, operator, { violations, ready });
      const { health, ready: _ready, ...callers } = await probeDuring(probes, () => sending);
      const hooks = await sending;
      leaving.abort();
      const afterMs = await timed(async () => {
        const { status } = await operator.call(leads.list);
        if (status !== 200) violations.add(`a list was answered ${status} after the load`);
      });
      await world.drain(120_000 + perSecond * seconds * 20);
      const stored = await compareStored(world, hooks.acknowledged);
      for (const status of Object.keys(hooks.statuses))
        if (!['200', '429', '503'].includes(status)) violations.add(`a hook was answered ${status}`);
      const calls = sumOf(Object.values(callers).map(({ statuses }) => statuses));
      for (const [name, statuses] of Object.entries({ hooks: hooks.statuses, calls, streams }))
        if (!statuses[429] && !statuses[503]) violations.add(`no overload of ${name}: the limit was not reached`);
      const callMs = Object.values(callers).flatMap(({ durations }) => durations);
      callMs.sort((a, b) => a - b);
      const p99 = (durations: readonly number[]): string => format(percentile(durations, 0.99), 'ms');
      const rows = [
        ['hooks', formatCounts(hooks.statuses), p99(hooks.refused), p99(hooks.answered)],
        ['calls, all', formatCounts(calls), '', p99(callMs)],
        ['streams', formatCounts(streams), '', ''],
      ];
      return {
        text: `One node with room for ${CAPACITY.hooks} hooks, ${CAPACITY.calls} calls and ${CAPACITY.streams} streams at once. ${formatCount(perSecond)} hooks a second for ${seconds} s, ${CALLERS} callers who request a list again and again, and ${STREAMS} live streams.

${table(['', 'answers by status (0: none)', 'p99 of the refusals', 'p99 of the others'], rows)}

Acknowledged: ${formatCount(hooks.acknowledged.length)} hooks in the end, the repeats included; lost ${stored.missing}, doubled ${stored.doubled}. \`/healthz\`: slowest ${format(health?.worstMs, 'ms')}, other than 200: ${format(health?.failed)}. \`/readyz\` answered ${formatCounts(ready)}. A list after the load: ${format(afterMs, 'ms')}. Memory of the node, at most: ${format(memory.stop(), 'MB')}.`,
        violations: [...violations, ...hookViolations(hooks, stored)],
      };
    });
  },
});

interface Observed {
  readonly violations: Set<string>;
  readonly ready: Record<string, number>;
}

function probesOf(world: World, operator: Client, { violations, ready }: Observed): Record<string, ProbeOptions> {
  const caller: ProbeOptions = {
    request: () => operator.call(leads.list),
    // A console waits for Retry-After; this client retries sooner.
    refusedMs: 50,
    onAnswer(answer) {
      if (![200, 429, 503].includes(answer?.status ?? 0)) violations.add(`a call was answered ${answer?.status ?? 0}`);
      if (answer?.status !== 200 && !answer?.headers.has('retry-after'))
        violations.add('a call was refused without Retry-After');
    },
  };
  return {
    health: { request: () => fetch(`${world.url}/healthz`), everyMs: 100 },
    ready: {
      async request() {
        const answer = await fetch(`${world.url}/readyz`);
        const text = await answer.text();
        ready[text] = (ready[text] ?? 0) + 1;
        return { status: answer.status, headers: answer.headers };
      },
      everyMs: 100,
    },
    ...Object.fromEntries(Array.from({ length: CALLERS }, (_none, number) => [`caller ${number}`, caller])),
  };
}

const sumOf = (all: readonly Readonly<Record<number, number>>[]): Record<number, number> => {
  const sum: Record<number, number> = {};
  for (const statuses of all)
    for (const [status, count] of Object.entries(statuses)) sum[Number(status)] = (sum[Number(status)] ?? 0) + count;
  return sum;
};

interface StreamsOptions {
  readonly world: World;
  readonly operator: Client;
  readonly signal: AbortSignal;
  readonly violations: Set<string>;
}

/** Open more streams than the node admits. Returns how many were answered with each status. */
async function openStreams({ world, operator, signal, violations }: StreamsOptions): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const open: Response[] = [];
  for (let number = 0; number < STREAMS; number++) {
    const answer = await operator.fetch(`/v1/live?product_id=${world.productId}`, { signal });
    // Keep a reference: an unreferenced response is closed.
    open.push(answer);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status !== 200 && !answer.headers.has('retry-after'))
      violations.add('a stream was refused without Retry-After');
  }
  signal.addEventListener('abort', () => open.splice(0));
  return statuses;
}
