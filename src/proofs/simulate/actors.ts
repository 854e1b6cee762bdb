/**
 * The actors of a simulated month: leads that answer or refuse, operators, failing vendors, a worker that is killed.
 */
import { setOwner } from '../../conversations/contract.ts';
import { deactivateLead } from '../../leads/contract.ts';
import type { TestLead } from '../../testing/world.ts';
import { type SimulatedSettings, scaleLimits } from './product.ts';
import { DAY, HOUR, MINUTE, type Month, type SimulatedServer, type Simulation } from './simulation.ts';

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

const FAULTS = [
  'wazzup24.rate_limited',
  'wazzup24.fail_before',
  'wazzup24.lose_answer',
  'wazzup24.fail_after',
] as const;

interface MutedPeriod {
  readonly from: number;
  until: number;
  readonly reason: string;
}

export interface Actor {
  readonly lead: TestLead;
  readonly zone: string | null;
  /** Periods, by the domain clock, in which the bot must be silent. */
  readonly mutedPeriods: MutedPeriod[];
  /** Time of the first event that no rehearsal could know of. */
  firstEvent: number;
  /** Whether another lead with the same address is written to. */
  readonly twin: boolean;
}

/** All leads of a month, and what happens to them and to everyone. */
export class Actors {
  readonly all = new Map<number, Actor>();
  /** Instants of changed settings, failing vendors and killed workers. */
  readonly disturbances: number[] = [];
  readonly #simulation: Simulation;
  readonly #quiet: boolean;
  /** The newest message that a lead has reacted to. */
  #seen = 0;

  private constructor(simulation: Simulation, quiet: boolean) {
    this.#simulation = simulation;
    this.#quiet = quiet;
  }

  /** Create the leads, now or as they arrive. In a quiet month nobody reacts and nothing is disturbed. */
  static async create(
    simulation: Simulation,
    month: Month,
    options: { readonly quiet: boolean; readonly server: SimulatedServer },
  ): Promise<Actors> {
    const { random, from } = simulation;
    const actors = new Actors(simulation, options.quiet);
    for (let index = 0; index < month.leads; index++) {
      // The rehearsal cannot know later arrivals, which may delay others. In a quiet month all leads exist from the
      // start.
      if (options.quiet || random.chance(0.6)) await actors.#arrive(index);
      else actors.#disturb('arrives', from + random.next() * 10 * DAY, () => actors.#arrive(index));
    }
    if (!options.quiet) actors.#planDisturbances(month, options.server);
    return actors;
  }

  /** Let leads read their phones; some of them will answer. */
  async reactToMessages(): Promise<void> {
    const { rows } = await this.#simulation.world.pool.query<{ id: number; lead_id: string; at: number }>(
      `select m.id::int as id, c.lead_id, (extract(epoch from m.sent_at) * 1000)::float8 as at
         from messages m join contacts c on c.id = m.contact_id
        where m.id > $1 and m.side = 'bot' and m.sent_at is not null order by m.id`,
      [this.#seen],
    );
    for (const row of rows) {
      this.#seen = Math.max(this.#seen, row.id);
      const actor = this.all.get(Number(row.lead_id));
      if (actor && !this.#quiet) this.#react(actor, row.at);
    }
  }

  async #arrive(index: number): Promise<void> {
    const { random, world } = this.#simulation;
    const zone = random.chance(0.15) ? null : random.pick(ZONES);
    const messenger = random.chance(0.3) ? 'telegram' : 'whatsapp';
    const created = await world.lead(`Lead ${index}`, { messenger, stage: 'initial', dialogue: false });
    if (zone !== null) await world.pool.query('update leads set timezone = $2 where id = $1', [created.leadId, zone]);
    const before = [...this.all.values()].at(-1);
    const twin = before !== undefined && !before.twin && random.chance(0.03);
    if (twin)
      await world.pool.query(
        'update contacts set contact = $2, address = $2, contact_type = (select contact_type from contacts where id = $3) where id = $1',
        [created.contactId, before.lead.address, before.lead.contactId],
      );
    // One person with one phone, whichever of the two leads is written to.
    const { leadId, contactId } = created;
    const lead = twin ? { ...before.lead, leadId, contactId, dialogueId: () => created.dialogueId() } : created;
    this.all.set(lead.leadId, { lead, zone, mutedPeriods: [], firstEvent: Number.POSITIVE_INFINITY, twin });
  }

