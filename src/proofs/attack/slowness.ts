/**
 * slowhttptest: connections that request, send or read as slowly as possible. Ordinary requests must be served
 * meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { hookUrl } from '../../testing/messageRows.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import { run } from './externalProgram.ts';
import type { Target } from './target.ts';

export interface Slowness {
  readonly name: string;
  /** Most connections that were open at any check, and how many the server had closed by then. */
  readonly connections: number;
  readonly closed: number;
  /** Whether the server had closed every connection before the first check. */
  readonly refusedAtOnce: boolean;
  readonly seconds: number;
  /** Ordinary requests sent meanwhile, and those that were not answered correctly. */
  readonly asked: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly worstMs: number;
  /** Whether the server answered at once after the attack. */
  readonly recovered: boolean;
}

/** An ordinary request that takes longer counts as not served. */
const TIMEOUT_MS = 5000;
const EVERY_MS = 50;

const ATTACKS = [
  { name: 'Slow headers', args: ['-H', '-i', '3', '-x', '24'], path: '/v1/leads/' },
  {
    name: 'Slow body of a login',
    args: ['-B', '-i', '3', '-s', '8192', '-t', 'POST', '-x', '10'],
    path: '/v1/auth/login',
  },
  { name: 'Slow body of a hook', args: ['-B', '-i', '3', '-s', '8192', '-x', '10'], path: 'hook' },
  {
    name: 'Slow body of an unknown hook',
    args: ['-B', '-i', '3', '-s', '8192', '-x', '10'],
    path: `/hooks/wazzup24/${'A'.repeat(43)}`,
  },
  {
    name: 'Slow reading',
    args: ['-X', '-w', '256', '-y', '1024', '-n', '3', '-z', '32', '-k', '3'],
    path: '/openapi.json',
  },
  { name: 'Ranges', args: ['-R', '-a', '5', '-b', '3000', '-t', 'GET'], path: '/openapi.json' },
] as const;

/** Run all attacks, one after the other. */
export async function attackSlowly(
  target: Target,
  connections: number,
  seconds: number,
  log: (line: string) => void,
): Promise<Slowness[]> {
  const found: Slowness[] = [];
  await connectHooks(target.world);
  const hook = await hookUrl(target.world);
  for (const kind of ATTACKS) {
    const args = [
      '-c',
      String(connections),
      '-r',
      String(Math.ceil(connections / 4)),
      '-l',
      String(seconds),
      '-p',
      '5',
    ];
    const address = ['-u', kind.path === 'hook' ? hook : `${target.url}${kind.path}`];
    // The cookie option also adds the Origin header, as slowhttptest has no option for headers. A login without an
    // origin is refused before its body is read.
    const cookie = ['-j', `${target.cookie}\r\nOrigin: ${target.url}`];
    const attack = run('slowhttptest', [...kind.args, ...args, ...address, ...cookie], (seconds + 60) * 1000);
    const over = { yes: false };
    void attack.finally(() => {
      over.yes = true;
    });
    const times: number[] = [];
    let failed = 0;
    while (!over.yes) {
      const ms = await ask(target);
      if (ms === null) failed += 1;
      else times.push(ms);
      await pause(EVERY_MS);
    }
    const { output } = await attack;
    const counted = (state: string): number =>
      Math.max(
        0,
        ...[...stripVTControlCharacters(output).matchAll(new RegExp(`${state}:\\s+(\\d+)`, 'g'))].map((one) =>
          Number(one[1]),
        ),
      );
    const sorted = times.toSorted((a, b) => a - b);
    const one: Slowness = {
      name: kind.name,
      connections: counted('connected'),
      closed: counted('closed'),
      refusedAtOnce: output.includes('No open connections left'),
      seconds,
      asked: times.length + failed,
      failed,
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      worstMs: sorted.at(-1) ?? Number.NaN,
      recovered: (await ask(target)) !== null,
    };
    found.push(one);
    log(
      `slowhttptest, ${one.name}: ${one.asked} ordinary requests, ${one.failed} not served, median ${one.medianMs.toFixed(0)} ms`,
    );
  }
  return found;
}

/** Send an ordinary request. Returns its duration in milliseconds, or null if it was not answered correctly. */
async function ask(target: Target): Promise<number | null> {
  const startedAt = performance.now();
  try {
    const answer = await fetch(`${target.url}/v1/leads/`, {
      headers: { cookie: target.cookie },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    return answer.status === 200 ? performance.now() - startedAt : null;
  } catch {
    return null;
  }
}
