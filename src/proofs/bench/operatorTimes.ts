/** Times that an operator notices: a start, a message on the page, an answer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { freePort } from '../../testing/world.ts';
import type { BenchEnvironment } from './environment.ts';
import { median } from './median.ts';

const ROOT = join(import.meta.dirname, '../../..');
export interface Times {
  readonly median: number;
  readonly worst: number;
}

const times = (values: readonly number[]): Times => ({ median: median(values), worst: Math.max(...values) });

async function waitUntil(condition: () => Promise<boolean>, what: string, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Not in time: ${what}`);
    await pause(5);
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (answer) => answer.status === 200,
    () => false,
  );

/** Measure `npm start` on an existing data directory, PostgreSQL included: milliseconds until it is ready. */
export async function measureStarts(count: number): Promise<Times> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rapport-bench-start-'));
  const port = await freePort();
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const ready = `http://127.0.0.1:${port}/readyz`;
  const durations: number[] = [];

  async function start(): Promise<ChildProcess> {
    const child = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...inherited, RAPPORT_DATA_DIR: dataDir, PORT: String(port) },
      stdio: 'ignore',
      detached: true,
    });
    await waitUntil(() => answers(ready), 'npm start', 120_000);
    return child;
  }

  async function stop(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
    await waitUntil(async () => !(await answers(ready)), 'its end', 15_000);
  }

  try {
    await stop(await start());
    for (let round = 0; round < count; round++) {
      const startedAt = performance.now();
      const child = await start();
      durations.push(performance.now() - startedAt);
      await stop(child);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return times(durations);
}

const messageEvent = z.object({
  type: z.literal('message'),
  message: z.object({ contact_id: z.int(), side: z.enum(['user', 'bot']), status: z.string() }),
});

/** Open the console's live stream and call back for each message in it. */
async function listen(
  environment: BenchEnvironment,
  onMessage: (message: z.output<typeof messageEvent>['message']) => void,
): Promise<() => void> {
  const stop = new AbortController();
  const answer = await environment.operator.fetch(`/v1/live?product_id=${environment.world.productId}`, {
    signal: stop.signal,
  });
  if (answer.status !== 200 || !answer.body) throw new Error(`The live stream answers ${answer.status}`);
  const stream = answer.body.pipeThrough(new TextDecoderStream());
  const read = async () => {
    let rest = '';
    for await (const chunk of stream) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        if (!event.startsWith('data: ')) continue;
        const parsed = messageEvent.safeParse(JSON.parse(event.slice(6)));
        if (parsed.success) onMessage(parsed.data.message);
      }
    }
  };
  void read().catch(() => undefined);
  return () => stop.abort();
}

export interface OperatorTimes {
  /** From sending on the phone to the open console page. */
  readonly onPage: Times;
  /** From sending on the phone to the answer's arrival on the phone, less the debounce. */
  readonly answered: Times;
  readonly debounceMs: number;
}

/** Send messages of leads one after another to a server with all roles; the model answers at its usual pace. */
export async function measureConversation(environment: BenchEnvironment, count: number): Promise<OperatorTimes> {
  const debounceMs = 5000;
  await environment.serve({ RAPPORT_REPLY_DEBOUNCE_SECONDS: String(debounceMs / 1000) });
  await environment.world.control.changeSettings({ llm: { msPerToken: 15 } });
  const onPageAt = new Map<number, number>();
  const answeredAt = new Map<number, number>();
  const close = await listen(environment, ({ contact_id: contact, side, status }) => {
    const at = performance.now();
    if (side === 'user' && !onPageAt.has(contact)) onPageAt.set(contact, at);
    if (side === 'bot' && status !== 'scheduled' && status !== 'sending' && !answeredAt.has(contact))
      answeredAt.set(contact, at);
  });
  const written = new Map<number, number>();
  try {
    for (let index = 0; index < count; index++) {
      const lead = await environment.world.lead(`Reader ${index}`);
      written.set(lead.contactId, performance.now());
      await lead.writes('How long does delivery take?');
      await waitUntil(async () => onPageAt.has(lead.contactId), 'the message on the page', 20_000);
    }
    await waitUntil(async () => answeredAt.size === count, 'the answers', 60_000);
  } finally {
    close();
  }
  const since = (at: Map<number, number>) =>
    [...written].map(([contact, startedAt]) => (at.get(contact) ?? 0) - startedAt);
  return {
    onPage: times(since(onPageAt)),
    answered: times(since(answeredAt).map((ms) => ms - debounceMs)),
    debounceMs,
  };
}
