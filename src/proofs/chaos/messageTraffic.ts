/**
 * The messages scenario: leads write in bursts, an operator writes too, vendors and models misbehave, and processes and
 * PostgreSQL are killed at random meanwhile. The domain clock moves between its acts: before, within and after the
 * working hours of one of the products. Then hooks are lost, half an hour has only 5xx from the messengers, and in
 * another half hour no vendor and no model can be reached.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { jumpTo } from '../../sandbox/domainClock.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import type { Random } from '../../sandbox/random.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';
import { countRows, typeMessage } from '../harness/calls.ts';
import type { ChaosFixture, FixtureLead } from './fixture.ts';
import type { Fleet, Strike } from './fleet.ts';
import { ManualSettlement } from './manualSettlement.ts';

export interface TrafficScenario {
  readonly messages: number;
  readonly kills: number;
  readonly restarts: number;
  readonly random: Random;
  readonly log: (line: string) => void;
}

export interface TrafficContext {
  readonly world: World;
  readonly fleet: Fleet;
  readonly fixture: ChaosFixture;
  readonly operator: Client;
  /** Pool that parses numbers and instants as the product does. */
  readonly pool: pg.Pool;
}

const faultsOfVendor = (vendor: 'wazzup24' | 'chatpush'): Fault[] => [
  { kind: `${vendor}.lose_answer`, probability: 0.05 },
  { kind: `${vendor}.fail_before`, probability: 0.04 },
  { kind: `${vendor}.fail_after`, probability: 0.04 },
  { kind: `${vendor}.rate_limited`, probability: 0.06 },
  { kind: `${vendor}.rubbish`, probability: 0.02, after: true },
  { kind: `${vendor}.delay`, probability: 0.08, ms: 400, after: true },
  { kind: `${vendor}.status_first`, probability: 0.1 },
  { kind: `${vendor}.statuses_reordered`, probability: 0.2 },
];

/** Faults of vendors and models. No hook is lost for good, since its message could not be accounted for. */
const FAULTS: readonly Fault[] = [
  ...faultsOfVendor('wazzup24'),
  ...faultsOfVendor('chatpush'),
  { kind: 'hooks.duplicate', probability: 0.2, copies: 2 },
  { kind: 'hooks.shuffle', probability: 0.15, size: 4, ms: 150 },
  { kind: 'hooks.mix', probability: 0.1, ms: 100 },
  { kind: 'hooks.fail', probability: 0.1 },
  { kind: 'openai.server_error', probability: 0.05 },
  { kind: 'openai.rate_limited', probability: 0.03, retryAfterSeconds: 1 },
  { kind: 'openai.cut', probability: 0.05, afterTokens: 2 },
  { kind: 'openai.reset', probability: 0.03 },
  { kind: 'openai.stall_first', probability: 0.01 },
  { kind: 'openai.stall_middle', probability: 0.01 },
  { kind: 'openai.malformed', probability: 0.02 },
  { kind: 'openai.empty', probability: 0.01 },
  { kind: 'openai.half_json', probability: 0.01 },
  { kind: 'openai.unknown_tool', probability: 0.01 },
];
const BROKEN: readonly Fault[] = [{ kind: 'wazzup24.fail_before' }, { kind: 'chatpush.fail_before' }];

const QUESTIONS = [
  'What does a kitchen cost?',
  'How long does delivery take?',
  'When is the showroom open?',
  'Hello again',
  'What do two kitchens cost?',
];
const STOPS = ['Please stop writing to me', 'Unsubscribe me'];
/** Share of a lead's messages that opt out, and of those that ask for a person. */
const OPT_OUT_SHARE = 0.008;
const HAND_OVER_SHARE = 0.008;
/** What a lead writes who wants a person. */
const ASKS_FOR_HUMAN = 'Can I talk to a manager?';

