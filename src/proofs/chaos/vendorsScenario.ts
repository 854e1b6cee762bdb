/**
 * The vendors scenario: both vendors, both messengers, all misbehaving. First leads and an operator write while answers
 * get lost, requests are rate-limited and hooks come duplicated and shuffled; then hooks are lost; then both vendors
 * are unreachable for an hour, which a moved clock passes through. What the vendors' own rules leave open is
 * `unconfirmed` and settled manually, as by an operator who asks the lead. Afterwards every message is accounted for.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { moveDomainClock } from '../../sandbox/domainClock.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { type Chatpush, connectChatpush } from '../../testing/chatpush.ts';
import { freePort, type TestLead, type World } from '../../testing/world.ts';
import { typeMessage } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { faultCounts, faultSentences, type MessageVerification, verifyMessages } from '../harness/oracle.ts';
import { createRandom } from '../harness/random.ts';
import { rowTable } from '../harness/report.ts';
import { withWorld } from '../harness/world.ts';
import { MESSENGER_FAULTS } from './faults.ts';
import { createManualSettlement, type ManualSettlement } from './manualSettlement.ts';

interface VendorsScenario {
  readonly seed: number;
  /** Leads of each vendor and messenger: half of them talk with the bot, the others with an operator. */
  readonly people: number;
  /** How often each lead, or the operator, writes in each part. */
  readonly rounds: number;
  readonly log: (line: string) => void;
}

type Settled = 'reachedUnconfirmed' | 'sentAgain' | 'refused';
type VendorsScenarioResult = MessageVerification & Readonly<Pick<ManualSettlement, Settled>>;

/** No vendor reports a lead's message again, so hooks are lost only while we write. */
const LOST_HOOK_FAULTS: readonly Fault[] = [...MESSENGER_FAULTS, { kind: 'hooks.drop', probability: 0.3 }];

const HOUR = 3600;
/** Number of steps in which the hour passes. */
const STEPS = 6;

/**
 * Return seconds within the hour for a number from 0 to 1; none is less than a minute after a stop, since drains wait
 * for those.
 */
function secondsAt(share: number): number {
  const step = HOUR / STEPS;
  const nth = Math.floor(share * STEPS);
  return nth * step + 90 + (share * STEPS - nth) * (step - 95);
}

/** `--people P --rounds R`: leads of each vendor and messenger, and how often each writes in each part. */
export const vendors = definePart({
  heading: 'Messengers that misbehave',
  options: { people: [6, 2], rounds: [10, 2] },
  run: (settings) =>
    withWorld({ serve: true, env: { RAPPORT_ASK_VENDOR_SECONDS: '1', RAPPORT_LOG_LEVEL: 'error' } }, async (world) => {
      const result = await runVendorsScenario(settings, world);
      const { faults, written, reached, reachedUnconfirmed, sentAgain, refused } = result;
      return {
        text: `One process; ${settings.people} leads of each vendor and messenger; answers lost, requests rate-limited, hooks duplicated and shuffled, then hooks lost, then an hour in which neither vendor can be reached.

${rowTable({ 'written by leads': written, 'our messages on phones': reached, ...faultCounts(faults) })}

Unconfirmed, settled by hand: ${reachedUnconfirmed} had arrived, ${sentAgain} were sent again; refused and sent again: ${refused}.`,
        violations: faultSentences(faults),
      };
    }),
});

/** Run the scenario in a world of its own that serves, with its clock unmoved, and account for every message. */
export async function runVendorsScenario(scenario: VendorsScenario, world: World): Promise<VendorsScenarioResult> {
  const { app, control, productId } = world;
  if (!app) throw new Error('The world has no server of its own');
  const { vendorUrls } = app.context.config;
  const originalUrls = { ...vendorUrls };
  const random = createRandom(scenario.seed);
  await control.changeSettings({ seed: scenario.seed });
  const operator = await world.operator();
  const { botLeads, operatorLeads } = await createLeads(world, await connectChatpush(world), scenario.people);
  const accepted: string[] = [];
  const settlement = createManualSettlement(world, operator);

  const type = async ({ name, contactId }: TestLead, at: number | null = null) => {
    const key = `typed ${accepted.length + 1} to ${name}`;
    const notBefore = at === null ? null : new Date(at).toISOString();
    const answer = await typeMessage(operator, { productId, contactId, key, notBefore });
    if (answer.status !== 201)
      throw new Error(`Typed message refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    accepted.push(key);
  };
  const round = async (leadsWrite: boolean) => {
    const writing = operatorLeads.map(async (lead) => {
      await pause(random.next() * 200);
      await type(lead);
    });
    for (const lead of leadsWrite ? botLeads : []) {
      const wait = random.next() * 200;
      writing.push(pause(wait).then(() => lead.writes(`What does a kitchen cost? (${Math.floor(wait * 1e6)})`)));
    }
    await Promise.all(writing);
  };

  await control.setFaults([...MESSENGER_FAULTS]);
  for (let turn = 0; turn < scenario.rounds; turn++) await round(true);
  await settlement.waitUntilSettled();
  scenario.log(`leads and operator have written: ${accepted.length} typed`);

  await control.setFaults([...LOST_HOOK_FAULTS]);
  for (let turn = 0; turn < scenario.rounds; turn++) await round(false);
  await settlement.waitUntilSettled();
  scenario.log(`hooks were lost: ${accepted.length} typed`);

  await control.setFaults([]);
  const unreachableUrl = `http://127.0.0.1:${await freePort()}`;
  Object.assign(vendorUrls, { wazzup24: unreachableUrl, chatpush: unreachableUrl });
  try {
    const begin = Date.parse((await control.clock()).now);
    for (const lead of operatorLeads)
      for (let turn = 0; turn < scenario.rounds; turn++) await type(lead, begin + 1000 * secondsAt(random.next()));
    for (let step = 0; step < STEPS; step++) {
      await moveDomainClock(app.context, control, HOUR / STEPS);
      await settlement.waitUntilSettled();
    }
  } finally {
    Object.assign(vendorUrls, originalUrls);
  }
  await settlement.retryRefused();
  scenario.log(`the vendors are back: ${settlement.refused} refused meanwhile`);
  await settlement.waitUntilSettled();
  const { reachedUnconfirmed, sentAgain, refused } = settlement;
  return { ...(await verifyMessages(world, accepted)), reachedUnconfirmed, sentAgain, refused };
}

/** Create leads of both vendors and both messengers; the bot is silent towards those whom an operator leads. */
async function createLeads(
  world: World,
  chatpush: Chatpush,
  count: number,
): Promise<{ botLeads: TestLead[]; operatorLeads: TestLead[] }> {
  const botLeads: TestLead[] = [];
  const operatorLeads: TestLead[] = [];
  for (const vendor of [world, chatpush]) {
    for (const messenger of ['whatsapp', 'telegram'] as const) {
      for (let index = 0; index < count; index++) {
        const name = `${vendor === world ? 'Wazzup24' : 'ChatPush'} ${messenger} ${index + 1}`;
        const lead = await world.lead(name, { messenger, channel: vendor[messenger] });
        (index % 2 === 0 ? operatorLeads : botLeads).push(lead);
      }
    }
  }
  return { botLeads, operatorLeads };
}
