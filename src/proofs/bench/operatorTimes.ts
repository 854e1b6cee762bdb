/** Times that an operator notices: a start, a message on the page, an answer. `--starts N --leads N`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ROOT } from '../../testing/builds.ts';
import { freePort } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { openLiveStream } from '../harness/liveStream.ts';
import { median } from '../harness/load.ts';
import { format, table } from '../harness/report.ts';
import { type BenchEnvironment, withBaseline } from './environment.ts';

const DEBOUNCE_MS = 5000;

interface Figure {
  readonly name: string;
  readonly values: readonly number[];
  readonly targetMs: number;
  /** Whether the target is for the slowest value and not for the median. */
  readonly isForWorst?: true;
}

export const operator = definePart({
  heading: 'What an operator feels',
  options: { starts: [5, 1], leads: [20, 3] },
  async run({ starts, leads }) {
    const started = await measureStarts(starts);
    const { onPage, answered } = await withBaseline(
      { RAPPORT_REPLY_DEBOUNCE_SECONDS: String(DEBOUNCE_MS / 1000) },
      (environment) => measureConversation(environment, leads),
    );
    const figures: readonly Figure[] = [
      { name: 'second `npm start` until ready, PostgreSQL included', values: started, targetMs: 1200 },
      { name: 'lead’s message → open console page', values: onPage, targetMs: 1000, isForWorst: true },
      {
        name: `lead’s message → answer sent, beyond the debounce of ${DEBOUNCE_MS} ms`,
        values: answered,
        targetMs: 400,
        isForWorst: true,
      },
    ];
    return {
      text: table(
        ['', 'median', 'worst', 'target'],
        figures.map(({ name, values, targetMs }) => [
          name,
          format(median(values), 'ms'),
          format(Math.max(...values), 'ms'),
          format(targetMs, 'ms'),
        ]),
      ),
      violations: figures
        .map((one) => ({ ...one, ms: one.isForWorst ? Math.max(...one.values) : median(one.values) }))
        .filter(({ ms, targetMs }) => ms > targetMs)
        .map(({ name, ms, targetMs }) => `${name}: ${format(ms, 'ms')}, the target is ${format(targetMs, 'ms')}`),
    };
  },
});

/** Measure `npm start` on an existing data directory, PostgreSQL included: milliseconds until it is ready. */
async function measureStarts(count: number): Promise<number[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rapport-bench-start-'));
  const port = await freePort();
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const env = { ...inherited, RAPPORT_DATA_DIR: dataDir, PORT: String(port) };
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.status === 200,
      () => false,
    );
  const durations: number[] = [];
  try {
    // The first start creates the data directory.
    for (let round = 0; round <= count; round++) {
      const startedAt = performance.now();
      const child = spawn('npm', ['start'], { cwd: ROOT, env, stdio: 'ignore', detached: true });
      while (!(await isReady())) {
        if (performance.now() - startedAt > 120_000) throw new Error('npm start does not become ready');
        await pause(5);
      }
      if (round > 0) durations.push(performance.now() - startedAt);
      const ended = once(child, 'exit');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await ended;
      while (await isReady()) await pause(5);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return durations;
}

const messageEvent = z.object({
  type: z.literal('message'),
  message: z.object({ contact_id: z.int(), side: z.enum(['user', 'bot']), status: z.string() }),
});

/**
 * Send messages of leads one after another to a server with all roles; the model answers at its usual pace. Returns the
 * milliseconds until each is on the open page, and until its answer is sent, less the debounce.
 */
async function measureConversation(
  { world, operator: client }: BenchEnvironment,
  count: number,
): Promise<{ onPage: number[]; answered: number[] }> {
  await world.control.changeSettings({ llm: { msPerToken: 15 } });
  /** Time of the first message of either side, by side and contact. */
  const firstAt = new Map<string, number>();
  const url = `${world.url}/v1/live?product_id=${world.productId}`;
  const close = await openLiveStream({ url, cookie: client.cookie }, (data) => {
    const parsed = messageEvent.safeParse(JSON.parse(data));
    if (!parsed.success || ['scheduled', 'sending'].includes(parsed.data.message.status)) return;
    const key = `${parsed.data.message.side} ${parsed.data.message.contact_id}`;
    if (!firstAt.has(key)) firstAt.set(key, performance.now());
  });
  const written = new Map<number, number>();
  try {
    for (let index = 0; index < count; index++) {
      const lead = await world.lead(`Reader ${index}`);
      written.set(lead.contactId, performance.now());
      await lead.writes('How long does delivery take?');
      await world.waitUntil(() => firstAt.has(`user ${lead.contactId}`), 'the message on the page', 20_000);
    }
    await world.waitUntil(() => firstAt.size === 2 * count, 'the answers', 60_000);
  } finally {
    close();
  }
  const since = (side: string): number[] =>
    [...written].map(([contact, startedAt]) => (firstAt.get(`${side} ${contact}`) ?? Number.NaN) - startedAt);
  return { onPage: since('user'), answered: since('bot').map((ms) => ms - DEBOUNCE_MS) };
}
