/** `npm run decisions`: compares what the engine of 1.0.0 and today's decide on the same facts; writes DECISIONS.md. */

import { createRandom } from '../../sandbox/random.ts';
import { definePart, type Part, runCommand } from '../harness/command.ts';
import { formatCount, table } from '../harness/report.ts';
import { withCluster } from '../harness/world.ts';
import { type Difference, findDifferences } from './differences.ts';
import { openEngine, readState, seed, stubModels } from './engines.ts';
import { type Case, INSTANTS, range, type Setting } from './facts.ts';
import { makeInboundCase, makeReportCase } from './inboundCases.ts';
import { makeFirstCase, makePlanCase } from './planCases.ts';
import { makeReplyCase, makeSendCase } from './sendCases.ts';
import { type Steps, steps } from './steps.ts';

const UNSAFE_BUT_QUICK = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Decisions of one kind. */
interface Kind {
  readonly heading: string;
  readonly make: (setting: Setting) => Case;
  readonly steps: Steps;
  readonly decisions: number;
  /** Cases that are decided together, 100 if left out: no more than today's engine claims at once, 200 reports. */
  readonly atOnce?: number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  inbound: {
    heading: 'Messages of leads, and of others in our name',
    make: makeInboundCase,
    steps: steps.receive,
    decisions: 25_000,
  },
  reports: { heading: 'Delivery reports', make: makeReportCase, steps: steps.receive, decisions: 25_000, atOnce: 50 },
  plan: { heading: 'Plans of leads', make: makePlanCase, steps: steps.plan, decisions: 25_000 },
  send: { heading: 'Sends and their outcomes', make: makeSendCase, steps: steps.send, decisions: 12_000 },
  reply: { heading: 'Replies', make: makeReplyCase, steps: steps.reply, decisions: 8000 },
  first: { heading: 'First messages', make: makeFirstCase, steps: steps.first, decisions: 6000 },
};

/** Declare the part that compares decisions of a kind: `--decisions N`. */
const comparisonOf = (name: string, { heading, make, steps: stepsOf, decisions, atOnce = 100 }: Kind): Part =>
  definePart({
    heading,
    options: { decisions: [decisions, 500] },
    async run({ decisions: wanted, seed: start, log }) {
      const random = createRandom(start);
      const all: Difference[] = [];
      let [decided, compared] = [0, 0];
      await withCluster({ postgres: UNSAFE_BUT_QUICK }, async (cluster) => {
        await stubModels();
        const [old, today] = [await openEngine(cluster, 'old'), await openEngine(cluster, 'new')];
        while (decided < wanted) {
          const now = random.pick(INSTANTS);
          const cases = range(atOnce).map((index) => make({ number: compared + index + 1, random, now }));
          for (const engine of [old, today]) {
            await seed(engine, cases, now);
            await stepsOf[engine.name](engine, cases);
          }
          const states = [await readState(old), await readState(today)] as const;
          for (const one of cases) all.push(...findDifferences(name, one, states));
          decided += cases.reduce((sum, one) => sum + one.decisions, 0);
          compared += cases.length;
          log(`${decided} decisions, ${all.length} differences`);
        }
        await Promise.all([old.close(), today.close()]);
      });
      const groups = [...Map.groupBy(all, ({ cause }) => cause)].map(([cause, list]) => [
        new Set(list.map(({ number }) => number)).size,
        cause,
        list[0]?.example ?? '',
      ]);
      const text = `${formatCount(decided)} decisions in ${formatCount(compared)} cases; ${formatCount(all.length)} values differ.`;
      return {
        text: groups.length === 0 ? text : `${text}\n\n${table(['cases', 'why', 'for example'], groups)}`,
        violations: all.filter(({ isExplained }) => !isExplained).map(({ example }) => example),
      };
    },
  });

Math.random = () => 0.5;
await runCommand({
  name: 'decisions',
  title: 'Decisions of both engines',
  intro:
    'Both engines get the same random facts in databases whose clocks stand still: that of 1.0.0, from the repository, and today’s. What each has made of them is compared column by column.',
  file: 'DECISIONS.md',
  parts: Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [name, comparisonOf(name, kind)])),
});
