/** Who does what in a simulated month: leads that answer or refuse, operators, vendors that fail, a worker that dies. */
import { setOwner } from '../dialogues/contract.ts';
import { deactivateLead } from '../leads/contract.ts';
import type { Person } from '../testing/world.ts';
import { room, type SimulatedSettings } from './product.ts';
import type { Month, Server, Stage } from './stage.ts';
import { DAY } from './stage.ts';

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

const SAYS = ['How much is a kitchen?', 'And the delivery?', 'I will think about it', 'Can I come and look?'];
const REFUSES = ['Не пишите мне больше', 'Stop writing to me', 'Отстаньте'];

export interface Actor {
  readonly person: Person;
  readonly zone: string | null;
  /** What reached an end for it, by the domain clock: from when the bot has to be silent, and until when. */
  readonly silences: { readonly from: number; until: number; readonly why: string }[];
  /** The first thing that no rehearsal could know of. */
  firstEvent: number;
  /** Somebody else with the same address is written to. */
  readonly twin: boolean;
}

export interface Actors {
  readonly all: ReadonlyMap<number, Actor>;
  /** Instants at which something happened to everybody: settings, vendors, workers. */
  readonly troubles: readonly number[];
  /** Leads look at their phones, and some will answer. */
  notice(): Promise<void>;
}

export async function actorsOf(stage: Stage, month: Month, quiet: boolean, server: Server): Promise<Actors> {
  const { world, chance, product } = stage;
  const all = new Map<number, Actor>();
  const troubles: number[] = [];
  let seen = 0;

  async function arrive(index: number): Promise<void> {
    const zone = chance.is(0.15) ? null : chance.of(ZONES);
    const messenger = chance.is(0.3) ? 'telegram' : 'whatsapp';
    const made = await world.lead(`Lead ${index}`, { messenger, stage: 'initial', dialogue: false });
    if (zone !== null) await world.pool.query('update leads set timezone = $2 where id = $1', [made.leadId, zone]);
    const before = [...all.values()].at(-1);
    const twin = before !== undefined && !before.twin && chance.is(0.03);
    if (twin)
      await world.pool.query(
        'update contacts set contact = $2, address = $2, contact_type = (select contact_type from contacts where id = $3) where id = $1',
        [made.contactId, before.person.address, before.person.contactId],
      );
    // One human with one phone, whichever of the two leads is written to.
    const { leadId, contactId } = made;
    const person = twin ? { ...before.person, leadId, contactId, dialogueId: () => made.dialogueId() } : made;
    all.set(person.leadId, { person, zone, silences: [], firstEvent: Number.POSITIVE_INFINITY, twin });
  }

  const event = (actor: Actor, at: number) => {
    actor.firstEvent = Math.min(actor.firstEvent, at);
  };

  for (let index = 0; index < month.leads; index++) {
    // Who comes later was unknown to the rehearsal and may push others back: in a quiet month all are there at once.
    if (quiet || chance.is(0.6)) await arrive(index);
    else {
      const at = stage.from + chance.next() * 10 * DAY;
      troubles.push(at);
      stage.plan({ at, what: 'arrives', run: () => arrive(index) });
    }
  }
  if (!quiet) plotTroubles();

  function plotTroubles(): void {
    const when = (from: number, to: number) => stage.from + (from + chance.next() * (to - from)) * DAY;
    let settings: SimulatedSettings = product.settings;
    const edits: ((given: SimulatedSettings) => SimulatedSettings)[] = [
      (given) => ({ ...given, days: given.days.map((day) => day && { start: '10:00', end: '16:30' }) }),
      (given) => ({ ...given, stepMinutes: given.stepMinutes.map((minutes) => Math.round(minutes * 0.7)) }),
      (given) => ({ ...given, ...room(month.leads, { whatsapp: 90, telegram: 40 }, 90) }),
      (given) => ({ ...given, zone: 'Asia/Yekaterinburg', expiresHours: 60 }),
    ];
    for (const edit of edits) {
      const at = when(3, month.days - 3);
      troubles.push(at);
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
      const kind = chance.of(faults);
      const times = chance.between(1, 6);
      troubles.push(at);
      stage.plan({ at, what: kind, run: () => world.control.setFaults([{ kind, times }]).then(() => undefined) });
    }
    for (let index = 0; index < Math.min(6, Math.ceil(month.leads / 50)); index++) {
      const at = when(0.2, month.days - 1);
      troubles.push(at);
      stage.plan({ at, what: 'kill', run: () => server.kill() });
    }
  }

  /** What a lead does about a message that reached it. */
  function consider(actor: Actor, at: number): void {
    if (chance.is(0.22)) answer(actor, at + chance.between(1, 40 * 60) * MINUTE);
    if (chance.is(0.01)) handOver(actor, at + chance.between(1, 48) * HOUR);
    if (chance.is(0.007)) deactivate(actor, at + chance.between(1, 48) * HOUR);
  }

  function answer(actor: Actor, at: number): void {
    const refuses = chance.is(0.12);
    const text = refuses ? chance.of(REFUSES) : chance.of(SAYS);
    stage.plan({
      at,
      what: 'answers',
      async run() {
        event(actor, at);
        await actor.person.writes(text);
        if (refuses) actor.silences.push({ from: await stage.now(), until: Number.POSITIVE_INFINITY, why: 'refusal' });
      },
    });
  }

  function handOver(actor: Actor, at: number): void {
    const until = chance.is(0.5) ? at + chance.between(5, 72) * HOUR : null;
    stage.plan({
      at,
      what: 'hand-over',
      async run() {
        event(actor, at);
        const id = await actor.person.dialogueId();
        const answer = await product.operator.call(setOwner, { params: { id }, body: { owner: 'human' } });
        if (answer.status !== 200) return;
        const silence = { from: await stage.now(), until: Number.POSITIVE_INFINITY, why: 'hand-over' };
        actor.silences.push(silence);
        if (until === null) return;
        stage.plan({
          at: until,
          what: 'hand-back',
          async run() {
            silence.until = await stage.now();
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
        const answer = await product.operator.call(deactivateLead, { params: { id: actor.person.leadId } });
        if (answer.status === 200)
          actor.silences.push({ from: await stage.now(), until: Number.POSITIVE_INFINITY, why: 'deactivation' });
      },
    });
  }

  return {
    all,
    troubles,
    async notice() {
      const { rows } = await world.pool.query<{ id: number; lead_id: string; at: number }>(
        `select m.id::int as id, c.lead_id, (extract(epoch from m.sent_at) * 1000)::float8 as at
           from messages m join contacts c on c.id = m.contact_id
          where m.id > $1 and m.side = 'bot' and m.sent_at is not null order by m.id`,
        [seen],
      );
      for (const row of rows) {
        seen = Math.max(seen, row.id);
        const actor = all.get(Number(row.lead_id));
        if (actor && !quiet) consider(actor, row.at);
      }
    },
  };
}
