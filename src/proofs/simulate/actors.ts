/**
 * The actors of a simulated month: leads that answer or refuse, operators, failing vendors
 * and channels, a worker that is killed.
 */
import { createRandom, type Random } from '../../sandbox/random.ts';
import { type SimulatedSettings, scaleLimits } from './product.ts';
import { DAY, FAULTS, HOUR, MINUTE, type Month, type Simulation } from './simulation.ts';

const ZONES = [
  'Europe/Moscow',
  'America/New_York',
  'Asia/Tokyo',
  'Europe/London',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Vladivostok',
  'America/Los_Angeles',
  'Africa/Casablanca',
  'Europe/Berlin',
];

const ANSWERS = ['How much is a kitchen?', 'And the delivery?', 'I will think about it', 'Can I come and look?'];
const REFUSALS = ['Не пишите мне больше', 'Stop writing to me', 'Отстаньте'];

/** Parts of one text arrive within this time, and are read as one. */
const PARTS_MS = 30_000;

interface MutedPeriod {
  readonly from: number;
  until: number;
  readonly reason: string;
}

export interface Actor {
  readonly lead: number;
  readonly zone: string | null;
  /** Its own choices, so that they do not depend on the order in which leads are written to. */
  readonly random: Random;
  /** Periods, by the domain clock, in which the bot must be silent. */
  readonly mutedPeriods: MutedPeriod[];
  /** When it last read a message. */
  readAt: number;
  /** Time of the first event that no rehearsal could know of. */
  firstEvent: number;
  /** The lead before, if it has the same address: one person, who opts out as both. */
  readonly twinOf: Actor | null;
}

/** All leads of a month, and what happens to them and to everyone. */
export class Actors {
  readonly all = new Map<number, Actor>();
  /** Instants of changed settings, failing vendors and killed workers. */
  readonly disturbances: number[] = [];
  kills = 0;
  readonly #simulation: Simulation;
  readonly #quiet: boolean;
  #last: Actor | null = null;

  private constructor(simulation: Simulation, quiet: boolean) {
    this.#simulation = simulation;
    this.#quiet = quiet;
  }

  /** Create the leads, now or as they arrive. In a quiet month nobody reacts and nothing is disturbed. */
  static async create(simulation: Simulation, month: Month, { quiet }: { readonly quiet: boolean }): Promise<Actors> {
    const actors = new Actors(simulation, quiet);
    for (let index = 0; index < month.leads; index++) {
      const random = createRandom(month.seed * 1_000_003 + index);
      // The rehearsal cannot know later arrivals, which may delay others. In a quiet month all leads exist from the
      // start.
      if (quiet || random.chance(0.6)) await actors.#arrive(index, random);
      else actors.#disturb('arrives', random.next() * 10 * DAY, () => actors.#arrive(index, random));
    }
    if (!quiet) actors.#planDisturbances(month);
    return actors;
  }

  /** Let leads read their phones; some of them will answer. */
  async reactToMessages(): Promise<void> {
    for (const { lead, at } of await this.#simulation.world.newlySent()) {
      const actor = this.all.get(lead);
      if (!actor || this.#quiet) continue;
      const isLaterPart = at - actor.readAt < PARTS_MS;
      actor.readAt = at;
      if (!isLaterPart) this.#react(actor, at);
    }
  }

  async #arrive(index: number, random: Random): Promise<void> {
    const zone = random.chance(0.15) ? null : random.pick(ZONES);
    const messenger = random.chance(0.3) ? 'telegram' : 'whatsapp';
    const before = this.#last;
    const twinOf = before !== null && before.twinOf === null && random.chance(0.03) ? before : null;
    const arrival = { name: `Lead ${index}`, messenger, zone, twinOf: twinOf?.lead ?? null } as const;
    const lead = await this.#simulation.world.arrive(arrival);
    this.#last = { lead, zone, random, mutedPeriods: [], readAt: 0, firstEvent: Number.POSITIVE_INFINITY, twinOf };
    this.all.set(lead, this.#last);
  }

  /** Plan an event that affects everyone, milliseconds after the beginning. */
  #disturb(what: string, after: number, run: () => Promise<unknown>): void {
    const at = this.#simulation.from + after;
    this.disturbances.push(at);
    this.#simulation.plan({ at, what, run: async () => void (await run()) });
  }

