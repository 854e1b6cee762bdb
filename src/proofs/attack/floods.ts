/** Floods of requests, and how other requests fare meanwhile: a probe, a valid hook and an operator's list. */
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hookUrl, inboundItem } from '../../testing/messageRows.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import type { Target } from './target.ts';

/** Statistics of one kind of ordinary request. */
interface RequestStats {
  readonly name: string;
  readonly asked: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}
export interface FloodResult {
  readonly name: string;
  readonly connections: number;
  readonly seconds: number;
  /** Answers to the flood by status; 0 counts connections that were cut off. */
  readonly floodAnswers: Readonly<Record<string, number>>;
  readonly quiet: readonly RequestStats[];
  readonly flooded: readonly RequestStats[];
  /** Processes that waited for a core, averaged over the last minute. */
  readonly load: number;
}

const TIMEOUT_MS = 10_000;
const EVERY_MS = 50;
/** Limits for ordinary requests during a flood: the slowdown factor, and the share that must be answered. */
export const MAX_SLOWDOWN = 10;
export const MIN_SERVED_SHARE = 0.99;

const FLOODS = [
  { kind: 'hooks', name: 'Hooks to unknown addresses, 612 KB each', connections: 20 },
  { kind: 'model', name: 'Calls to a model that never answers', connections: 256 },
  { kind: 'logins', name: 'Wrong logins from 60 addresses', connections: 300 },
] as const;

/** Return whether all other requests were served within the limits. */
export const isWithinLimits = ({ quiet, flooded }: FloodResult): boolean =>
  flooded.every((one, index) => {
    const before = quiet[index];
    return (
      before !== undefined &&
      one.failed <= one.asked * (1 - MIN_SERVED_SHARE) &&
      one.medianMs < before.medianMs * MAX_SLOWDOWN
    );
  });

/** Run all floods, one after the other. */
export async function attackByFloods(
  target: Target,
  seconds: number,
  log: (line: string) => void,
): Promise<FloodResult[]> {
  const { world } = target;
  const silent = 'gpt-4o-mini';
  await connectHooks(world);
  const hook = await hookUrl(world);
  await world.control.setFaults([{ kind: 'openai.stall_first', match: { model: silent } }]);
  const operator = await world.operator('looks on', [world.companyId]);
  const floodOperator = await world.operator('asks the model', [world.companyId]);
  const lead = await world.lead('Anna');
  const ordinary = {
    '`/healthz`': () => fetch(`${target.url}/healthz`, withTimeout()),
    'a good hook': () =>
      fetch(hook, {
        ...withTimeout(),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          messages: [inboundItem(world, lead.address, 'Hello', { isEcho: true, status: 'sent' })],
        }),
      }),
    'a list': () => fetch(`${target.url}/v1/leads/`, { ...withTimeout(), headers: { cookie: operator.cookie } }),
  };
  const results: FloodResult[] = [];
  for (const { kind, name, connections } of FLOODS) {
    const quiet = await ask(ordinary, seconds);
    const body = JSON.stringify({
      product_id: world.productId,
      purpose: 'chatbot',
      content: 'Hello',
      vendor: 'chatgpt',
      model: silent,
    });
    const flood = startFlood({ kind, url: target.url, connections, cookie: floodOperator.cookie, body });
    // Wait until the flood is at full strength.
    await pause(3000);
    const flooded = await ask(ordinary, seconds);
    const [load = 0] = loadavg();
    results.push({ name, connections, seconds, floodAnswers: flood.close(), quiet, flooded, load });
    log(`${name}: ${flooded.map((one) => `${one.name} ${one.medianMs.toFixed(0)} ms`).join(', ')}`);
    await pause(2000);
  }
  return results;
}

const withTimeout = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(TIMEOUT_MS) });

function startFlood(order: object): { close: () => Record<string, number> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'floodProcess.ts'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  let answers: Record<string, number> = {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const last = text.trim().split('\n').at(-1);
    if (last?.startsWith('{') && last.endsWith('}')) answers = JSON.parse(last);
  });
  return {
    close() {
      process.off('exit', atExit);
      child.kill('SIGKILL');
      return answers;
    },
  };
}

async function ask(
  ordinary: Readonly<Record<string, () => Promise<Response>>>,
  seconds: number,
): Promise<RequestStats[]> {
  const until = performance.now() + seconds * 1000;
  return Promise.all(
    Object.entries(ordinary).map(async ([name, request]) => {
      const times: number[] = [];
      let failed = 0;
      for (; performance.now() < until; await pause(EVERY_MS)) {
        const startedAt = performance.now();
        const status = await request().then(
          async (answer) => {
            await answer.arrayBuffer();
            return answer.status;
          },
          () => 0,
        );
        if (status === 200) times.push(performance.now() - startedAt);
        else failed += 1;
      }
      const sorted = times.toSorted((a, b) => a - b);
      const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
      return { name, asked: times.length + failed, failed, medianMs: at(0.5), p99Ms: at(0.99) };
    }),
  );
}
