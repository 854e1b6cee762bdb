/**
 * Thousands of simultaneous dialogues: leads write, a model takes its time, answers are sent under the vendor's limits.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { definePart, type Outcome } from '../harness/command.ts';
import { makeChats } from '../harness/leads.ts';
import { percentile } from '../harness/load.ts';
import { faultSentences, verifyMessages } from '../harness/oracle.ts';
import { sampleMemory } from '../harness/processes.ts';
import { format, formatCount, rowTable } from '../harness/report.ts';
import { LOAD_WORLD, namedNodes, withNodes } from '../harness/world.ts';

/** Number of simultaneous writers, and of connections to the emulators. */
const WRITERS = 32;

/** `--dialogues N --within SECONDS --concurrency C --nodes N`. */
export const dialogues = definePart({
  heading: 'Dialogues that talk at once',
  options: { dialogues: [5000, 100], within: [60, 5], concurrency: [64, 16], nodes: [1, 1] },
  run({ dialogues: count, within, concurrency, nodes: nodeCount, log }) {
    const env = { RAPPORT_CONCURRENCY: String(concurrency) };
    return withNodes({ ...LOAD_WORLD, env, nodes: namedNodes(nodeCount) }, async (world, nodes): Promise<Outcome> => {
      const addresses = await makeChats(world, count, 'bot');
      // About ten words at this pace: an answer takes one to three seconds.
      await world.control.changeSettings({ llm: { firstTokenMs: 1000, msPerToken: 60 } });
      const memory = sampleMemory(nodes.map((node) => node.pid()));
      const startedAt = performance.now();
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          for (let index = writer; index < addresses.length; index += WRITERS) {
            await pause(Math.max(0, startedAt + (index / count) * within * 1000 - performance.now()));
            const message = { channelId: world.whatsapp.ref, text: 'What does a kitchen cost?' };
            await world.control.write(addresses[index] ?? '', message);
          }
        }),
      );
      log(`${addresses.length} have written, within ${within} s`);
      await world.drain(300_000 + count * 1500);
      const lasted = (performance.now() - startedAt) / 1000;
      const memoryMb = memory.stop();
      const at = new Map((await world.control.entriesOf('inbound')).map((one) => [one.address, Date.parse(one.at)]));
      const durations = (await world.control.entriesOf('reached'))
        .map((one) => (Date.parse(one.at) - (at.get(one.to) ?? 0)) / 1000)
        .toSorted((a, b) => a - b);
      const columns = {
        answered: durations.length,
        'until the last': format(lasted, 's'),
        'answers a second': durations.length / lasted,
        'message to answer, p50': format(percentile(durations, 0.5), 's'),
        p99: format(percentile(durations, 0.99), 's'),
        'memory of a node, at most': format(memoryMb, 'MB'),
      };
      const { faults } = await verifyMessages(world, []);
      return {
        text: `${formatCount(count)} leads write within ${within} s to ${nodeCount} node(s) with \`RAPPORT_CONCURRENCY=${concurrency}\`; each answer falls due 5 s after the message, the model takes 1 s to its first token and 60 ms for each, and all are sent by one Wazzup24 account with its limits on.

${rowTable(columns)}`,
        violations: [
          ...faultSentences(faults),
          ...(durations.length === count ? [] : [`${durations.length} of ${count} leads were answered`]),
        ],
      };
    });
  },
});
