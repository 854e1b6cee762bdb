/**
 * The actors of a simulated month: leads that answer or refuse, operators, failing vendors, a worker that is killed.
 */
import { setOwner } from '../../conversations/contract.ts';
import { deactivateLead } from '../../leads/contract.ts';
import type { TestLead } from '../../testing/world.ts';
import { type SimulatedSettings, scaleLimits } from './product.ts';
import type { Month, SimulatedServer, Simulation } from './simulation.ts';
import { DAY } from './simulation.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

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

export interface Actor {
  readonly lead: TestLead;
  readonly zone: string | null;
  /** Periods, by the domain clock, in which the bot must be silent. */
  readonly mutedPeriods: { readonly from: number; until: number; readonly reason: string }[];
  /** Time of the first event that no rehearsal could know of. */
  firstEvent: number;
  /** Whether another lead with the same address is written to. */
  readonly twin: boolean;
}

export interface Actors {
  readonly all: ReadonlyMap<number, Actor>;
  /** Instants of events that affected everyone: settings, vendors, workers. */
  readonly disturbances: readonly number[];
  /** Let leads read their phones; some of them will answer. */
  reactToMessages(): Promise<void>;
}

export async function createActors(
  stage: Simulation,
  month: Month,
  quiet: boolean,
  server: SimulatedServer,
): Promise<Actors> {
  const { world, random, product } = stage;
  const all = new Map<number, Actor>();
  const disturbances: number[] = [];
  let seen = 0;

  async function arrive(index: number): Promise<void> {
    const zone = random.chance(0.15) ? null : random.pick(ZONES);
    const messenger = random.chance(0.3) ? 'telegram' : 'whatsapp';
    const created = await world.lead(`Lead ${index}`, { messenger, stage: 'initial', dialogue: false });
    if (zone !== null) await world.pool.query('update leads set timezone = $2 where id = $1', [created.leadId, zone]);
    const before = [...all.values()].at(-1);
    const twin = before !== undefined && !before.twin && random.chance(0.03);
    if (twin)
      await world.pool.query(
        'update contacts set contact = $2, address = $2, contact_type = (select contact_type from contacts where id = $3) where id = $1',
        [created.contactId, before.lead.address, before.lead.contactId],
      );
    // One person with one phone, whichever of the two leads is written to.
    const { leadId, contactId } = created;
    const lead = twin ? { ...before.lead, leadId, contactId, dialogueId: () => created.dialogueId() } : created;
    all.set(lead.leadId, { lead, zone, mutedPeriods: [], firstEvent: Number.POSITIVE_INFINITY, twin });
  }

  const event = (actor: Actor, at: number) => {
    actor.firstEvent = Math.min(actor.firstEvent, at);
  };

  for (let index = 0; index < month.leads; index++) {
    // The rehearsal cannot know later arrivals, which may delay others. In a quiet month all leads exist from the
    // start.
    if (quiet || random.chance(0.6)) await arrive(index);
    else {
      const at = stage.from + random.next() * 10 * DAY;
      disturbances.push(at);
      stage.plan({ at, what: 'arrives', run: () => arrive(index) });
    }
  }
  if (!quiet) planDisturbances();

  function planDisturbances(): void {
    const when = (from: number, to: number) => stage.from + (from + random.next() * (to - from)) * DAY;
    let settings: SimulatedSettings = product.settings;
    const edits: ((current: SimulatedSettings) => SimulatedSettings)[] = [
      (current) => ({ ...current, days: current.days.map((day) => day && { start: '10:00', end: '16:30' }) }),
      (current) => ({ ...current, stepMinutes: current.stepMinutes.map((minutes) => Math.round(minutes * 0.7)) }),
      (current) => ({ ...current, ...scaleLimits(month.leads, { whatsapp: 90, telegram: 40 }, 90) }),
      (current) => ({ ...current, zone: 'Asia/Yekaterinburg', expiresHours: 60 }),
    ];
    for (const edit of edits) {
      const at = when(3, month.days - 3);
      disturbances.push(at);
      stage.plan({
        at,
        what: 'settings',
        async run() {
          settings = edit(settings);
          const from = await stage.now();
          await product.change(settings);
          stage.eras.push({ ...settings, from, whole: await stage.now() });
        },
      });
    }
    const faults = [
      'wazzup24.rate_limited',
      'wazzup24.fail_before',
      'wazzup24.lose_answer',
      'wazzup24.fail_after',
    ] as const;
    for (let index = 0; index < 8; index++) {
      const at = when(0.5, month.days - 2);
      const kind = random.pick(faults);
      const times = random.integer(1, 6);
      disturbances.push(at);
      stage.plan({ at, what: kind, run: () => world.control.setFaults([{ kind, times }]).then(() => undefined) });
    }
    for (let index = 0; index < Math.min(6, Math.ceil(month.leads / 50)); index++) {
      const at = when(0.2, month.days - 1);
      disturbances.push(at);
      stage.plan({ at, what: 'kill', run: () => server.kill() });
    }
  }

  /** Decide how a lead reacts to a message. */
  function react(actor: Actor, at: number): void {
    if (random.chance(0.22)) answer(actor, at + random.integer(1, 40 * 60) * MINUTE);
    if (random.chance(0.01)) handOver(actor, at + random.integer(1, 48) * HOUR);
    if (random.chance(0.007)) deactivate(actor, at + random.integer(1, 48) * HOUR);
  }

  function answer(actor: Actor, at: number): void {
    const isRefusal = random.chance(0.12);
    const text = isRefusal ? random.pick(REFUSALS) : random.pick(ANSWERS);
    stage.plan({
      at,
      what: 'answers',
      async run() {
        event(actor, at);
        await actor.lead.writes(text);
        if (isRefusal)
          actor.mutedPeriods.push({ from: await stage.now(), until: Number.POSITIVE_INFINITY, reason: 'refusal' });
      },
    });
  }

  function handOver(actor: Actor, at: number): void {
    const until = random.chance(0.5) ? at + random.integer(5, 72) * HOUR : null;
    stage.plan({
      at,
      what: 'hand-over',
      async run() {
        event(actor, at);
        const id = await actor.lead.dialogueId();
        const answer = await product.operator.call(setOwner, { params: { id }, body: { owner: 'human' } });
        if (answer.status !== 200) return;
        const mutedPeriod = { from: await stage.now(), until: Number.POSITIVE_INFINITY, reason: 'hand-over' };
        actor.mutedPeriods.push(mutedPeriod);
        if (until === null) return;
        stage.plan({
          at: until,
          what: 'hand-back',
          async run() {
            mutedPeriod.until = await stage.now();
            await product.operator.call(setOwner, { params: { id }, body: { owner: 'bot' } });
          },
        });
      },
    });
  }

  function deactivate(actor: Actor, at: number): void {
    stage.plan({
      at,
      what: 'deactivation',
      async run() {
        event(actor, at);
        const answer = await product.operator.call(deactivateLead, { params: { id: actor.lead.leadId } });
        if (answer.status === 200)
          actor.mutedPeriods.push({ from: await stage.now(), until: Number.POSITIVE_INFINITY, reason: 'deactivation' });
      },
    });
  }

  return {
    all,
    disturbances,
    async reactToMessages() {
      const { rows } = await world.pool.query<{ id: number; lead_id: string; at: number }>(
        `select m.id::int as id, c.lead_id, (extract(epoch from m.sent_at) * 1000)::float8 as at
           from messages m join contacts c on c.id = m.contact_id
          where m.id > $1 and m.side = 'bot' and m.sent_at is not null order by m.id`,
        [seen],
      );
      for (const row of rows) {
        seen = Math.max(seen, row.id);
        const actor = all.get(Number(row.lead_id));
        if (actor && !quiet) react(actor, row.at);
      }
    },
  };
}
