/**
 * Plays weeks of first messages by the engine in memory and by the real one, and compares both with the times that were
 * worked out by hand. Whether a message is at or after its day's 'Send at' is read from the platform's own calendar.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadFacts } from '../../outreach/facts.ts';
import { MemoryEngine } from '../../outreach/memory/engine.ts';
import { toSettings } from '../../outreach/settings.ts';
import { pauseOutreach, products, resumeOutreach } from '../../products/contract.ts';
import { type PreviousLimits, previousLimitsAfter } from '../../products/previousLimits.ts';
import { jumpTo, nextDue, waitForDueWork } from '../../sandbox/domainClock.ts';
import type { Client } from '../../testing/client.ts';
import type { OutreachWorld } from '../../testing/outreachWorld.ts';
import { callOrThrow } from '../harness/calls.ts';
import { firstMessageConfig } from '../harness/leads.ts';
import { storedSettings } from './product.ts';
import { DEFAULT_WEEK, type SendAtSettings, type SendAtWeek, type WeekTime } from './sendAtWeeks.ts';
import { DAY, formatTime, HOUR, MINUTE } from './simulation.ts';
import { isAtOrAfter } from './workingHours.ts';

const WEEKDAYS = ['Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu'];

/** Return the instant of a week that begins at `friday`. */
function instantOf(friday: number, time: WeekTime): number {
  const [weekday = '', clock = ''] = time.split(' ');
  const [hours, minutes] = clock.split(':').map(Number);
  return friday + WEEKDAYS.indexOf(weekday) * DAY + (hours ?? 0) * HOUR + (minutes ?? 0) * MINUTE;
}

/** Write an instant as a time of its week, to the minute. */
function weekTime(friday: number, at: number): string {
  return `${WEEKDAYS[Math.floor((at - friday) / DAY)] ?? '?'} ${formatTime(at).slice(11, 16)}`;
}

/** Find the Friday of the next week after an instant, or of the one in which Europe's clocks go forward. */
function fridayAfter(at: number, isSpring: boolean): number {
  for (let friday = Math.ceil(at / DAY) * DAY; ; friday += DAY) {
    if (new Date(friday).getUTCDay() !== 5) continue;
    const sunday = new Date(friday + 2 * DAY);
    // The last Sunday of March.
    if (!isSpring || (sunday.getUTCMonth() === 2 && sunday.getUTCDate() > 24)) return friday;
  }
}

/** What a week is played in. Instants are ms since 1970. */
interface Stage {
  runUntil(at: number): Promise<void>;
  arrive(name: string, zone: string | null): Promise<void>;
  change(before: SendAtSettings, after: SendAtSettings): Promise<void>;
  /** When first messages have left, in their order. */
  sent(): Promise<number[]>;
}

const configOf = ({ limit, sendAt, intervalSeconds }: SendAtSettings) =>
  firstMessageConfig({ dailyLimit: limit, sendAt, intervalSeconds });

function scheduleOf(zone: string | null) {
  if (zone === null) return null;
  const settings = { zone, days: DEFAULT_WEEK, stepMinutes: [], limit: { whatsapp: 0, telegram: 0 } };
  const { schedule } = storedSettings({ ...settings, intervalSeconds: 0, sendAt: '00:00', expiresHours: 0 }, []);
  return { timezone: zone, config: schedule };
}

/** Play a week, and return when its first messages left. */
async function play(week: SendAtWeek, friday: number, stage: Stage): Promise<number[]> {
  const arrivals = week.leads.map(({ at, zone }, index) => ({
    at: instantOf(friday, at),
    run: () => stage.arrive(`Lead ${index + 1}`, zone ?? null),
  }));
  let settings = week.settings;
  const changes = week.changes.map(({ at, to }) => ({
    at: instantOf(friday, at),
    run: () => {
      const before = settings;
      settings = { ...settings, ...to };
      return stage.change(before, settings);
    },
  }));
  for (const { at, run } of [...arrivals, ...changes].toSorted((a, b) => a.at - b.at)) {
    await stage.runUntil(at);
    await run();
  }
  await stage.runUntil(friday + 7 * DAY - 1000);
  return stage.sent();
}

function stageInMemory(week: SendAtWeek, friday: number): Stage {
  const sent: number[] = [];
  let previousLimits: PreviousLimits | null = null;
  let count = 0;
  const link = { since: 0, canWriteFirst: true, blockReason: null, resumesAt: null, ramp: null, firstSentAt: null };
  const settingsOf = (settings: SendAtSettings) =>
    toSettings({
      productId: 1,
      zone: week.zone,
      longDay: null,
      previousLimits,
      isActive: true,
      isPaused: settings.isPaused,
      replyHours: 'working',
      config: configOf(settings),
      schedule: scheduleOf(settings.schedule),
      pings: null,
      links: [{ ...link, channelId: 1, name: 'WhatsApp', type: 'whatsapp' }],
    });
  const engine: MemoryEngine = new MemoryEngine({
    leads: [],
    counters: {
      lastAt: null,
      lastLeadId: null,
      isSending: false,
      sentTodayByChannel: new Map(),
      sentTodayByType: { telegram: 0, whatsapp: 0 },
    },
    settings: settingsOf(week.settings),
    from: friday,
    observer: { settled: ({ state: { origin, thread_at: at } }) => void (origin === 'first' && sent.push(at)) },
  });
  return {
    runUntil: async (at) => void engine.runUntil(at),
    async arrive(_name, zone) {
      const id = ++count;
      const contact = { id, address: String(id), type: 'whatsapp' as const, since: engine.now, refused: false };
      const facts: LeadFacts = {
        id,
        isActive: true,
        optedOut: false,
        stage: 'initial',
        zone,
        eligibleSince: engine.now,
        contacts: [{ ...contact, contactedAsLeadId: null, addressRefusal: null, addressTakenOn: [] }],
        hasConversation: false,
        dialogue: null,
        lastUserAt: null,
        owesAnswer: false,
        answeredAt: null,
        humanOwned: false,
        personOptOut: null,
      };
      engine.addLead(facts);
    },
    async change(before, after) {
      const clockOf = (one: SendAtSettings) => ({
        zone: week.zone,
        messagingConfig: configOf(one).messaging_config,
      });
      previousLimits = previousLimitsAfter({ ...clockOf(before), previousLimits }, clockOf(after), engine.now);
      engine.changeSettings(settingsOf(after));
    },
    sent: async () => sent,
  };
}