  /** Plan an event that affects everyone. */
  #disturb(what: string, at: number, run: () => Promise<unknown>): void {
    this.disturbances.push(at);
    this.#simulation.plan({ at, what, run: async () => void (await run()) });
  }

  #planDisturbances({ leads, days }: Month, server: SimulatedServer): void {
    const { random, product, world, eras, now, from: begin } = this.#simulation;
    const when = (from: number, to: number) => begin + (from + random.next() * (to - from)) * DAY;
    let settings = product.settings;
    for (const edit of settingsEdits(leads)) {
      this.#disturb('settings', when(3, days - 3), async () => {
        settings = edit(settings);
        const from = await now();
        await product.change(settings);
        eras.push({ ...settings, from, whole: await now() });
      });
    }
    for (let index = 0; index < 8; index++) {
      const at = when(0.5, days - 2);
      const kind = random.pick(FAULTS);
      const times = random.integer(1, 6);
      this.#disturb(kind, at, () => world.control.setFaults([{ kind, times }]));
    }
    for (let index = 0; index < Math.min(6, Math.ceil(leads / 50)); index++)
      this.#disturb('kill', when(0.2, days - 1), () => server.kill());
  }

  /** Decide how a lead reacts to a message. */
  #react(actor: Actor, at: number): void {
    const { random } = this.#simulation;
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

  /** Note that the bot must be silent from now on. Returns the period, whose end may be set later. */
  async #mute(actor: Actor, reason: string): Promise<MutedPeriod> {
    const mutedPeriod = { from: await this.#simulation.now(), until: Number.POSITIVE_INFINITY, reason };
    actor.mutedPeriods.push(mutedPeriod);
    return mutedPeriod;
  }

  #answer(actor: Actor, at: number): void {
    const { random } = this.#simulation;
    const isRefusal = random.chance(0.12);
    const text = isRefusal ? random.pick(REFUSALS) : random.pick(ANSWERS);
    this.#plan('answers', { actor, at }, async () => {
      await actor.lead.writes(text);
      if (isRefusal) await this.#mute(actor, 'refusal');
    });
  }

  #handOver(actor: Actor, at: number): void {
    const { random, product, now, plan } = this.#simulation;
    const until = random.chance(0.5) ? at + random.integer(5, 72) * HOUR : null;
    this.#plan('hand-over', { actor, at }, async () => {
      const id = await actor.lead.dialogueId();
      const { status } = await product.operator.call(setOwner, { params: { id }, body: { owner: 'human' } });
      if (status !== 200) return;
      const mutedPeriod = await this.#mute(actor, 'hand-over');
      if (until === null) return;
      const handBack = async (): Promise<void> => {
        mutedPeriod.until = await now();
        await product.operator.call(setOwner, { params: { id }, body: { owner: 'bot' } });
      };
      plan({ at: until, what: 'hand-back', run: handBack });
    });
  }

  #deactivate(actor: Actor, at: number): void {
    const { operator } = this.#simulation.product;
    this.#plan('deactivation', { actor, at }, async () => {
      const { status } = await operator.call(deactivateLead, { params: { id: actor.lead.leadId } });
      if (status === 200) await this.#mute(actor, 'deactivation');
    });
  }
}

const settingsEdits = (leads: number): readonly ((current: SimulatedSettings) => SimulatedSettings)[] => [
  (current) => ({ ...current, days: current.days.map((day) => day && { start: '10:00', end: '16:30' }) }),
  (current) => ({ ...current, stepMinutes: current.stepMinutes.map((minutes) => Math.round(minutes * 0.7)) }),
  (current) => ({ ...current, ...scaleLimits(leads, { whatsapp: 90, telegram: 40 }, 90) }),
  (current) => ({ ...current, zone: 'Asia/Yekaterinburg', expiresHours: 60 }),
];
