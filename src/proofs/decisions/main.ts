/** `npm run decisions`: compares what the engine of 1.0.0 and today's decide on the same facts; writes DECISIONS.md. */
import { definePart, runCommand } from '../harness/command.ts';
import { createRandom } from '../harness/random.ts';
import { formatCount, table } from '../harness/report.ts';
import { withCluster } from '../harness/world.ts';
import { type Difference, findDifferences } from './differences.ts';
import { openEngine, readState, seed, stubModels } from './engines.ts';
import { ANOTHER_INSTANCE, type Case, INSTANTS, type Setting } from './facts.ts';
import { makeInboundCase, makeReportCase } from './inboundCases.ts';
import { makeFirstCase, makePlanCase } from './planCases.ts';
import { makeReplyCase, makeSendCase } from './sendCases.ts';
import { type Steps, steps } from './steps.ts';

/** Cases that are inserted and decided together: no more than today's engine claims at once. */
const CASES_OF_BATCH = 100;

interface Kind {
  readonly heading: string;
  readonly make: (setting: Setting) => Case;
  readonly steps: Steps;
  readonly decisions: number;
}

/** Declare a part that compares decisions of a kind: `--decisions N`. */
const comparisonOf = (name: string, { heading, make, steps: { old, new: today }, decisions }: Kind) =>
  definePart({
    heading,
    options: { decisions: [decisions, 500] },
    async run({ decisions: wanted, seed: start, log }) {
      const random = createRandom(start);
      const all: Difference[] = [];
      let decided = 0;
      let compared = 0;
      await withCluster(
        { postgres: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } },
        async (cluster) => {
          await stubModels();
          const engines = [await openEngine(cluster, 'old'), await openEngine(cluster, 'new')] as const;
          while (decided < wanted) {
            const now = random.pick(INSTANTS);
            const cases = Array.from({ length: CASES_OF_BATCH }, (_none, index) =>
              make({ number: compared + index + 1, random, now: Date.parse(now) }),
            );
            const batch = { cases, now, instances: [ANOTHER_INSTANCE] };
            for (const engine of engines) await seed(engine, batch);
            await old(engines[0], cases);
            for (const engine of engines.slice(1)) await seed(engine, batch);
            await today(engines[1], cases);
            const [before, after] = [await readState(engines[0]), await readState(engines[1])];
            all.push(...findDifferences(name, before, after));
            decided += cases.reduce((sum, one) => sum + one.decisions, 0);
            compared += cases.length;
            log(`${decided} decisions, ${all.length} differences`);
          }
          for (const engine of engines) await engine.close();
        },
      );
      return describe({ decided, compared, all });
    },
  });

function describe({ decided, compared, all }: { decided: number; compared: number; all: readonly Difference[] }) {
  const groups = [...Map.groupBy(all, ({ cause }) => cause)];
  const rows = groups.map(([cause, list]) => [
    new Set(list.map(({ batch }) => batch)).size,
    cause,
    list[0]?.example ?? '',
  ]);
  const text = `${formatCount(decided)} decisions in ${formatCount(compared)} cases; ${formatCount(all.length)} values differ.`;
  return {
    text: groups.length === 0 ? text : `${text}\n\n${table(['cases', 'why', 'for example'], rows)}`,
    violations: all.filter(({ isExplained }) => !isExplained).map(({ example }) => example),
  };
}

Math.random = () => 0.5;
await runCommand({
  name: 'decisions',
  title: 'Decisions of both engines',
  intro:
    'Both engines get the same random facts in databases whose clocks stand still: that of 1.0.0, from the repository, and today’s. What each has made of them is compared column by column.',
  file: 'DECISIONS.md',
  parts: {
    inbound: comparisonOf('inbound', {
      heading: 'Messages of leads, and of others in our name',
      make: makeInboundCase,
      steps: steps.receive,
      decisions: 25_000,
    }),
    reports: comparisonOf('reports', {
      heading: 'Delivery reports',
      make: makeReportCase,
      steps: steps.receive,
      decisions: 25_000,
    }),
    plan: comparisonOf('plan', { heading: 'Plans of leads', make: makePlanCase, steps: steps.plan, decisions: 25_000 }),
    send: comparisonOf('send', {
      heading: 'Sends and their outcomes',
      make: makeSendCase,
      steps: steps.send,
      decisions: 12_000,
    }),
    reply: comparisonOf('reply', { heading: 'Replies', make: makeReplyCase, steps: steps.reply, decisions: 8000 }),
    first: comparisonOf('first', {
      heading: 'First messages',
      make: makeFirstCase,
      steps: steps.first,
      decisions: 6000,
    }),
  },
});
