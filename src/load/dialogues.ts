/** Thousands of dialogues that talk at once: leads write, a model takes its time, answers go out under the vendor's limits. */
import { setTimeout as pause } from 'node:timers/promises';
import { brokenInvariants } from '../testing/invariants.ts';
import type { World } from '../testing/world.ts';
import { makeChats } from './chats.ts';
import { percentile } from './gun.ts';
import { inSetting } from './setting.ts';
import { type Watched, watchDepth } from './watch.ts';

interface DialogueLoad {
  readonly dialogues: number;
  readonly nodes: number;
  /** Answers that a node may wait for at once. */
  readonly concurrency: number;
  /** Seconds within which all of them write. */
  readonly within: number;
  readonly say: (line: string) => void;
}

export interface DialoguesBorne {
  readonly answered: number;
  /** Seconds from the first word until the last answer was sent. */
  readonly lasted: number;
  /** Seconds from a lead's message until the answer stood on the phone. */
  readonly p50: number;
  readonly p99: number;
  readonly watched: Watched;
  readonly violations: readonly string[];
}

/** At once: as many connections to the emulators. */
const WRITERS = 32;

export function loadOfDialogues(load: DialogueLoad): Promise<DialoguesBorne> {
  const { dialogues, nodes: count, concurrency, within, say } = load;
  const env = { RAPPORT_CONCURRENCY: String(concurrency) };
  return inSetting({ nodes: count, env }, async ({ world, nodes }) => {
    const addresses = await makeChats(world, dialogues, 'bot');
    // About ten words at this pace: an answer takes one to three seconds.
    await world.control.changeSettings({ llm: { firstTokenMs: 1000, msPerToken: 60 } });
    const watch = watchDepth(world, nodes, 10);
    const begun = performance.now();
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(world, load, addresses, writer, begun)));
    say(`${addresses.length} have written, within ${within} s`);
    const telling = setInterval(() => void tell(world, say), 30_000);
    try {
      await world.drain(300_000 + dialogues * 1500);
    } finally {
      clearInterval(telling);
    }
    const lasted = (performance.now() - begun) / 1000;
    const watched = await watch.stop();
    const [written, reached] = await Promise.all([
      world.control.entriesOf('inbound'),
      world.control.entriesOf('reached'),
    ]);
    const at = new Map(written.map((one) => [one.address, Date.parse(one.at)]));
    const took = reached.map((one) => (Date.parse(one.at) - (at.get(one.to) ?? 0)) / 1000).toSorted((a, b) => a - b);
    const violations = await brokenInvariants(world);
    return {
      answered: took.length,
      lasted,
      p50: percentile(took, 0.5),
      p99: percentile(took, 0.99),
      watched,
      violations,
    };
  });
}

async function write(
  world: World,
  { dialogues, within }: DialogueLoad,
  addresses: readonly string[],
  writer: number,
  begun: number,
): Promise<void> {
  for (let index = writer; index < addresses.length; index += WRITERS) {
    const due = begun + (index / dialogues) * within * 1000;
    if (due > performance.now()) await pause(due - performance.now());
    await world.control.write(addresses[index] ?? '', {
      channelId: world.whatsapp.ref,
      text: 'What does a kitchen cost?',
    });
  }
}

async function tell({ pool }: World, say: (line: string) => void): Promise<void> {
  const { rows } = await pool.query<{ open: number; sent: number }>(
    `select (select count(*)::int from dialogues where turn_due_at is not null) as open,
            (select count(*)::int from messages where side = 'bot' and status in ('sent', 'delivered', 'read')) as sent`,
  );
  say(`${rows[0]?.open ?? 0} turns open, ${rows[0]?.sent ?? 0} answers sent`);
}
