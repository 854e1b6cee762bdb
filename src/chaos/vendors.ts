/**
 * Messengers that misbehave: both vendors, both messengers. First leads and an operator write while answers get lost,
 * requests are limited and hooks come doubled and shuffled; then hooks are lost; then neither vendor can be reached for
 * an hour, which a moved clock goes through. What the vendors' own rules leave open is `unconfirmed` and settled by hand,
 * as an operator who asks the person does. Afterwards every message is accounted for.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { markSent, messages, retryMessage } from '../dialogues/contract.ts';
import { moveDomainClock } from '../sandbox/clock.ts';
import type { Fault } from '../sandbox/emulators/contract.ts';
import { chanceOf } from '../simulate/chance.ts';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import type { Client } from '../testing/client.ts';
import { freePort, type Person, type World } from '../testing/world.ts';
import { type Reckoning, reckon } from './reckoning.ts';

export interface VendorStorm {
  readonly seed: number;
  /** Of each vendor and messenger: half of them talk with the bot, the others with an operator. */
  readonly people: number;
  /** How often each of them, or the operator, writes in each part. */
  readonly rounds: number;
  readonly say: (line: string) => void;
}

export interface VendorsPassed extends Reckoning {
  /** Settled by hand: they had reached the phone, or had not and were sent again. */
  readonly reachedUnconfirmed: number;
  readonly sentAgain: number;
  /** Refused while the vendors were away, and sent again by an operator. */
  readonly refused: number;
}

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
const CALM_MS = 120_000;

/** Seconds of the hour for a number from 0 to 1; none is less than a minute after a stop, since drains wait for those. */
function within(share: number): number {
  const step = HOUR / STEPS;
  const nth = Math.floor(share * STEPS);
  return nth * step + 90 + (share * STEPS - nth) * (step - 95);
}

/** Lets it happen in a world of its own that serves, its clock unmoved; accounts for every message. */
export async function stormOfVendors(storm: VendorStorm, world: World): Promise<VendorsPassed> {
  const { house, control, pool, productId } = world;
  if (!house) throw new Error('The world has no server of its own');
  const { vendorUrls } = house.ground.config;
  const there = { ...vendorUrls };
  const chance = chanceOf(storm.seed);
  await control.changeSettings({ seed: storm.seed });
  const operator = await world.operator();
  const { talking, led } = await meet(world, await connectChatpush(world), storm.people);
  const accepted: string[] = [];
  const byHand = { reachedUnconfirmed: 0, sentAgain: 0, refused: 0 };
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
  const { rows: failed } = await pool.query<{ id: number }>(
    "select id::int from messages where status = 'error' order by scheduled_at, id",
  );
  byHand.refused = failed.length;
  storm.say(`the vendors are back: ${failed.length} refused meanwhile`);
  for (const { id } of failed) await operator.call(retryMessage, { params: { id } });
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

/** Callbacks and repeats have had so long to settle what is open by themselves. */
const PATIENCE_MS = 1500;

/**
 * Until nothing is under way. What stays unconfirmed holds its dialogue, so it is settled by hand: the operator asks the
 * person whether it is there.
 */
async function calm(
  world: World,
  operator: Client,
  byHand: { reachedUnconfirmed: number; sentAgain: number },
): Promise<void> {
  for (const end = performance.now() + CALM_MS; ; ) {
    // The same words may have been said before: what counts is whether they stand there once more than is known.
    const { rows } = await world.pool.query<{ id: number; message: string; address: string; known: number }>(
      `select m.id::int, m.message, c.address,
              (select count(*)::int from messages o where o.contact_id = m.contact_id and o.message = m.message
                  and o.side <> 'user' and o.status in ('sent', 'delivered', 'read')) as known
         from messages m join contacts c on c.id = m.contact_id
        where m.status = 'unconfirmed' and m.unconfirmed_at < clock_timestamp() - make_interval(secs => $1)
        order by m.id`,
      [PATIENCE_MS / 1000],
    );
    if (rows.length > 0) {
      const arrived = await world.control.entriesOf('reached');
      const settled: string[] = [];
      for (const { id, message, address, known } of rows) {
        const words = `${address} ${message}`;
        const there = arrived.filter((one) => one.to === address && one.text === message).length;
        const isThere = there > known + settled.filter((one) => one === words).length;
        if (isThere) settled.push(words);
        const { status } = await operator.call(isThere ? markSent : retryMessage, { params: { id } });
        // A callback was quicker.
        if (status !== 200) continue;
        if (isThere) byHand.reachedUnconfirmed++;
        else byHand.sentAgain++;
      }
    }
    const isCalm = await world.drain(PATIENCE_MS).then(
      () => true,
      () => false,
    );
    if (isCalm && (await isSettled(world))) return;
    if (performance.now() > end) throw new Error('Something stays open for ever');
  }
}

async function isSettled({ pool }: World): Promise<boolean> {
  const { rows } = await pool.query("select 1 from messages where status = 'unconfirmed' limit 1");
  return rows.length === 0;
}
