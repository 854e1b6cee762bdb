/** The plan as a pure function, for any facts and settings: what it may never decide, and that it never forgets anybody. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContactFacts, Counters, DialogueFacts, Facts, LeadFacts, LinkSettings, Settings } from './facts.ts';
import { type Decision, plan, type Wait } from './plan.ts';
import { isOpen, isZone } from './window.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A week before clocks change in Europe. */
const NOW = Date.UTC(2026, 2, 22, 12);

const TYPES = ['telegram', 'whatsapp'] as const;
const type = fc.constantFrom(...TYPES);
/** Instants around NOW; often the same ones, so that what is equal happens too. */
const past = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((n) => NOW - n * HOUR),
  fc.integer({ min: 0, max: 20 * DAY }).map((n) => NOW - n),
);
const zone = fc.constantFrom(
  null,
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Nowhere/At_All',
);
const window = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant({ start: 0, end: 1439 }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 1438 }), fc.integer({ min: 1, max: 1439 }))
      .map(([start, length]) => ({ start, end: Math.min(1439, start + length) })),
  },
);

/** This in four cases of five. */
const mostly = (is: boolean): fc.Arbitrary<boolean> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(is) }, { weight: 1, arbitrary: fc.constant(!is) });

const contact = (id: number): fc.Arbitrary<ContactFacts> =>
  fc.record({
    id: fc.constant(id),
    address: fc.constantFrom('79990000001', '79990000002'),
    type,
    since: past,
    refused: fc.boolean().map((is) => is && id % 3 === 0),
    knownAs: fc.oneof(
      { weight: 12, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(1, 2, 99) },
    ),
    busyOn: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([1, 2, 3])),
  });

const dialogue = (id: number): fc.Arbitrary<DialogueFacts> =>
  fc
    .record({
      createdAt: past,
      anchorAt: fc.option(past),
      lastAt: past,
      last: fc.option(fc.record({ id: fc.integer({ min: 1, max: 4 }), ours: mostly(true), failed: mostly(false) })),
      outgoing: mostly(false),
      stepsDone: fc.integer({ min: 0, max: 3 }),
      skipFor: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
    })
    .map(({ lastAt, last, anchorAt, ...rest }) => ({
      id,
      ...rest,
      anchor: anchorAt === null ? 0 : 7,
      anchorAt,
      last: last && { ...last, at: lastAt },
      outgoingAt: rest.outgoing ? NOW + HOUR : null,
    }));

const lead = (id: number): fc.Arbitrary<LeadFacts> =>
  fc.record({
    id: fc.constant(id),
    isActive: mostly(true),
    optedOut: fc.boolean(),
    stage: fc.oneof(
      { weight: 3, arbitrary: fc.constant('initial' as const) },
      { weight: 3, arbitrary: fc.constantFrom('started' as const, 'ongoing' as const, 'pending' as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('success' as const, 'refused' as const, 'failed' as const, 'ignore' as const),
      },
    ),
    zone,
    eligibleSince: past,
    contacts: fc.constantFrom(0, 1, 1, 1, 1, 2, 2).chain((count) => {
      const ids = Array.from({ length: count }, (_none, index) => id * 10 + index);
      return fc.tuple(...ids.map(contact));
    }),
    talked: mostly(false),
    dialogue: fc.option(dialogue(id), { freq: 8 }),
    lastUserAt: fc.option(past),
    humanOwned: mostly(false),
  });

const link = (channelId: number): fc.Arbitrary<LinkSettings> =>
  fc
    .record({
      type,
      since: past,
      canWriteFirst: mostly(true),
      stopped: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constant('It rests')),
      resumesAt: fc.option(fc.integer({ min: 1, max: DAY }).map((ms) => NOW + ms)),
      ramp: fc.oneof(
        { weight: 2, arbitrary: fc.constant(null) },
        {
          weight: 1,
          arbitrary: fc.record({ start: fc.integer({ min: 0, max: 3 }), step: fc.integer({ min: 0, max: 2 }) }),
        },
      ),
      firstDay: fc.option(fc.integer({ min: 0, max: 5 }).map((days) => Math.floor(NOW / DAY) - days)),
    })
    .map((one) => ({ channelId, name: `Channel ${channelId}`, ...one, resumesAt: one.stopped && one.resumesAt }));