  #planDisturbances({ leads, days, steady = false }: Month): void {
    const { random, world, eras } = this.#simulation;
    const when = (from: number, to: number) => (from + random.next() * (to - from)) * DAY;
    let { settings } = this.#simulation;
    for (const edit of settingsEdits(leads)) {
      this.#disturb('settings', when(3, days - 3), async () => {
        settings = edit(settings);
        const from = await world.now();
        await world.change(settings);
        eras.push({ ...settings, from, whole: await world.now() });
      });
    }
    for (let index = 0; index < 8; index++) {
      const after = when(0.5, days - 2);
      const kind = random.pick(FAULTS);
      const times = random.integer(1, 6);
      if (!steady) this.#disturb(kind, after, () => world.fail(kind, times));
    }
    for (let index = 0; index < 2; index++) {
      const type = random.pick(['whatsapp', 'telegram'] as const);
      const after = when(1, days - 2);
      this.#disturb('channel off', after, () => world.setChannelActive(type, false));
      const hours = random.integer(1, 8);
      this.#disturb('channel on', after + hours * HOUR, () => world.setChannelActive(type, true));
    }
    for (let index = 0; index < Math.min(6, Math.ceil(leads / 50)); index++)
      this.#disturb('kill', when(0.2, days - 1), () => {
        this.kills++;
        return world.kill();
      });
  }

  /** Decide how a lead reacts to a message. */
  #react(actor: Actor, at: number): void {
    const { random } = actor;
    if (random.chance(0.22)) this.#answer(actor, at + random.integer(1, 40 * 60) * MINUTE);
    if (random.chance(0.01)) this.#handOver(actor, at + random.integer(1, 48) * HOUR);
    if (random.chance(0.007)) this.#deactivate(actor, at + random.integer(1, 48) * HOUR);
  }

  /** Plan an event that affects one lead. */
  #plan(what: string, { actor, at }: { actor: Actor; at: number }, run: () => Promise<void>): void {
    const runForActor = (): Promise<void> => {
      actor.firstEvent = Math.min(actor.firstEvent, at);
      return run();
    };
    this.#simulation.plan({ at, what, run: runForActor });
  }

  /** Note that the bot must be silent from now on. */
  async #mute(actor: Actor, reason: string): Promise<void> {
    const from = await this.#simulation.world.now();
    actor.mutedPeriods.push({ from, until: Number.POSITIVE_INFINITY, reason });
  }

  #answer(actor: Actor, at: number): void {
    const { random } = actor;
    const isRefusal = random.chance(0.12);
    const text = isRefusal ? random.pick(REFUSALS) : random.pick(ANSWERS);
    this.#plan('answers', { actor, at }, async () => {
      await this.#simulation.world.write(actor.lead, text);
      if (!isRefusal) return;
      for (const one of this.all.values()) {
        if (one !== actor && one !== actor.twinOf && one.twinOf !== actor) continue;
        one.firstEvent = Math.min(one.firstEvent, at);
        await this.#mute(one, 'refusal');
      }
    });
  }

  #handOver(actor: Actor, at: number): void {
    const { world, plan } = this.#simulation;
    const until = actor.random.chance(0.5) ? at + actor.random.integer(5, 72) * HOUR : null;
    this.#plan('hand-over', { actor, at }, async () => {
      if (!(await world.setOwner(actor.lead, 'human'))) return;
      await this.#mute(actor, 'hand-over');
      if (until === null) return;
      const handBack = async (): Promise<void> => {
        const now = await world.now();
        // The bot is back, however often the dialogue was handed over.
        for (const one of actor.mutedPeriods) if (one.reason === 'hand-over') one.until = Math.min(one.until, now);
        await world.setOwner(actor.lead, 'bot');
      };
      plan({ at: until, what: 'hand-back', run: handBack });
    });
  }

  #deactivate(actor: Actor, at: number): void {
    this.#plan('deactivation', { actor, at }, async () => {
      if (await this.#simulation.world.deactivate(actor.lead)) await this.#mute(actor, 'deactivation');
    });
  }
}

const settingsEdits = (leads: number): readonly ((current: SimulatedSettings) => SimulatedSettings)[] => [
  (current) => ({ ...current, days: current.days.map((day) => day && { start: '10:00', end: '16:30' }) }),
  (current) => ({ ...current, stepMinutes: current.stepMinutes.map((minutes) => Math.round(minutes * 0.7)) }),
  (current) => ({ ...current, ...scaleLimits(leads, { whatsapp: 90, telegram: 40 }, 90) }),
  (current) => ({ ...current, zone: 'Asia/Yekaterinburg', expiresHours: 60 }),
];
