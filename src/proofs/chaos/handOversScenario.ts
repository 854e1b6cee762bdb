/**
 * Hand-overs under kills: two workers summarize dialogues and create notes and tasks in amoCRM, and are killed at named
 * points and at random. amoCRM refuses, is late, and loses its answers after it did what it was asked; the model
 * invents quotations, fails and answers half a JSON object. At the end each hand-over has one note and one task.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { createRandom } from '../../sandbox/random.ts';
import { connectAmocrm, connectProduct, UNMAPPED } from '../../testing/crm.ts';
import { handOver, putCard } from '../../testing/handOvers.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import type { TestLead, World } from '../../testing/world.ts';
import { countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { verifyHandOvers } from '../harness/handOverOracle.ts';
import { rowTable } from '../harness/report.ts';
import { READY_MS, withWorld } from '../harness/world.ts';
import { type KillPlan, startKillableWorker } from './killableWorker.ts';

interface HandOversScenario {
  readonly seed: number;
  readonly handOvers: number;
  readonly deaths: number;
  readonly log: (line: string) => void;
}

/** Points that a hand-over passes, from its summary to its task. */
const POINTS = [
  'summary.beforeModel',
  'summary.afterModel',
  'summary.beforeCommit',
  'summary.afterCommit',
  ...['crm.before', 'crm.after', 'crm.saving'].flatMap((step) => [`${step}.note`, `${step}.task`]),
];

const API = { account: 'amocrm', text: '/api/v4' };
const FAULTS: readonly Fault[] = [
  { kind: 'amocrm.rate_limited', match: API, probability: 0.05 },
  { kind: 'amocrm.fail_before', match: API, probability: 0.05 },
  { kind: 'amocrm.fail_after', match: API, probability: 0.08 },
  { kind: 'amocrm.lose_answer', match: API, probability: 0.12 },
  { kind: 'amocrm.delay', match: API, probability: 0.1, ms: 300 },
  { kind: 'openai.half_json', probability: 0.1 },
  { kind: 'openai.server_error', probability: 0.05 },
];
/** Seconds that a call may take; after an unknown outcome the search waits half as long again. */
const CALL_SECONDS = '2';
const WORKERS = 2;
/**
 * Milliseconds between two hand-overs, at most: on average about as long as amoCRM's limit takes for the calls of one. If
 * all came at once, the summaries would be over after the first kills, and most instances would only read cards.
 */
const MAX_PAUSE_MS = 1400;
/** The faults end after the kills, when so large a share is left. */
const SHARE_WITHOUT_FAULTS = 0.1;
/** Time limit of both waits, besides that of each hand-over, whose calls leave a fifth of a second apart. */
const WAIT_MS = 120_000;
const WAIT_PER_HAND_OVER_MS = 3000;
const LOG_EVERY = 50;
const TEXTS = [
  'How much is a kitchen?',
  'We are five, and I do not like islands.',
  'Is delivery included? I live outside the city',
  'My budget is 4200 euros',
  'Can somebody call me tomorrow?',
];

/** `--handOvers N --deaths K`. */
export const handOvers = definePart({
  heading: 'Hand-overs under kills',
  options: { handOvers: [500, 20], deaths: [30, 3] },
  run: (settings) =>
    withWorld({}, async (world) => {
      const { violations, ...counts } = await runHandOversScenario(settings, world);
      return {
        text: `Each dialogue is summarized, and its card gets one note and one task, by two workers that are killed at named points and at random. One call in five to amoCRM has its answer lost or replaced by an error after it took effect; others are refused or late. The model invents quotations, fails, and answers half a JSON object.

${rowTable(counts)}`,
        violations,
      };
    }),
});

/** Run the scenario and verify the result. The world must not serve anything itself. */
export async function runHandOversScenario(scenario: HandOversScenario, world: World) {
  const { seed, deaths, handOvers: count, log } = scenario;
  const random = createRandom(seed);
  await world.control.changeSettings({ seed });
  const leads = await prepareLeads(world, count);
  log(`${leads.length} leads with a card`);
  const span = Math.max(2, Math.round(count / Math.max(1, deaths)));
  const killPlan: KillPlan = { random, points: POINTS, span, remaining: deaths, kills: 0 };
  await world.control.setFaults([...FAULTS]);
  const env = { RAPPORT_CRM_CALL_SECONDS: CALL_SECONDS };
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, (_none, index) =>
      startKillableWorker(world, { name: `worker ${index + 1}`, skewMinutes: 0, killPlan, env }),
    ),
  );
  try {
    for (const lead of leads) {
      await handOver(world, lead);
      await pause(random.integer(0, MAX_PAUSE_MS));
    }
    const wait = { world, killPlan, count, log };
    await waitUntilLeft(wait, { most: Math.floor(count * SHARE_WITHOUT_FAULTS), kills: deaths });
    await world.control.setFaults([]);
    // The oracle names what is left.
    await waitUntilLeft(wait, { most: 0, kills: deaths }).catch((error: unknown) => log(String(error)));
  } finally {
    await Promise.all(workers.map((one) => one.end()));
  }
  return { kills: killPlan.kills, ...(await verifyHandOvers(world)) };
}

interface Wait {
  readonly world: World;
  readonly killPlan: KillPlan;
  /** All hand-overs. */
  readonly count: number;
  readonly log: (line: string) => void;
}

/** Wait until at most so many hand-overs are left, after so many kills. Throws when that takes too long. */
async function waitUntilLeft(
  { world, killPlan, count, log }: Wait,
  { most, kills }: { readonly most: number; readonly kills: number },
): Promise<void> {
  let reported = count;
  const isReached = async (): Promise<boolean> => {
    const left = await countRows(world.pool, "hand_overs where summary_state = 'pending' or crm_state = 'pending'");
    if (reported - left >= LOG_EVERY) {
      log(`${left} left, ${killPlan.kills} kills`);
      reported = left;
    }
    if (left <= most && killPlan.kills >= kills) return true;
    await pause(200);
    return false;
  };
  const timeoutMs = WAIT_MS + count * WAIT_PER_HAND_OVER_MS;
  await world.waitUntil(isReached, `no more than ${most} hand-overs left after ${kills} kills`, timeoutMs);
}

/** Create leads who have written, in dialogues of a human, each with a card. */
async function prepareLeads(world: World, count: number): Promise<TestLead[]> {
  const server = startServer(world, { RAPPORT_LOG_LEVEL: 'error' });
  try {
    await server.waitUntilReady(READY_MS);
    await connectHooks(world);
    const operator = await world.operator();
    const integration = await connectAmocrm(world, operator);
    await connectProduct(world, operator, integration);
    // Nobody needs to read the cards once more: that would take a fifth of a second each.
    await world.control.setFaults([{ kind: 'hooks.drop', match: { account: 'amocrm' } }]);
    const leads: TestLead[] = [];
    for (let index = 0; index < count; index++) {
      const lead = await world.lead(`Lead ${index + 1}`, { stage: 'ongoing' });
      await world.pool.query("update dialogues set owner = 'human' where contact_id = $1", [lead.contactId]);
      const at = index % TEXTS.length;
      await lead.writes(...TEXTS.slice(at, at + 2).map((text) => `${text} (${index + 1})`));
      await putCard(world, lead, { integration, status_id: UNMAPPED });
      leads.push(lead);
    }
    await world.waitUntil(
      async () => (await countRows(world.pool, "inbox where state = 'new'")) === 0,
      'all messages are received',
      60_000 + count * 200,
    );
    return leads;
  } finally {
    await server.stop();
  }
}