const settings: fc.Arbitrary<Settings> = fc.record({
  productId: fc.constant(1),
  isActive: mostly(true),
  expiresHours: fc.constantFrom(0, 0, 48, 200),
  firsts: fc.option(
    fc.record({
      limits: fc.record({ telegram: fc.integer({ min: 0, max: 6 }), whatsapp: fc.integer({ min: 0, max: 6 }) }),
      intervalSeconds: fc.constantFrom(0, 0, 0, 30, 3600, 100_000),
      jitterSeconds: fc.constantFrom(0, 600),
      sendAt: fc.integer({ min: 0, max: 1439 }),
    }),
    { freq: 9 },
  ),
  links: fc.tuple(link(1), link(2), link(3)),
  replyHours: fc.constantFrom('working', 'any'),
  hours: fc.option(
    fc.record({
      week: fc.tuple(window, window, window, window, window, window, window),
      zone: fc.constantFrom('Europe/London', 'UTC', 'Africa/Cairo'),
    }),
  ),
  pings: fc.option(
    fc.record({
      configId: fc.constant(1),
      isEnabled: mostly(true),
      onNoReply: mostly(true),
      steps: fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 2, maxLength: 4 }).map((minutes) =>
        minutes.map((after_minutes, index) => ({
          step_number: index + 1,
          after_minutes,
          prepared_message_id: 1,
          prompt_id: null,
          document_type: null,
        })),
      ),
    }),
    { freq: 9 },
  ),
});

const counters: fc.Arbitrary<Counters> = fc
  .record({
    lastAt: fc.option(past),
    lastLeadId: fc.integer({ min: 1, max: 99 }),
    inHand: mostly(false),
    sent: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
    telegram: fc.integer({ min: 0, max: 2 }),
    whatsapp: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ lastAt, lastLeadId, inHand, sent, telegram, whatsapp }) => ({
    lastAt,
    lastLeadId: lastAt && lastLeadId,
    inHand,
    today: new Map(sent.map((count, index) => [index + 1, count])),
    ofType: { telegram, whatsapp },
  }));

const facts: fc.Arbitrary<Facts> = fc.record({
  leads: fc.tuple(...[1, 2, 3, 4, 5, 6].map(lead)),
  counters,
});

/** Leads nearly all of whom could be written to now, so that there is a line. */
const crowd: fc.Arbitrary<Facts> = facts.map(({ leads, counters: shared }) => ({
  leads: leads.map((one) => ({ ...one, isActive: true, stage: 'initial' as const, talked: false })),
  counters: { ...shared, inHand: shared.inHand && shared.today.get(1) === 0 },
}));
const open: fc.Arbitrary<Settings> = settings.map((one) => ({ ...one, isActive: true, hours: null }));

/** The same facts at a later instant: a new day has sent nothing yet, and channels that rested go on. */
function laterFacts(given: Facts, at: number): Facts {
  if (Math.floor(at / DAY) === Math.floor(NOW / DAY)) return given;
  return { ...given, counters: { ...given.counters, today: new Map(), ofType: { telegram: 0, whatsapp: 0 } } };
}
function laterSettings(given: Settings, at: number): Settings {
  const awake = (one: LinkSettings) =>
    one.resumesAt !== null && one.resumesAt <= at ? { ...one, stopped: null, resumesAt: null } : one;
  return { ...given, links: given.links.map(awake) };
}
const planAt = (given: Facts, set: Settings, at: number) => plan(laterFacts(given, at), laterSettings(set, at), at);

const RUNS = { numRuns: 1500 };
const isFirst = (one: Decision) => one.kind === 'first';
const isWait = (one: Decision): one is Wait => one.kind === 'wait';

/** Everybody with what was decided for them. */
function decided(given: Facts, set: Settings): { lead: LeadFacts; decision: Decision }[] {
  const decisions = plan(given, set, NOW);
  return given.leads.map((one) => {
    const own = decisions.filter((decision) => decision.leadId === one.id);
    const [decision] = own;
    if (!decision || own.length > 1) throw new Error(`${own.length} decisions for lead ${one.id}`);
    return { lead: one, decision };
  });
}

const FOLLOWED = ['started', 'ongoing', 'pending'];

function isInHours(one: LeadFacts, { hours }: Settings): boolean {
  return !hours || isOpen(hours.week, one.zone !== null && isZone(one.zone) ? one.zone : hours.zone, NOW);
}

