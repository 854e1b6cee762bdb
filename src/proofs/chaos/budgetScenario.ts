/**
 * A daily budget under kills: leads write all the time, two workers answer them, and are killed at named points and at
 * random. A vendor keeps its own account of what it bills. Whenever the budget is spent it is raised, so the limit is
 * reached again and again. At no moment may the vendor have billed more than the budget and the estimate of one request,
 * and in the end all it has billed is counted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Budget, readBudget, writeBudget } from '../../llm/budgetContract.ts';
import { createRandom } from '../../sandbox/random.ts';
import type { Client } from '../../testing/client.ts';
import { startModelVendor, textAnswer } from '../../testing/modelVendor.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import type { TestLead, World } from '../../testing/world.ts';
import { countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { rowTable } from '../harness/report.ts';
import { READY_MS, withWorld } from '../harness/world.ts';
import { type KillPlan, startKillableWorker } from './killableWorker.ts';

interface BudgetScenario {
  readonly seed: number;
  /** Calls that may be made at once. */
  readonly calls: number;
  readonly deaths: number;
  readonly log: (line: string) => void;
}

/** Points that an answer passes, from its reservation to its settlement. */
const POINTS = [
  'reply.beforeModel',
  'budget.afterReserve',
  'reply.afterModel',
  'reply.beforeCommit',
  'reply.afterCommit',
  'db.beforeCommit',
  'db.afterCommit',
];
const WORKERS = 2;
/** Price of gpt-4o-mini, US dollars a token. */
const PRICE = { input: 0.15e-6, output: 0.6e-6 };
/** What the vendor bills for an answer, tokens: always less than is reserved for it. */
const BILLED = { input: 400, leastOutput: 4000, mostOutput: 16_000 };
/** The estimate of one request: 16,384 tokens of output, and 10,000 of input, more than any prompt here has. */
const MOST_RESERVED = 16_384 * PRICE.output + 10_000 * PRICE.input;
/** How long the vendor takes to answer, milliseconds. */
const ANSWER_MS = 400;
/** Fast enough that turns always wait, slow enough that workers receive all messages. */
const BETWEEN_MESSAGES_MS = 100;
const TIMEOUT_MS = 120_000;
const TIMEOUT_PER_DEATH_MS = 60_000;

/** `--calls N --deaths K`. */
export const budget = definePart({
  heading: 'A daily budget under kills',
  options: { calls: [24, 12], deaths: [20, 3] },
  run: (settings) =>
    withWorld({}, async (world) => {
      const { violations, ...counts } = await runBudgetScenario(settings, world);
      return {
        text: `Leads write all the time and are answered by two workers, ${settings.calls} calls at once, while these are killed at named points and at random. Whenever the budget is spent it is raised. What the vendor bills is its own account, and includes answers that nobody received.

${rowTable(counts)}`,
        violations,
      };
    }),
});

