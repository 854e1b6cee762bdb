/**
 * Thousands of simultaneous dialogues: leads write, a model takes its time, answers are sent under the vendor's limits.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { brokenInvariants } from '../../testing/invariants.ts';
import type { World } from '../../testing/world.ts';
import { makeChats } from './chats.ts';
import { withLoadEnvironment } from './environment.ts';
import { percentile } from './hookSender.ts';
import { type LoadMetrics, sampleQueueDepth } from './queueDepth.ts';

interface DialogueLoad {
  readonly dialogues: number;
  readonly nodes: number;
  /** Answers that a node may wait for at once. */
  readonly concurrency: number;
  /** Seconds within which all of them write. */
  readonly within: number;
  readonly log: (line: string) => void;
}

export interface DialogueLoadResult {
  readonly answered: number;
  /** Seconds from the first message until the last answer was sent. */
  readonly lasted: number;
  /** Seconds from a lead's message until the answer was on the phone. */
  readonly p50: number;
  readonly p99: number;
  readonly metrics: LoadMetrics;
  readonly violations: readonly string[];
}

/** Number of simultaneous writers, and of connections to the emulators. */
const WRITERS = 32;

export function runDialogueLoad(load: DialogueLoad): Promise<DialogueLoadResult> {
  const { dialogues, nodes: count, concurrency, within, log } = load;
  const env = { RAPPORT_CONCURRENCY: String(concurrency) };
  return withLoadEnvironment({ nodes: count, env }, async ({ world, nodes }) => {
    const addresses = await makeChats(world, dialogues, 'bot');
    // About ten words at this pace: an answer takes one to three seconds.
    await world.control.changeSettings({ llm: { firstTokenMs: 1000, msPerToken: 60 } });
    const watch = sampleQueueDepth(world, nodes, 10);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(world, load, addresses, writer, startedAt)));
    log(`${addresses.length} have written, within ${within} s`);
    const progressTimer = setInterval(() => void logProgress(world, log), 30_000);
    try {
      await world.drain(300_000 + dialogues * 1500);
    } finally {
      clearInterval(progressTimer);
    }
    const lasted = (performance.now() - startedAt) / 1000;
    const metrics = await watch.stop();
    const [written, reached] = await Promise.all([
      world.control.entriesOf('inbound'),
      world.control.entriesOf('reached'),
    ]);
    const at = new Map(written.map((one) => [one.address, Date.parse(one.at)]));
    const durations = reached
      .map((one) => (Date.parse(one.at) - (at.get(one.to) ?? 0)) / 1000)
      .toSorted((a, b) => a - b);
    const violations = await brokenInvariants(world);
    return {
      answered: durations.length,
      lasted,
      p50: percentile(durations, 0.5),
      p99: percentile(durations, 0.99),
      metrics,
      violations,
    };
  });
}

async function write(
  world: World,
  { dialogues, within }: DialogueLoad,
  addresses: readonly string[],
  writer: number,
  startedAt: number,
): Promise<void> {
  for (let index = writer; index < addresses.length; index += WRITERS) {
    const due = startedAt + (index / dialogues) * within * 1000;
    if (due > performance.now()) await pause(due - performance.now());
    await world.control.write(addresses[index] ?? '', {
      channelId: world.whatsapp.ref,
      text: 'What does a kitchen cost?',
    });
  }
}

async function logProgress({ pool }: World, log: (line: string) => void): Promise<void> {
  const { rows } = await pool.query<{ open: number; sent: number }>(
    `select (select count(*)::int from dialogues where turn_due_at is not null) as open,
            (select count(*)::int from messages where side = 'bot' and status in ('sent', 'delivered', 'read')) as sent`,
  );
  log(`${rows[0]?.open ?? 0} turns open, ${rows[0]?.sent ?? 0} answers sent`);
}