describe('the plan, for any facts', () => {
  it('decides once for each lead, whatever their order', () => {
    const cases = { first: 0, ping: 0, expire: 0, wait: 0 };
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        const forward = decided(given, set);
        for (const { decision } of forward) cases[decision.kind]++;
        const backward = decided({ ...given, leads: given.leads.toReversed() }, set).toReversed();
        expect(backward).toEqual(forward);
      }),
      RUNS,
    );
    // What follows would hold for a plan that decides nothing.
    expect(Math.min(...Object.values(cases))).toBeGreaterThan(20);
  });

  it('decides nothing for who is deactivated, silenced or in a product that is off, and nothing outside hours', () => {
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        for (const { lead: one, decision } of decided(given, set)) {
          if (isWait(decision)) continue;
          expect([one.isActive, set.isActive]).toEqual([true, true]);
          expect(isFirst(decision) ? ['initial'] : FOLLOWED).toContain(one.stage);
          if (decision.kind !== 'expire') expect(isInHours(one, set)).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('decides a first message only for who may be written to, by a channel that may', () => {
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        for (const { lead: one, decision } of decided(given, set)) {
          if (decision.kind !== 'first') continue;
          const to = one.contacts.find((each) => each.id === decision.contactId);
          const by = set.links.find((each) => each.channelId === decision.channelId);
          expect([one.talked, one.humanOwned]).toEqual([false, false]);
          expect(one.contacts.filter((each) => each.refused).length).toBeLessThan(2);
          expect(one.contacts.every((each) => each.knownAs === null || each.knownAs === one.id)).toBe(true);
          expect(to).toMatchObject({ refused: false, type: by?.type });
          expect(to?.busyOn).not.toContain(decision.channelId);
          expect(by).toMatchObject({ canWriteFirst: true, stopped: null });
          // Due at the hour of the settings, after all that makes it eligible.
          expect(decision.dueAt).toBeLessThanOrEqual(NOW);
          expect(decision.dueAt).toBeGreaterThanOrEqual(Math.max(one.eligibleSince, to?.since ?? NOW));
          expect((decision.dueAt % DAY) / MINUTE).toBe(set.firsts?.sendAt);
        }
      }),
      RUNS,
    );
  });

  it('decides no more first messages than limits, ramps and the interval allow', () => {
    fc.assert(
      fc.property(crowd, open, (given, set) => {
        const firsts = plan(given, set, NOW).filter((one) => one.kind === 'first');
        if (firsts.length === 0 || !set.firsts) return;
        const by = (one: { channelId: number }) => set.links.find((each) => each.channelId === one.channelId);
        for (const each of TYPES) {
          const more = firsts.filter((one) => by(one)?.type === each).length;
          if (more > 0) expect(given.counters.ofType[each] + more).toBeLessThanOrEqual(set.firsts.limits[each]);
        }
        for (const each of set.links) {
          const more = firsts.filter((one) => one.channelId === each.channelId).length;
          if (more === 0 || !each.ramp) continue;
          const days = Math.floor(NOW / DAY) - (each.firstDay ?? Math.floor(NOW / DAY));
          const most = each.ramp.start + each.ramp.step * days;
          expect((given.counters.today.get(each.channelId) ?? 0) + more).toBeLessThanOrEqual(most);
        }
        if (set.firsts.intervalSeconds === 0) return;
        expect(firsts.length).toBe(1);
        expect(given.counters.inHand).toBe(false);
        const since = NOW - (given.counters.lastAt ?? Number.NEGATIVE_INFINITY);
        expect(since).toBeGreaterThanOrEqual(set.firsts.intervalSeconds * 1000);
      }),
      RUNS,
    );
  });

  it('has first messages go in the order in which they fell due', () => {
    fc.assert(
      fc.property(crowd, open, (given, set) => {
        const all = decided(given, set);
        const gone = all.flatMap(({ lead: one, decision }) =>
          decision.kind === 'first'
            ? [
                {
                  id: one.id,
                  dueAt: decision.dueAt,
                  type: one.contacts.find((each) => each.id === decision.contactId)?.type,
                },
              ]
            : [],
        );
        for (const { lead: one, decision } of all) {
          if (!isWait(decision) || decision.line === null) continue;
          const { line, why } = decision;
          // Whose channels rest or are used up for the day holds nobody behind it.
          if (why.code !== 'interval' && why.code !== 'line' && why.code !== 'limit') continue;
          for (const other of gone)
            if (other.type === line.type) expect(other.dueAt - line.dueAt || other.id - one.id).toBeLessThan(0);
        }
      }),
      RUNS,
    );
  });

  it('decides a follow-up only where the bot has the last word, and not before its minutes', () => {
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        for (const { lead: one, decision } of decided(given, set)) {
          if (decision.kind !== 'ping') continue;
          const d = one.dialogue;
          expect([one.humanOwned, set.pings?.isEnabled, d?.outgoing]).toEqual([false, true, false]);
          expect(d?.last).toMatchObject({ ours: true, failed: false });
          expect(d?.skipFor).not.toBe(d?.last?.id);
          expect(decision).toMatchObject({ dialogueId: d?.id, anchor: d?.anchor });
          expect(decision.step).toEqual(set.pings?.steps[d?.stepsDone ?? -1]);
          expect(NOW).toBeGreaterThanOrEqual((d?.last?.at ?? NOW) + decision.step.after_minutes * MINUTE);
          if (d?.anchor === 0) expect(set.pings?.onNoReply).toBe(true);
          if (set.expiresHours > 0 && one.lastUserAt !== null)
            expect(one.lastUserAt + set.expiresHours * HOUR).toBeGreaterThan(NOW);
        }
      }),
      RUNS,
    );
  });

  it('lets a lead expire when its hours of silence are over, and not while a human speaks', () => {
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        for (const { lead: one, decision } of decided(given, set)) {
          const over =
            set.expiresHours > 0 && one.lastUserAt !== null && one.lastUserAt + set.expiresHours * HOUR <= NOW;
          const may = over && !one.humanOwned && one.isActive && set.isActive && FOLLOWED.includes(one.stage);
          expect(decision.kind === 'expire').toBe(may);
        }
      }),
      RUNS,
    );
  });
});