const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;
/** Share of the messages and the strikes in each act. */
const SHARES = [0.25, 0.25, 0.03, 0.03, 0.22, 0.22];
const STEPS = 3;
/** Several times a key's window and the two minutes for which an unconfirmed message blocks its dialogue. */
const IDLE_TIMEOUT_MS = 600_000;
/** Time for five attempts of a refused send, and a pause. */
const GIVE_UP_MS = 15_000;

/** The traffic of the scenario, and what the check needs to know of it. */
export class Traffic {
  /** Client keys of the operator's accepted calls, whose messages must be sent. */
  readonly accepted: string[] = [];
  readonly manualSettlement: ManualSettlement;
  /** Number of leads who opted out. */
  optedOut = 0;
  /** Number of leads who asked for a person. */
  askedForHuman = 0;
  readonly #scenario: TrafficScenario;
  readonly #context: TrafficContext;
  readonly #subscribedLeads: FixtureLead[];
  /** Moves of the domain clock: from this real instant on, by this offset. */
  readonly #moves: { readonly real: number; readonly offset: number }[] = [];
  #typedCount = 0;
  #writtenCount = 0;

  constructor(scenario: TrafficScenario, context: TrafficContext) {
    this.#scenario = scenario;
    this.#context = context;
    this.#subscribedLeads = [...context.fixture.botLeads];
    this.manualSettlement = new ManualSettlement(context.world, context.operator, IDLE_TIMEOUT_MS);
  }

