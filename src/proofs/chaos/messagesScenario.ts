/**
 * Messages under kills: two to four nodes behind one address, random kills of any process, PostgreSQL restarts,
 * misbehaving vendors and models, different clocks, working hours. Afterwards every message is accounted for.
 */

import { createRandom } from '../../sandbox/random.ts';
import type { World } from '../../testing/world.ts';
import { definePart, type Outcome, type Run } from '../harness/command.ts';
import { faultCounts, faultSentences, verifyMessages } from '../harness/oracle.ts';
import { format, formatCounts, rowTable } from '../harness/report.ts';
import { keepIfViolated, openProductPool, withWorld } from '../harness/world.ts';
import { createFixture, HOURS } from './fixture.ts';
import { Fleet } from './fleet.ts';
import { Traffic, type TrafficScenario } from './messageTraffic.ts';

const ECHOES = ['echo', 'plain', 'off'] as const;

type MessagesScenario = Run & Omit<TrafficScenario, 'random'>;

/** `--messages M --kills K --restarts R`. Keeps database, journal and logs if something is violated. */
export const messages = definePart({
  heading: 'Messages under kills',
  options: { messages: [10_000, 240], kills: [500, 14], restarts: [20, 3] },
  run(settings) {
    const env = { RAPPORT_ASK_VENDOR_SECONDS: '1', RAPPORT_MODEL_SILENCE_SECONDS: '3' };
    return withWorld({ emulators: 'process', env }, async (world, cluster) => {
      const echo = ECHOES[settings.seed % ECHOES.length] ?? 'echo';
      await world.control.changeSettings({ seed: settings.seed, echo });
      const fleet = await Fleet.start(world, cluster);
      return keepIfViolated({ world, cluster, nodes: fleet.nodes, log: settings.log }, () =>
        runScenario(settings, world, fleet).finally(() => fleet.close()),
      );
    });
  },
});

async function runScenario(scenario: MessagesScenario, world: World, fleet: Fleet): Promise<Outcome> {
  const operator = await world.operator();
  const leadCount = Math.max(20, Math.min(240, Math.round(scenario.messages / 25)));
  const fixture = await createFixture(world, operator, leadCount);
  const db = openProductPool(world.databaseUrl, 2);
  const random = createRandom(scenario.seed);
  const traffic = new Traffic({ ...scenario, random }, { world, fleet, fixture, operator, pool: db.pool });
  await traffic.run().finally(() => db.close());
  const { accepted, optedOut, askedForHuman, domainOf, manualSettlement } = traffic;
  const hours = { productId: fixture.productWithHours, ...HOURS };
  const { faults, listed, written, reached } = await verifyMessages({ ...world, domainOf }, accepted, hours);
  const columns = {
    'written by leads': written,
    'typed by an operator': accepted.length,
    'our messages on phones': reached,
    'opted out': optedOut,
    'asked for a person': askedForHuman,
  };
  return {
    text: `Two nodes of both roles and one of each, which come and go, behind one address, their clocks 0, 7, -5 and 12 minutes wrong; ${leadCount} leads over both vendors and both messengers, a third of them with a product that has working hours; hooks lost while only an operator writes; half an hour of 5xx from both vendors, half an hour in which no vendor and no model can be reached; answers lost, late, refused and malformed, hooks duplicated, shuffled, mixed and failing, statuses before answers, a model that fails, hangs, stops in the middle and answers nonsense.

Killed: ${formatCounts(fleet.kills)}. PostgreSQL restarted: ${formatCounts(fleet.restarts)}. Nodes that left by SIGTERM and came back: ${fleet.stopped} (slowest stop ${format(fleet.slowestStopMs, 'ms')}).

${rowTable(columns)}

${rowTable(faultCounts(faults))}

Left for operators: ${formatCounts(listed)}. Unconfirmed on the way, settled by hand: ${manualSettlement.reachedUnconfirmed} had arrived, ${manualSettlement.sentAgain} were sent again; refused and sent again: ${manualSettlement.refused}.`,
    violations: [...faultSentences(faults), ...(await traffic.findUnnoticed())],
  };
}