/** Only a change of facts or settings ends these. */
const LASTING = [
  'opted_out',
  'inactive',
  'stage',
  'product_off',
  'no_firsts',
  'talked',
  'no_contact',
  'no_link',
  'limit_zero',
  'address_busy',
  'person_known',
  'first_refused',
  'no_hours',
  'channel',
  'no_dialogue',
  'no_pings',
  'pings_off',
  'human',
  'never_wrote',
  'outgoing',
  'answer_first',
  'last_failed',
  'skipped',
  'finished',
];

describe('a lead that waits', () => {
  it('is told an instant that is still to come, or a reason that no time ends', () => {
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        for (const one of plan(given, set, NOW).filter(isWait)) {
          if (one.until === null) expect(LASTING).toContain(one.why.code);
          else expect(one.until).toBeGreaterThan(NOW);
        }
      }),
      RUNS,
    );
  });

  it('misses nothing while it sleeps: before that instant nothing would have been decided', () => {
    fc.assert(
      fc.property(
        facts,
        settings,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (given, set, parts) => {
          const decisions = plan(given, set, NOW);
          // Those in line are looked at together, when the first of them may go.
          const inLine = decisions.filter(isWait).filter((one) => one.line !== null);
          const lineUntil = Math.min(...inLine.map((one) => one.until ?? Number.POSITIVE_INFINITY));
          for (const one of decisions.filter(isWait)) {
            if (one.line !== null && decisions.some(isFirst)) continue;
            const until = one.line === null ? (one.until ?? Number.POSITIVE_INFINITY) : lineUntil;
            const end = Math.min(until, NOW + 15 * DAY);
            const looks = [...parts.map((part) => Math.floor(NOW + part * (end - NOW - 1))), end - 1];
            for (const at of looks) {
              const then = planAt(given, set, at).find((other) => other.leadId === one.leadId);
              expect([at, then?.kind]).toEqual([at, 'wait']);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is decided for at that instant, or told a later one, and is never stuck', () => {
    fc.assert(
      fc.property(facts, settings, (given, set) => {
        for (const one of plan(given, set, NOW).filter(isWait)) {
          let until = one.until;
          for (let steps = 0; until !== null; steps++) {
            const at: number = until;
            const then = planAt(given, set, at).find((other) => other.leadId === one.leadId);
            if (!then || !isWait(then)) break;
            if (then.until === null) {
              expect(LASTING).toContain(then.why.code);
              break;
            }
            expect(then.until).toBeGreaterThan(at);
            until = then.until;
            // Others stay before it for ever here, where nobody is sent to: a day's look each, and no busy loop.
            if (then.line !== null && steps > 20) break;
            expect(steps).toBeLessThan(40);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});