/** Run the scenario and verify the result. The world must not serve anything itself. */
export async function runBudgetScenario({ seed, calls, deaths, log }: BudgetScenario, world: World) {
  const random = createRandom(seed);
  const vendor = await startModelVendor(world, ANSWER_MS);
  let billed = 0;
  vendor.answerEach(() => {
    const completion_tokens = random.integer(BILLED.leastOutput, BILLED.mostOutput);
    billed += BILLED.input * PRICE.input + completion_tokens * PRICE.output;
    return textAnswer('Six weeks.', { prompt_tokens: BILLED.input, completion_tokens });
  });
  const web = startServer(world, { RAPPORT_ROLES: 'web', RAPPORT_LOG_LEVEL: 'error' });
  await web.waitUntilReady(READY_MS);
  await connectHooks(world);
  const operator = await world.operator();
  const leads: TestLead[] = [];
  for (let index = 0; index < 2 * calls; index++) leads.push(await world.lead(`Lead ${index + 1}`));
  const budgetOf = account(world, operator);
  /** So much is left each time: half of the calls at once reserve it. */
  const step = (calls / 2) * MOST_RESERVED;
  let limit = step;
  await budgetOf.raise(limit);
  const killPlan: KillPlan = { random, points: POINTS, span: calls, remaining: deaths, kills: 0 };
  const env = { RAPPORT_CONCURRENCY: String(Math.ceil(calls / WORKERS)), RAPPORT_REPLY_DEBOUNCE_SECONDS: '0' };
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, (_none, index) =>
      startKillableWorker(world, { name: `worker ${index + 1}`, skewMinutes: 0, killPlan, env }),
    ),
  );
  const violations: string[] = [];
  const counts = { raised: 0, parallel: 0, mostOverspent: 0 };
  const check = () => {
    counts.parallel = Math.max(counts.parallel, vendor.inFlight());
    counts.mostOverspent = Math.max(counts.mostOverspent, billed - limit);
  };
  const traffic = startTraffic(leads);
  try {
    const end = performance.now() + TIMEOUT_MS + deaths * TIMEOUT_PER_DEATH_MS;
    while ((killPlan.kills < deaths || counts.raised === 0) && performance.now() < end) {
      await pause(100);
      check();
      if ((await budgetOf.read()).state !== 'spent') continue;
      check();
      limit = (await budgetOf.read()).spent_today + step;
      await budgetOf.raise(limit);
      counts.raised++;
      log(`raised ${counts.raised} times, ${killPlan.kills} kills, billed $${billed.toFixed(2)}`);
    }
    await traffic.stop();
    await budgetOf.raise(0);
    await world.waitUntil(
      async () => vendor.inFlight() === 0 && (await countRows(world.pool, 'llm_reservations where not is_lost')) === 0,
      'nothing is reserved',
      TIMEOUT_MS,
    );
  } finally {
    await traffic.stop();
    await Promise.all(workers.map((one) => one.end()));
  }
  const { spent_today: counted } = await budgetOf.read();
  const { runs, lost } = await budgetOf.sums();
  await web.stop();
  await vendor.close();
  if (killPlan.kills < deaths) violations.push(`only ${killPlan.kills} of ${deaths} kills happened`);
  if (counts.mostOverspent > MOST_RESERVED)
    violations.push(`the budget was exceeded by $${counts.mostOverspent}, more than the estimate of one request`);
  if (counted < billed - 1e-6) violations.push(`the vendor billed $${billed}, and $${counted} were counted`);
  if (Math.abs(runs + lost - counted) > 1e-9)
    violations.push(`the runs and lost calls cost $${runs + lost}, and $${counted} were counted`);
  return {
    kills: killPlan.kills,
    'times the budget was spent and raised': counts.raised,
    'calls of the vendor': vendor.requests.length,
    'most of them at once': counts.parallel,
    'billed by the vendor, $': billed.toFixed(4),
    'counted, $': counted.toFixed(4),
    'of these estimates of lost calls, $': lost.toFixed(4),
    'most above the budget, $': Math.max(0, counts.mostOverspent).toFixed(4),
    'estimate of one request, $, at most': MOST_RESERVED.toFixed(4),
    violations,
  };
}

/** What the operator sees and sets, and the sums behind it. */
function account(world: World, operator: Client) {
  const params = { id: world.companyId };
  return {
    read: async () => (await operator.call(readBudget, { params })).body as Budget,
    raise: (usd_per_day: number) => operator.call(writeBudget, { params, body: { usd_per_day } }),
    sums: async () => {
      const { rows } = await world.pool.query<{ runs: string; lost: string }>(
        `select (select coalesce(sum(cost), 0) from llm_runs) as runs,
                (select coalesce(sum(cost), 0) from llm_spending where purpose = 'lost') as lost`,
      );
      return { runs: Number(rows[0]?.runs), lost: Number(rows[0]?.lost) };
    },
  };
}

/** Have leads write in turn, without an end. */
function startTraffic(leads: readonly TestLead[]): { stop(): Promise<void> } {
  let isStopped = false;
  const writing = (async () => {
    for (let at = 0; !isStopped; at++) {
      await leads[at % leads.length]?.writes(`How long does delivery take? (${at})`);
      await pause(BETWEEN_MESSAGES_MS);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await writing;
    },
  };
}
