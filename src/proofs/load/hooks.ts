/** Hooks at a steady rate, on one node and on two: `--rate N --seconds S`. */
import { hookUrl } from '../../testing/messageRows.ts';
import { definePart, type Outcome, type Run } from '../harness/command.ts';
import { compareStored, createHook, makeChats } from '../harness/leads.ts';
import { percentile, sendHooks } from '../harness/load.ts';
import { hookViolations } from '../harness/oracle.ts';
import { sampleMemory } from '../harness/processes.ts';
import { format, formatCount, formatCounts, table } from '../harness/report.ts';
import { LOAD_WORLD, namedNodes, withNodes } from '../harness/world.ts';

const CHATS = 2000;

interface HookLoad extends Run {
  readonly nodes: number;
  readonly rate: number;
  readonly seconds: number;
}

/**
 * Send new messages of leads whom an operator leads: each is stored, acknowledged and processed, and none is answered.
 */
function measure({ nodes: count, rate: perSecond, seconds, log }: HookLoad) {
  return withNodes({ ...LOAD_WORLD, nodes: namedNodes(count) }, async (world, nodes) => {
    const chats = await makeChats(world, CHATS, 'human');
    const url = await hookUrl(world);
    const next = (number: number) => createHook(world, chats[(number * 7) % chats.length] ?? '', `Message ${number}`);
    const memory = sampleMemory(nodes.map((node) => node.pid()));
    const sent = await sendHooks({ url, perSecond, seconds, next, retryMs: 1000, tries: 200 });
    const startedAt = performance.now();
    log(`${sent.hooks} hooks posted; they are being processed`);
    await world.drain(120_000 + perSecond * seconds * 20);
    const drainedAfter = (performance.now() - startedAt) / 1000;
    const memoryMb = memory.stop();
    return { count, sent, stored: await compareStored(world, sent.acknowledged), memoryMb, drainedAfter };
  });
}

export const hooks = definePart({
  heading: 'Hooks a second',
  options: { rate: [1000, 100], seconds: [60, 5] },
  async run(settings): Promise<Outcome> {
    const results = [await measure({ ...settings, nodes: 1 }), await measure({ ...settings, nodes: 2 })];
    const rows = results.map(({ count, sent, stored, drainedAfter, memoryMb }) => ({
      nodes: count,
      hooks: sent.hooks,
      'acknowledged a second': sent.perSecond,
      p50: format(percentile(sent.answered, 0.5), 'ms'),
      p99: format(percentile(sent.answered, 0.99), 'ms'),
      'answers by status': formatCounts(sent.statuses),
      'lost / doubled': `${stored.missing} / ${stored.doubled}`,
      'all processed after': format(drainedAfter, 's'),
      'memory of a node, at most': format(memoryMb, 'MB'),
    }));
    return {
      text: `${formatCount(settings.rate)} new messages a second for ${settings.seconds} s, each a hook of its own, from 2,000 chats that an operator leads. A hook that is not answered with 200 is sent again.

${table(
  Object.keys(rows[0] ?? {}),
  rows.map((one) => Object.values(one)),
)}`,
      violations: results.flatMap(({ count, sent, stored }) =>
        hookViolations(sent, stored).map((one) => `${count} nodes: ${one}`),
      ),
    };
  },
});