  /** Convert a real instant to the domain clock, in milliseconds. */
  readonly domainOf = (real: number): number => real + (this.#moves.findLast((one) => one.real <= real)?.offset ?? 0);

  /** Run all acts on the next day; when it resolves, every process is up and no work is left. */
  async run(): Promise<void> {
    const begin = Date.parse((await this.#context.world.control.clock()).now);
    const day = Math.floor(begin / DAY_MS) * DAY_MS + DAY_MS;
    const at = (hours: number, minutes: number): string =>
      new Date(day + (hours * 60 + minutes) * 60_000).toISOString();
    await this.#setFaults(FAULTS);
    await this.#act('before the hours', at(8, 30), 0);
    await this.#act('within the hours', at(9, 30), 1);
    await this.#loseHooks();
    await this.#broken();
    await this.#unreachable();
    await this.#act('as the hours end', at(17, 59), 4);
    await this.#act('after the hours', at(20, 0), 5);
    await this.#setFaults([]);
    await this.manualSettlement.waitUntilSettled();
    await this.#jumpClock(at(24 + 9, 5));
    await this.#settleRefused();
  }

  #setFaults(faults: readonly Fault[]): Promise<unknown> {
    return this.#context.world.control.setFaults([...faults]);
  }

  async #settleRefused(): Promise<void> {
    await this.manualSettlement.waitUntilSettled();
    await this.manualSettlement.retryRefused();
    await this.manualSettlement.waitUntilSettled();
  }

  /** Move the clock, even while the emulators cannot be reached. */
  async #moveClock(instant: string): Promise<void> {
    const { rows } = await this.#context.pool.query<{ real: number; offset: number }>(
      `update installation set clock_offset = clock_offset + greatest($1::timestamptz - domain_now(), interval '0')
       returning (extract(epoch from clock_timestamp()) * 1000)::float8 as real,
                 (extract(epoch from clock_offset) * 1000)::float8 as offset`,
      [instant],
    );
    this.#moves.push(...rows);
  }

  async #jumpClock(instant: string): Promise<void> {
    await this.#moveClock(instant);
    await jumpTo({ pool: this.#context.pool }, this.#context.world.control, instant);
  }

  #portion(of: number, act: number): number {
    return Math.round(of * (SHARES[act] ?? 0));
  }

  /** Run an ordinary act: it begins at an instant and ends when no work is left. */
  async #act(name: string, instant: string, number: number): Promise<void> {
    const { fleet } = this.#context;
    await this.#jumpClock(instant);
    await this.#round(name, this.#portion(this.#scenario.messages, number), this.#strikes(number));
    await fleet.startAllNodes();
    await this.manualSettlement.waitUntilSettled();
    const kills = Object.values(fleet.kills).reduce((sum, one) => sum + one, 0);
    this.#scenario.log(`${name}: ${this.#writtenCount} written, ${this.accepted.length} typed, ${kills} kills so far`);
  }

  /** Return the strikes of an act, in a random order. */
  #strikes(number: number): Strike[] {
    const of: Strike[] = [
      ...Array<Strike>(this.#portion(this.#scenario.kills, number)).fill('kill'),
      ...Array<Strike>(this.#portion(this.#scenario.restarts, number)).fill('restart'),
    ];
    return of
      .map((strike) => ({ strike, place: this.#scenario.random.next() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ strike }) => strike);
  }

  /** Send messages and strike, with the strikes spread evenly over the messages. */
  async #round(name: string, count: number, all: readonly Strike[]): Promise<void> {
    const { random, log } = this.#scenario;
    const { fleet } = this.#context;
    const rounds = Math.max(1, all.length, Math.ceil(count / 40));
    let remaining = count;
    for (let turn = 0; turn < rounds; turn++) {
      const share = Math.ceil(remaining / (rounds - turn));
      remaining -= share;
      const running: Promise<void>[] = [];
      for (let open = share; open > 0; ) {
        const length = Math.min(open, random.integer(1, 4));
        open -= length;
        running.push(this.#randomPause(900).then(() => this.#burst(length)));
      }
      for (let typing = Math.ceil(share / 10); typing > 0; typing--)
        running.push(this.#randomPause(900).then(() => this.#type(random.pick(this.#context.fixture.operatorLeads))));
      const strike = all[turn];
      if (strike !== undefined) running.push(this.#randomPause(700).then(() => fleet.strike(strike, random)));
      if (strike !== undefined && random.chance(0.08)) await fleet.toggleNode(random);
      await Promise.all(running);
      if ((turn + 1) % 20 === 0) log(`${name}: ${turn + 1} of ${rounds} rounds`);
    }
  }

  /** Return a sentence for each lead who asked for a person and whose dialogue waits for none. */
  async findUnnoticed(): Promise<string[]> {
    const { rows } = await this.#context.world.pool.query<{ id: string }>(
      `select distinct d.id from dialogues d join messages m on m.dialogue_id = d.id
        where m.side = 'user' and m.message like $1 || '%' and d.attention is null order by 1`,
      [ASKS_FOR_HUMAN],
    );
    return rows.map(({ id }) => `unnoticed: the lead of dialogue ${id} asked for a person`);
  }

  #randomPause(most: number): Promise<void> {
    return pause(this.#scenario.random.next() * most);
  }

  async #burst(length: number): Promise<void> {
    const { random, messages: planned } = this.#scenario;
    const leads = this.#subscribedLeads;
    const lead = random.pick(leads);
    const unique = (): string => `${this.#writtenCount}/${Math.floor(random.next() * 1e6)}`;
    const isFirst = this.optedOut === 0 && this.#writtenCount > planned / 3;
    if (leads.length > 8 && (isFirst || random.chance(OPT_OUT_SHARE * length))) {
      leads.splice(leads.indexOf(lead), 1);
      this.optedOut++;
      this.#writtenCount++;
      return lead.writeOnce(`${random.pick(STOPS)}. (${unique()})`);
    }
    const isFirstRequest = this.askedForHuman === 0 && this.#writtenCount > planned / 4;
    if (leads.length > 8 && (isFirstRequest || random.chance(HAND_OVER_SHARE * length))) {
      leads.splice(leads.indexOf(lead), 1);
      this.askedForHuman++;
      this.#writtenCount++;
      return lead.writeOnce(`${ASKS_FOR_HUMAN} (${unique()})`);
    }
    for (let index = 0; index < length; index++) {
      this.#writtenCount++;
      await lead.writeOnce(`${random.pick(QUESTIONS)} (${unique()})`);
      if (random.chance(0.5)) await this.#randomPause(60);
    }
  }

  /** Send a message as a console does: with the same key until an answer comes. */
  async #type(lead: FixtureLead, notBefore: string | null = null): Promise<void> {
    const key = `typed ${++this.#typedCount}`;
    const { productId, contactId } = lead;
    const keepsHours = lead.hasHours && this.#scenario.random.chance(0.5);
    for (let tries = 0; tries < 600; tries++) {
      const message = { productId, contactId, key, notBefore, keepsHours };
      const answer = await typeMessage(this.#context.operator, message).catch(() => null);
      if (answer?.status === 201) return void this.accepted.push(key);
      if (answer && answer.status < 500)
        throw new Error(`Typed message refused: ${answer.status} ${JSON.stringify(answer.body)}`);
      await pause(50);
    }
    throw new Error('The operator’s message was not accepted within 30 s');
  }

  /** Run half an hour in steps, with one message falling due in it for each lead whom an operator leads. */
  async #halfHour(step: (instant: string, number: number) => Promise<void>): Promise<void> {
    const from = Date.parse((await this.#context.world.control.clock()).now);
    const instant = (share: number): string => new Date(from + share * HALF_HOUR_MS).toISOString();
    for (const lead of this.#context.fixture.operatorLeads)
      await this.#type(lead, instant(0.05 + 0.9 * this.#scenario.random.next()));
    for (let number = 0; number < STEPS; number++) await step(instant((number + 1) / STEPS), number);
  }

  /** Lose hooks. Leads are silent meanwhile: no vendor reports a lost message of theirs again. */
  async #loseHooks(): Promise<void> {
    await this.#setFaults([...FAULTS, { kind: 'hooks.drop', probability: 0.3 }]);
    for (const lead of this.#context.fixture.operatorLeads) await this.#type(lead);
    await this.manualSettlement.waitUntilSettled();
    this.#scenario.log(`hooks were lost: ${this.accepted.length} typed`);
  }

  /** Answer every send with 5xx without accepting it; the caller cannot know whether it was accepted. */
  async #broken(): Promise<void> {
    await this.#setFaults([...FAULTS, ...BROKEN]);
    await this.#halfHour(async (instant, number) => {
      await this.#jumpClock(instant);
      const all = this.#strikes(2).filter((_, index) => index % STEPS === number);
      await this.#round('5xx', Math.ceil(this.#portion(this.#scenario.messages, 2) / STEPS), all);
    });
    await this.#context.fleet.startAllNodes();
    await this.#setFaults(FAULTS);
    await this.#settleRefused();
    const { reachedUnconfirmed, sentAgain } = this.manualSettlement;
    this.#scenario.log(`half an hour of 5xx: ${reachedUnconfirmed} had arrived, ${sentAgain} sent again by hand`);
  }

  /** Refuse all connections. Running nodes stay up, because a starting node looks for its sandbox. */
  async #unreachable(): Promise<void> {
    const { fleet } = this.#context;
    await this.#round('unreachable', this.#portion(this.#scenario.messages, 3), this.#strikes(3));
    await fleet.startAllNodes();
    await this.manualSettlement.waitUntilSettled();
    const stops: string[] = [];
    await this.#halfHour(async (instant) => void stops.push(instant));
    await fleet.withoutVendors(async () => {
      for (const instant of stops) {
        await this.#moveClock(instant);
        await this.#waitUntilGivenUp();
      }
    });
    // The emulators' clock can only be moved now.
    for (const instant of stops.slice(-1)) await this.#jumpClock(instant);
    await this.#settleRefused();
    this.#scenario.log(`half an hour without any vendor: ${this.manualSettlement.refused} refused and sent again`);
  }

  /**
   * Wait until nothing is claimed and everything due has been given up; a paused channel may keep its messages longer.
   */
  async #waitUntilGivenUp(): Promise<void> {
    const busy = "messages where status = 'sending' or (status = 'scheduled' and scheduled_at <= domain_now())";
    const isQuiet = async () => (await countRows(this.#context.pool, busy)) === 0;
    await this.#context.world.waitUntil(isQuiet, 'what is due to be given up', GIVE_UP_MS).catch(() => undefined);
  }
}