/** Prepare the week in a world with a running server. */
async function stageInWorld(world: OutreachWorld, operator: Client, week: SendAtWeek): Promise<Stage> {
  const { pool, productId, control } = world;
  const params = { id: productId };
  await callOrThrow(operator, resumeOutreach, { params });
  await world.reset();
  await pool.query('update products set timezone = $2, config = $3 where id = $1', [
    productId,
    week.zone,
    configOf(week.settings),
  ]);
  const schedule = scheduleOf(week.settings.schedule);
  if (schedule)
    await pool.query('insert into schedules (product_id, timezone, config) values ($1, $2, $3)', [
      productId,
      schedule.timezone,
      schedule.config,
    ]);
  if (week.settings.isPaused) await callOrThrow(operator, pauseOutreach, { params });
  return {
    runUntil: (at) => runWorldUntil(world, at),
    async arrive(name, zone) {
      await world.createLead(name, zone === null ? {} : { zone });
      await waitForDueWork(contextOf(world), control);
    },
    async change(before, after) {
      if (before.isPaused !== after.isPaused)
        await callOrThrow(operator, after.isPaused ? pauseOutreach : resumeOutreach, { params });
      await callOrThrow(operator, products.change, { params, body: { config: configOf(after) } });
      await waitForDueWork(contextOf(world), control);
    },
    sent: async () => (await world.sentMessages()).map(({ at }) => Date.parse(at)),
  };
}

function contextOf({ app }: OutreachWorld) {
  if (!app) throw new Error('No server in this world');
  return app.context;
}

/** Move the clock of a world to an instant, stopping wherever something is due. */
async function runWorldUntil(world: OutreachWorld, at: number): Promise<void> {
  const { control } = world;
  const clock = contextOf(world);
  for (let doneUntil = await waitForDueWork(clock, control); ; doneUntil = await waitForDueWork(clock, control)) {
    const next = await nextDue(clock, { after: doneUntil, before: formatTime(at) });
    await jumpTo(clock, control, next ?? formatTime(at));
    if (next === null) break;
    await pause(0);
  }
  await waitForDueWork(clock, control);
}

export interface PlayedWeek {
  readonly what: string;
  readonly zone: string;
  readonly rows: readonly {
    readonly expected: string | undefined;
    readonly memory: string | undefined;
    readonly real: string | undefined;
    /** 'Send at' of its day, on the product's clock. */
    readonly sendAt: string;
  }[];
  readonly violations: readonly string[];
}

/** Play weeks one after another in both engines, and compare them. */
export async function playWeeks(world: OutreachWorld, weeks: readonly SendAtWeek[]): Promise<PlayedWeek[]> {
  const operator = await world.operator();
  const played: PlayedWeek[] = [];
  for (const week of weeks.toSorted((a, b) => Number(a.isSpring ?? false) - Number(b.isSpring ?? false))) {
    const { rows } = await world.pool.query<{ now: number }>(
      'select (extract(epoch from domain_now()) * 1000)::float8 as now',
    );
    const friday = fridayAfter((rows[0]?.now ?? 0) + HOUR, week.isSpring ?? false);
    const memory = await play(week, friday, stageInMemory(week, friday));
    const stage = await stageInWorld(world, operator, week);
    played.push(compareWeek(week, friday, { memory, real: await play(week, friday, stage) }));
  }
  return played;
}

function compareWeek(
  week: SendAtWeek,
  friday: number,
  { memory, real }: { readonly memory: readonly number[]; readonly real: readonly number[] },
): PlayedWeek {
  const count = Math.max(week.expected.length, memory.length, real.length);
  const sendAtOn = (at: number) =>
    week.changes.filter((one) => instantOf(friday, one.at) <= at).findLast(({ to }) => to.sendAt)?.to.sendAt ??
    week.settings.sendAt;
  const rows = Array.from({ length: count }, (_none, index) => {
    const [expected, inMemory, inReal] = [week.expected[index], memory[index], real[index]];
    const text = (at: number | undefined) => (at === undefined ? undefined : weekTime(friday, at));
    return { expected, memory: text(inMemory), real: text(inReal), sendAt: sendAtOn(inReal ?? inMemory ?? friday) };
  });
  const name = (index: number) => `${week.what}: message ${index + 1}`;
  return {
    what: week.what,
    zone: week.zone,
    rows,
    violations: [
      ...rows.flatMap(({ expected, memory: one, real: other }, index) =>
        expected === one && one === other
          ? []
          : [
              `${name(index)} is due ${expected ?? 'never'}, ${one ?? 'never'} in memory, ${other ?? 'never'} with a database`,
            ],
      ),
      ...[...memory, ...real].flatMap((at) =>
        isAtOrAfter(week.zone, sendAtOn(at), at)
          ? []
          : [`${week.what}: a message left ${weekTime(friday, at)}, before Send at of its day (${week.zone})`],
      ),
    ],
  };
}
