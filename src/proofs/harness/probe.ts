/** Sends the same request again and again beside a load, an attack or a failure, and counts how it is answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from './load.ts';

/** An answer: of fetch, or of the tests' client, whose body is read already. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  arrayBuffer?(): Promise<unknown>;
}

export interface ProbeOptions {
  /** Number for the request's own use, from 0. */
  readonly request: (number: number) => Promise<Answer>;
  /** Milliseconds between an answer and the next request. */
  readonly everyMs?: number;
  /** The same after any answer but 2xx. */
  readonly refusedMs?: number;
  /** Called with each answer; null if there was none. */
  readonly onAnswer?: (answer: Answer | null, number: number) => void;
}

export interface ProbeResult {
  readonly asked: number;
  /** Requests that were not answered with 2xx. */
  readonly failed: number;
  /** Answers by status; 0 if there was none. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds of all answers, ascending. */
  readonly durations: readonly number[];
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

export interface Probe {
  stop(): Promise<ProbeResult>;
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Start sending; at least one request is sent. */
export function startProbe({ request, everyMs = 0, refusedMs = everyMs, onAnswer }: ProbeOptions): Probe {
  const statuses: Record<number, number> = {};
  const durations: number[] = [];
  let [asked, failed, isOver] = [0, 0, false];

  async function answerOf(number: number): Promise<Answer> {
    const answer = await request(number);
    await answer.arrayBuffer?.();
    return answer;
  }

  async function ask(): Promise<number> {
    const startedAt = performance.now();
    const answer = await answerOf(asked++).catch(() => null);
    const status = answer?.status ?? 0;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status !== 0) durations.push(performance.now() - startedAt);
    if (!isGood(status)) failed++;
    onAnswer?.(answer, asked - 1);
    return status;
  }

  const running = (async () => {
    do await pause(isGood(await ask()) ? everyMs : refusedMs);
    while (!isOver);
  })();
  return {
    async stop() {
      isOver = true;
      await running;
      durations.sort((a, b) => a - b);
      const [medianMs, p99Ms] = [percentile(durations, 0.5), percentile(durations, 0.99)];
      return { asked, failed, statuses, durations, medianMs, p99Ms, worstMs: durations.at(-1) ?? Number.NaN };
    },
  };
}

/** Run probes by name while `work` runs. */
export async function probeDuring(
  probes: Readonly<Record<string, ProbeOptions>>,
  work: () => Promise<unknown>,
): Promise<Record<string, ProbeResult>> {
  const running = Object.entries(probes).map(([name, options]) => ({ name, probe: startProbe(options) }));
  const results: Record<string, ProbeResult> = {};
  try {
    await work();
  } finally {
    for (const { name, probe } of running) results[name] = await probe.stop();
  }
  return results;
}
