/**
 * Messengers that misbehave: both vendors, both messengers. First leads and an operator write while answers get lost,
 * requests are limited and hooks come doubled and shuffled; then hooks are lost; then neither vendor can be reached for
 * an hour, which a moved clock goes through. What the vendors' own rules leave open is `unconfirmed` and settled by hand,
 * as an operator who asks the person does. Afterwards every message is accounted for.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { messages } from '../dialogues/contract.ts';
import { moveDomainClock } from '../sandbox/clock.ts';
import type { Fault } from '../sandbox/emulators/contract.ts';
import { chanceOf } from '../simulate/chance.ts';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import { freePort, type Person, type World } from '../testing/world.ts';
import { type ByHand, calm, retryRefused } from './byHand.ts';
import { type Reckoning, reckon } from './reckoning.ts';

export interface VendorStorm {
  readonly seed: number;
  /** Of each vendor and messenger: half of them talk with the bot, the others with an operator. */
  readonly people: number;
  /** How often each of them, or the operator, writes in each part. */
  readonly rounds: number;
  readonly say: (line: string) => void;
}

export type VendorsPassed = Reckoning & Readonly<ByHand>;

const OF_EACH = (vendor: 'wazzup24' | 'chatpush'): Fault[] => [
  { kind: `${vendor}.lose_answer`, probability: 0.05 },
  { kind: `${vendor}.fail_after`, probability: 0.05 },
  { kind: `${vendor}.fail_before`, probability: 0.04 },
  { kind: `${vendor}.rate_limited`, probability: 0.08 },
  { kind: `${vendor}.status_first`, probability: 0.15 },
  { kind: `${vendor}.statuses_reordered`, probability: 0.2 },
];
const FAULTS: readonly Fault[] = [
  ...OF_EACH('wazzup24'),
  ...OF_EACH('chatpush'),
  { kind: 'hooks.duplicate', probability: 0.25, copies: 2 },
  { kind: 'hooks.shuffle', probability: 0.15, size: 4, ms: 120 },
  { kind: 'hooks.fail', probability: 0.1 },
];
/** What a lead wrote is told again by no vendor, so hooks are lost while only we write. */
const LOSSES: readonly Fault[] = [...FAULTS, { kind: 'hooks.drop', probability: 0.3 }];

const HOUR = 3600;
/** Steps in which the hour passes. */
const STEPS = 6;

/** Seconds of the hour for a number from 0 to 1; none is less than a minute after a stop, since drains wait for those. */
function within(share: number): number {
  const step = HOUR / STEPS;
  const nth = Math.floor(share * STEPS);
  return nth * step + 90 + (share * STEPS - nth) * (step - 95);
}

/** Lets it happen in a world of its own that serves, its clock unmoved; accounts for every message. */
export async function stormOfVendors(storm: VendorStorm, world: World): Promise<VendorsPassed> {
  const { house, control, productId } = world;
  if (!house) throw new Error('The world has no server of its own');
  const { vendorUrls } = house.ground.config;
  const there = { ...vendorUrls };
  const chance = chanceOf(storm.seed);
  await control.changeSettings({ seed: storm.seed });
  const operator = await world.operator();
  const { talking, led } = await meet(world, await connectChatpush(world), storm.people);
  const accepted: string[] = [];
  const byHand: ByHand = { reachedUnconfirmed: 0, sentAgain: 0, refused: 0 };
  let typed = 0;

  const type = async (person: Person, notBefore: number | null = null) => {
    const key = `typed ${++typed} to ${person.name}`;
    const send_not_before = notBefore === null ? null : new Date(notBefore).toISOString();
    const body = {
      product_id: productId,
      contact_id: person.contactId,
      message: key,
      client_key: key,
      send_not_before,
    };
    const answer = await operator.call(messages.create, { body: { ...body, schedule_enabled: false } });
    if (answer.status !== 201)
      throw new Error(`Typed message refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    accepted.push(key);
  };
  const round = async (leadsWrite: boolean) => {
    const writing = led.map(async (person) => {
      await pause(chance.next() * 200);
      await type(person);
    });
    for (const person of leadsWrite ? talking : []) {
      const wait = chance.next() * 200;
      writing.push(pause(wait).then(() => person.writes(`What does a kitchen cost? (${Math.floor(wait * 1e6)})`)));
    }
    await Promise.all(writing);
  };

  await control.setFaults([...FAULTS]);
  for (let turn = 0; turn < storm.rounds; turn++) await round(true);
  await calm(world, operator, byHand);
  storm.say(`leads and operator have written: ${accepted.length} typed`);

  await control.setFaults([...LOSSES]);
  for (let turn = 0; turn < storm.rounds; turn++) await round(false);
  await calm(world, operator, byHand);
  storm.say(`hooks were lost: ${accepted.length} typed`);

  await control.setFaults([]);
  const away = `http://127.0.0.1:${await freePort()}`;
  Object.assign(vendorUrls, { wazzup24: away, chatpush: away });
  try {
    const begin = Date.parse((await control.clock()).now);
    for (const person of led)
      for (let turn = 0; turn < storm.rounds; turn++) await type(person, begin + 1000 * within(chance.next()));
    for (let step = 0; step < STEPS; step++) {
      await moveDomainClock(house.ground, control, HOUR / STEPS);
      await calm(world, operator, byHand);
    }
  } finally {
    Object.assign(vendorUrls, there);
  }
  await retryRefused(world, operator, byHand);
  storm.say(`the vendors are back: ${byHand.refused} refused meanwhile`);
  await calm(world, operator, byHand);
  return { ...(await reckon(world, accepted)), ...byHand };
}

/** People of both vendors and both messengers; the bot is silent towards those whom an operator leads. */
async function meet(world: World, chatpush: Chatpush, count: number): Promise<{ talking: Person[]; led: Person[] }> {
  const talking: Person[] = [];
  const led: Person[] = [];
  for (const vendor of [world, chatpush]) {
    for (const messenger of ['whatsapp', 'telegram'] as const) {
      for (let index = 0; index < count; index++) {
        const name = `${vendor === world ? 'Wazzup24' : 'ChatPush'} ${messenger} ${index + 1}`;
        const person = await world.lead(name, { messenger, channel: vendor[messenger] });
        (index % 2 === 0 ? led : talking).push(person);
      }
    }
  }
  return { talking, led };
}
