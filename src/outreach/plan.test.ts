/**
 * The plan as a pure function, for any facts and settings: what it may never decide, and that it never forgets a lead.
 */
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { optOutSources, optOutStates } from '../leads/personOptOut.ts';
import { dayAt, instantAt } from '../platform/days.ts';
import { isZone } from '../platform/zones.ts';
import { quotaDay } from '../products/quotaDay.ts';
import type { ContactFacts, Counters, DialogueFacts, Facts, LeadFacts, LinkSettings, Settings } from './facts.ts';
import { type Decision, plan, type Wait } from './plan.ts';
import { reasonText } from './reason.ts';
import { isOpen } from './workingHours.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A week before clocks change in Europe. */
const NOW = Date.UTC(2026, 2, 22, 12);

const TYPES = ['telegram', 'whatsapp'] as const;
const type = fc.constantFrom(...TYPES);
/** Instants around NOW; often the same ones, so that ties occur too. */
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

/** The given value in four cases of five. */
const mostly = (is: boolean): fc.Arbitrary<boolean> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(is) }, { weight: 1, arbitrary: fc.constant(!is) });

const contact = (id: number): fc.Arbitrary<ContactFacts> =>
  fc.record({
    id: fc.constant(id),
    address: fc.constantFrom('79990000001', '79990000002'),
    type,
    since: past,
    refused: fc.boolean().map((is) => is && id % 3 === 0),
    contactedAsLeadId: fc.oneof(
      { weight: 12, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(1, 2, 99) },
    ),
    addressTakenOn: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([1, 2, 3])),
    addressRefusal: fc.oneof(
      { weight: 14, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constant({ code: 'too_long', number: '790000000001', country: 'RU' } as const) },
    ),
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
      stepBefore: fc.integer({ min: 0, max: 48 }),
      skipFor: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
      addressRefusal: fc.constant(null),
    })
    .map(({ lastAt, last, anchorAt, stepBefore, ...rest }) => ({
      id,
      ...rest,
      // Our last message is that step itself, or was sent after it.
      stepAt: rest.stepsDone > 0 && last !== null ? lastAt - stepBefore * HOUR : null,
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
    personOptOut: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.record({
          state: fc.constantFrom(...optOutStates),
          source: fc.constantFrom(...optOutSources),
          since: fc.constant(0),
        }),
      },
    ),
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
    hasConversation: mostly(false),
    dialogue: fc.option(dialogue(id), { freq: 8 }),
    lastUserAt: fc.option(past),
    owesAnswer: mostly(false),
    answeredAt: fc.option(past),
    humanOwned: mostly(false),
  });

const link = (channelId: number): fc.Arbitrary<LinkSettings> =>
  fc
    .record({
      type,
      since: past,
      canWriteFirst: mostly(true),
      blockReason: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constant('It rests')),
      resumesAt: fc.option(fc.integer({ min: 1, max: DAY }).map((ms) => NOW + ms)),
      ramp: fc.oneof(
        { weight: 2, arbitrary: fc.constant(null) },
        {
          weight: 1,
          arbitrary: fc.record({ start: fc.integer({ min: 0, max: 3 }), step: fc.integer({ min: 0, max: 2 }) }),
        },
      ),
      firstSentAt: fc.option(fc.integer({ min: 0, max: 5 }).map((days) => NOW - days * DAY)),
    })
    .map((one) => ({ channelId, name: `Channel ${channelId}`, ...one, resumesAt: one.blockReason && one.resumesAt }));

const settings: fc.Arbitrary<Settings> = fc.record({
  productId: fc.constant(1),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'),
  longDay: fc.option(
    fc.record({
      from: fc.integer({ min: 1, max: 30 }).map((hours) => NOW - hours * HOUR),
      until: fc.integer({ min: -5, max: 30 }).map((hours) => NOW + hours * HOUR),
    }),
    { freq: 2 },
  ),
  isActive: mostly(true),
  isPaused: mostly(false),
  expiresHours: fc.constantFrom(0, 0, 48, 200),
  firstMessages: fc.option(
    fc.record({
      limits: fc.record({ telegram: fc.integer({ min: 0, max: 6 }), whatsapp: fc.integer({ min: 0, max: 6 }) }),
      previousLimits: fc.option(
        fc.record({
          limits: fc.record({ telegram: fc.integer({ min: 0, max: 3 }), whatsapp: fc.integer({ min: 0, max: 3 }) }),
          until: fc.integer({ min: -5, max: 30 }).map((hours) => NOW + hours * HOUR),
        }),
        { freq: 3 },
      ),
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
    isSending: mostly(false),
    sent: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
    telegram: fc.integer({ min: 0, max: 2 }),
    whatsapp: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ lastAt, lastLeadId, isSending, sent, telegram, whatsapp }) => ({
    lastAt,
    lastLeadId: lastAt && lastLeadId,
    isSending,
    sentTodayByChannel: new Map(sent.map((count, index) => [index + 1, count])),
    sentTodayByType: { telegram, whatsapp },
  }));

/** Counters of a product that has sent nothing yet. */
const NONE: Counters = {
  lastAt: null,
  lastLeadId: null,
  isSending: false,
  sentTodayByChannel: new Map(),
  sentTodayByType: { telegram: 0, whatsapp: 0 },
};

const facts: fc.Arbitrary<Facts> = fc.record({
  leads: fc.tuple(...[1, 2, 3, 4, 5, 6].map(lead)),
  counters,
});

/** Leads of which nearly all could get a first message now, so that there is a queue. */
const manyLeads: fc.Arbitrary<Facts> = facts.map(({ leads, counters: shared }) => ({
  leads: leads.map((one) => ({ ...one, isActive: true, stage: 'initial' as const, hasConversation: false })),
  counters: { ...shared, isSending: shared.isSending && shared.sentTodayByChannel.get(1) === 0 },
}));
const open: fc.Arbitrary<Settings> = settings.map((one) => ({ ...one, isActive: true, isPaused: false, hours: null }));

/** Move facts to a later instant: a new day has sent nothing yet. `settingsAt` resumes channels whose pause is over. */
function factsAt(input: Facts, set: Settings, at: number): Facts {
  if (at < quotaDay(set, NOW).until) return input;
  return {
    ...input,
    counters: { ...input.counters, sentTodayByChannel: new Map(), sentTodayByType: { telegram: 0, whatsapp: 0 } },
  };
}
function settingsAt(input: Settings, at: number): Settings {
  const resumed = (one: LinkSettings) =>
    one.resumesAt !== null && one.resumesAt <= at ? { ...one, blockReason: null, resumesAt: null } : one;
  return { ...input, links: input.links.map(resumed) };
}
const planAt = (input: Facts, set: Settings, at: number) => plan(factsAt(input, set, at), settingsAt(set, at), at);

const RUNS = { numRuns: 1500 };
const isFirst = (one: Decision) => one.kind === 'first';
const isWait = (one: Decision): one is Wait => one.kind === 'wait';

/** Pair every lead with its one decision. */
function decideEach(input: Facts, set: Settings): { lead: LeadFacts; decision: Decision }[] {
  const decisions = plan(input, set, NOW);
  return input.leads.map((one) => {
    const own = decisions.filter((decision) => decision.leadId === one.id);
    const [decision] = own;
    if (!decision || own.length > 1) throw new Error(`${own.length} decisions for lead ${one.id}`);
    return { lead: one, decision };
  });
}

const FOLLOWED_UP_STAGES = ['started', 'ongoing', 'pending'];

function isInHours(one: LeadFacts, { hours }: Settings): boolean {
  return !hours || isOpen(hours.week, one.zone !== null && isZone(one.zone) ? one.zone : hours.zone, NOW);
}

/** Compute the due time of the next step, with a formula different from the plan's. */
function stepDueAt(d: DialogueFacts | null, minutes: number): number {
  if (!d?.last) return Number.NaN;
  const counted =
    (d.stepsDone > 0 ? (d.stepAt ?? d.last.at) : d.anchor === 0 ? d.createdAt : (d.anchorAt ?? 0)) / MINUTE;
  const sincePrevious = counted + minutes - d.last.at / MINUTE;
  return sincePrevious < Math.min(minutes, 15)
    ? d.last.at + Math.min(minutes, 15) * MINUTE
    : (counted + minutes) * MINUTE;
}

describe('the plan, for any facts', () => {
  it('decides once for each lead, whatever their order', () => {
    const cases = { first: 0, ping: 0, expire: 0, wait: 0 };
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        const forward = decideEach(input, set);
        for (const { decision } of forward) cases[decision.kind]++;
        const backward = decideEach({ ...input, leads: input.leads.toReversed() }, set).toReversed();
        expect(backward).toEqual(forward);
      }),
      RUNS,
    );
    // The properties below would also hold for a plan that decides nothing.
    expect(Math.min(...Object.values(cases))).toBeGreaterThan(20);
  });

  it('decides nothing for inactive leads, skipped follow-ups, inactive products, outside hours or while paused', () => {
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        for (const { lead: one, decision } of decideEach(input, set)) {
          if (isWait(decision)) continue;
          expect([one.isActive, set.isActive]).toEqual([true, true]);
          expect(isFirst(decision) ? ['initial'] : FOLLOWED_UP_STAGES).toContain(one.stage);
          if (decision.kind === 'expire') continue;
          expect([isInHours(one, set), set.isPaused]).toEqual([true, false]);
          // Nothing unsolicited for a person who wants no more messages, or may.
          expect(one.personOptOut).toBe(null);
        }
      }),
      RUNS,
    );
  });

  it('decides a first message only for allowed leads on allowed channels', () => {
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        for (const { lead: one, decision } of decideEach(input, set)) {
          if (decision.kind !== 'first') continue;
          const to = one.contacts.find((each) => each.id === decision.contactId);
          const by = set.links.find((each) => each.channelId === decision.channelId);
          expect([one.hasConversation, one.humanOwned]).toEqual([false, false]);
          expect(one.contacts.filter((each) => each.refused).length).toBeLessThan(2);
          expect(
            one.contacts.every((each) => each.contactedAsLeadId === null || each.contactedAsLeadId === one.id),
          ).toBe(true);
          expect(to).toMatchObject({ refused: false, type: by?.type });
          expect(to?.addressTakenOn).not.toContain(decision.channelId);
          expect(by).toMatchObject({ canWriteFirst: true, blockReason: null });
          // Due at the time of the settings, after everything that makes the lead eligible.
          expect(decision.dueAt).toBeLessThanOrEqual(NOW);
          expect(decision.dueAt).toBeGreaterThanOrEqual(Math.max(one.eligibleSince, to?.since ?? NOW));
          const due = instantAt(set.zone, dayAt(set.zone, decision.dueAt), set.firstMessages?.sendAt);
          expect(decision.dueAt).toBe(due);
        }
      }),
      RUNS,
    );
  });

  it("decides no first message before its day's send_at, at any instant that it names", () => {
    let compared = 0;
    fc.assert(
      fc.property(manyLeads, settings, (input, set) => {
        const instants = plan(input, set, NOW).flatMap((one) => (isWait(one) && one.until !== null ? [one.until] : []));
        for (const at of [NOW, ...instants])
          for (const decision of planAt(input, set, at)) {
            if (decision.kind !== 'first') continue;
            compared++;
            expect(at).toBeGreaterThanOrEqual(instantAt(set.zone, dayAt(set.zone, at), set.firstMessages?.sendAt));
          }
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(200);
  });

  it('decides no more first messages than limits, warm-up and interval allow', () => {
    fc.assert(
      fc.property(manyLeads, open, (input, set) => {
        const firsts = plan(input, set, NOW).filter((one) => one.kind === 'first');
        if (firsts.length === 0 || !set.firstMessages) return;
        const by = (one: { channelId: number }) => set.links.find((each) => each.channelId === one.channelId);
        for (const each of TYPES) {
          const more = firsts.filter((one) => by(one)?.type === each).length;
          const { limits, previousLimits } = set.firstMessages;
          const most =
            previousLimits && NOW < previousLimits.until
              ? Math.min(limits[each], previousLimits.limits[each])
              : limits[each];
          if (more > 0) expect(input.counters.sentTodayByType[each] + more).toBeLessThanOrEqual(most);
        }
        for (const each of set.links) {
          const more = firsts.filter((one) => one.channelId === each.channelId).length;
          if (more === 0 || !each.ramp) continue;
          const days = dayAt(set.zone, NOW) - dayAt(set.zone, each.firstSentAt ?? NOW);
          const most = each.ramp.start + each.ramp.step * days;
          expect((input.counters.sentTodayByChannel.get(each.channelId) ?? 0) + more).toBeLessThanOrEqual(most);
        }
        if (set.firstMessages.intervalSeconds === 0) return;
        expect(firsts.length).toBe(1);
        expect(input.counters.isSending).toBe(false);
        const since = NOW - (input.counters.lastAt ?? Number.NEGATIVE_INFINITY);
        expect(since).toBeGreaterThanOrEqual(set.firstMessages.intervalSeconds * 1000);
      }),
      RUNS,
    );
  });

  it('orders first messages by their due times', () => {
    fc.assert(
      fc.property(manyLeads, open, (input, set) => {
        const all = decideEach(input, set);
        const firstMessages = all.flatMap(({ lead: one, decision }) =>
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
          if (!isWait(decision) || decision.queue === null) continue;
          const { queue, reason } = decision;
          // A lead whose channels are paused or used up for the day delays nobody behind it.
          if (reason.code !== 'interval' && reason.code !== 'line' && reason.code !== 'limit') continue;
          for (const other of firstMessages)
            if (other.type === queue.type) expect(other.dueAt - queue.dueAt || other.id - one.id).toBeLessThan(0);
        }
      }),
      RUNS,
    );
  });

  it('decides a follow-up only where we wrote last, exactly at its time', () => {
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        for (const { lead: one, decision } of decideEach(input, set)) {
          const d = one.dialogue;
          if (isWait(decision) && decision.reason.code === 'step') {
            const step = set.pings?.steps[d?.stepsDone ?? 0];
            expect(stepDueAt(d, step?.after_minutes ?? 0)).toBeGreaterThan(NOW);
          }
          if (decision.kind !== 'ping') continue;
          expect([one.humanOwned, set.pings?.isEnabled, d?.outgoing]).toEqual([false, true, false]);
          expect(d?.last).toMatchObject({ ours: true, failed: false });
          expect(d?.skipFor).not.toBe(d?.last?.id);
          expect(decision).toMatchObject({ dialogueId: d?.id, anchor: d?.anchor });
          expect(decision.step).toEqual(set.pings?.steps[d?.stepsDone ?? -1]);
          expect(NOW).toBeGreaterThanOrEqual(stepDueAt(d, decision.step.after_minutes));
          if (d?.anchor === 0) expect(set.pings?.onNoReply).toBe(true);
          if (set.expiresHours > 0 && one.answeredAt !== null && !one.owesAnswer)
            expect(one.answeredAt + set.expiresHours * HOUR).toBeGreaterThan(NOW);
        }
      }),
      RUNS,
    );
  });

  it('expires a lead its hours after our answer, and not while an answer is owed or a human owns it', () => {
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        for (const { lead: one, decision } of decideEach(input, set)) {
          const over =
            set.expiresHours > 0 && one.answeredAt !== null && one.answeredAt + set.expiresHours * HOUR <= NOW;
          const may =
            over &&
            !one.owesAnswer &&
            !one.humanOwned &&
            one.isActive &&
            set.isActive &&
            FOLLOWED_UP_STAGES.includes(one.stage);
          expect(decision.kind === 'expire').toBe(may);
        }
      }),
      RUNS,
    );
  });
});

/** Reasons that only a change of facts or settings ends. */
const PERMANENT_REASONS = [
  'opted_out',
  'person_opted_out',
  'person_may_opt_out',
  'inactive',
  'stage',
  'product_off',
  'paused',
  'no_firsts',
  'talked',
  'no_contact',
  'invalid_address',
  'no_link',
  'limit_zero',
  'address_busy',
  'person_known',
  'first_refused',
  'no_hours',
  'send_at_closed',
  'channel',
  'no_dialogue',
  'no_pings',
  'pings_off',
  'human',
  'never_wrote',
  'outgoing',
  'answer_first',
  'answered_elsewhere',
  'last_failed',
  'skipped',
  'finished',
];

describe('a lead that waits', () => {
  it('gets a future instant or a reason without an end', () => {
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        for (const one of plan(input, set, NOW).filter(isWait)) {
          if (one.until === null) expect(PERMANENT_REASONS).toContain(one.reason.code);
          else expect(one.until).toBeGreaterThan(NOW);
        }
      }),
      RUNS,
    );
  });

  it('misses nothing before that instant', () => {
    fc.assert(
      fc.property(
        facts,
        settings,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (input, set, parts) => {
          const decisions = plan(input, set, NOW);
          // Leads in the queue are evaluated together, when the first of them may go.
          const queued = decisions.filter(isWait).filter((one) => one.queue !== null);
          const queueUntil = Math.min(...queued.map((one) => one.until ?? Number.POSITIVE_INFINITY));
          for (const one of decisions.filter(isWait)) {
            if (one.queue !== null && decisions.some(isFirst)) continue;
            const until = one.queue === null ? (one.until ?? Number.POSITIVE_INFINITY) : queueUntil;
            const end = Math.min(until, NOW + 15 * DAY);
            const instants = [...parts.map((part) => Math.floor(NOW + part * (end - NOW - 1))), end - 1];
            for (const at of instants) {
              const then = planAt(input, set, at).find((other) => other.leadId === one.leadId);
              expect([at, then?.kind]).toEqual([at, 'wait']);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is decided at that instant or deferred further, and never stuck', () => {
    fc.assert(
      fc.property(facts, settings, (input, set) => {
        for (const one of plan(input, set, NOW).filter(isWait)) {
          let until = one.until;
          for (let steps = 0; until !== null; steps++) {
            const at: number = until;
            const then = planAt(input, set, at).find((other) => other.leadId === one.leadId);
            if (!then || !isWait(then)) break;
            if (then.until === null) {
              expect(PERMANENT_REASONS).toContain(then.reason.code);
              break;
            }
            expect(then.until).toBeGreaterThan(at);
            until = then.until;
            // Nothing is sent here, so others stay ahead in the queue: the lead is evaluated once a day, not in a busy
            // loop.
            if (then.queue !== null && steps > 20) break;
            expect(steps).toBeLessThan(40);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('a step of the follow-ups', () => {
  const [input] = fc.sample(lead(1), { numRuns: 1, seed: 1 });
  const [base] = fc.sample(settings, { numRuns: 1, seed: 1 });
  const step = (after_minutes: number, step_number: number) => ({
    step_number,
    after_minutes,
    prepared_message_id: 1,
    prompt_id: null,
    document_type: null,
  });
  /** Compute when the next step is due for a dialogue, in minutes since its creation at NOW. */
  function due(minutes: readonly number[], d: Partial<DialogueFacts> & { lastAt: number }): number | null {
    if (!input || !base) throw new Error('Nothing was made up');
    const { lastAt, ...rest } = d;
    const one: LeadFacts = {
      ...input,
      isActive: true,
      personOptOut: null,
      stage: 'ongoing',
      zone: null,
      humanOwned: false,
      dialogue: {
        id: 1,
        createdAt: NOW,
        anchor: 0,
        anchorAt: null,
        last: { id: 9, ours: true, failed: false, at: NOW + lastAt * MINUTE },
        outgoing: false,
        outgoingAt: null,
        stepsDone: 0,
        stepAt: null,
        skipFor: null,
        addressRefusal: null,
        ...rest,
      },
    };
    const set: Settings = {
      ...base,
      isActive: true,
      isPaused: false,
      expiresHours: 0,
      hours: null,
      pings: {
        configId: 1,
        isEnabled: true,
        onNoReply: true,
        steps: minutes.map((each, index) => step(each, index + 1)),
      },
    };
    const [result] = plan(
      {
        leads: [one],
        counters: NONE,
      },
      set,
      NOW,
    );
    return result?.kind === 'wait' && result.until !== null ? (result.until - NOW) / MINUTE : null;
  }

  it("is due its minutes after the lead's last message", () => {
    const wrote = { anchor: 7, anchorAt: NOW + 10 * MINUTE };
    expect(due([60], { ...wrote, lastAt: 11 })).toBe(70);
    expect(due([60], { ...wrote, lastAt: 55 })).toBe(70);
  });

  it("is due its minutes after the dialogue's creation where the lead never wrote", () => {
    expect(due([60], { lastAt: 20 })).toBe(60);
  });

  it('leaves 15 minutes after our late answer, or its own minutes where fewer', () => {
    const wrote = { anchor: 7, anchorAt: NOW };
    expect(due([60], { ...wrote, lastAt: 50 })).toBe(65);
    expect(due([60], { ...wrote, lastAt: 900 })).toBe(915);
    expect(due([5], { ...wrote, lastAt: 900 })).toBe(905);
  });

  it('counts from when the previous step was sent', () => {
    const wrote = { anchor: 7, anchorAt: NOW, stepsDone: 1 };
    expect(due([60, 120], { ...wrote, stepAt: NOW + 500 * MINUTE, lastAt: 500 })).toBe(620);
  });
});

describe("the time for first messages, 'Send at'", () => {
  const [someone] = fc.sample(lead(1), { numRuns: 1, seed: 1 });
  const [base] = fc.sample(settings, { numRuns: 1, seed: 1 });
  /** Compute when a lead that became eligible at `since` is due, for a product with this zone and time. */
  function dueAt(zone: string, sendAt: number, since: number): number {
    const [one] = base?.links ?? [];
    if (!someone || !base || !one) throw new Error('Nothing was made up');
    const contact = {
      id: 1,
      address: '1',
      type: one.type,
      since: 0,
      refused: false,
      contactedAsLeadId: null,
      addressTakenOn: [],
      addressRefusal: null,
    };
    const fresh = {
      isActive: true,
      personOptOut: null,
      stage: 'initial' as const,
      zone: null,
      hasConversation: false,
      humanOwned: false,
    };
    const facts = { leads: [{ ...someone, ...fresh, eligibleSince: since, contacts: [contact] }], counters: NONE };
    const limits = { telegram: 1, whatsapp: 1 };
    const firstMessages = { limits, previousLimits: null, intervalSeconds: 0, jitterSeconds: 0, sendAt };
    const links = [{ ...one, since: 0, canWriteFirst: true, blockReason: null, resumesAt: null, ramp: null }];
    const set = { ...base, zone, longDay: null, isActive: true, isPaused: false, hours: null, firstMessages, links };
    const [decision] = plan(facts, set, since);
    if (decision?.kind === 'first') return decision.dueAt;
    if (decision?.kind !== 'wait' || decision.until === null) throw new Error('It never falls due');
    return decision.until;
  }

  it("is the next one in the product's time zone, across clock changes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'UTC',
          'Europe/Moscow',
          'Europe/Berlin',
          'America/Havana',
          'Australia/Lord_Howe',
          'Pacific/Chatham',
        ),
        fc.integer({ min: 0, max: 1439 }),
        fc.integer({ min: 0, max: 365 * 24 * 60 }).map((minutes) => Date.UTC(2026, 0, 1) + minutes * MINUTE),
        (zone, sendAt, since) => {
          const due = dueAt(zone, sendAt, since);
          expect(due).toBeGreaterThanOrEqual(since);
          // No earlier instant since then shows that time.
          const clock = Temporal.Instant.fromEpochMilliseconds(due).toZonedDateTimeISO(zone);
          const day = clock.toPlainDate();
          const expected = day.toPlainDateTime({ hour: Math.floor(sendAt / 60), minute: sendAt % 60 });
          const isAtSendTime = clock.toPlainDateTime().equals(expected);
          const swallowed = instantAt(zone, dayAt(zone, due), sendAt) === due;
          expect(isAtSendTime || swallowed).toBe(true);
          expect(due - since).toBeLessThan(26 * HOUR);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('becomes the instant of the change when it does not exist that day', () => {
    // Sunday 2026-03-29 in Berlin: 01:59 is followed by 03:00.
    const before = Date.UTC(2026, 2, 28, 23, 30);
    expect(new Date(dueAt('Europe/Berlin', 150, before)).toISOString()).toBe('2026-03-29T01:00:00.000Z');
  });

  it('is the first of two when it occurs twice that day', () => {
    const before = Date.UTC(2026, 9, 24, 22, 30);
    expect(new Date(dueAt('Europe/Berlin', 150, before)).toISOString()).toBe('2026-10-25T00:30:00.000Z');
  });
});

it('writes the counts of reasons in the singular and the plural', () => {
  const texts = [1, 3].flatMap((count) => [
    reasonText({ code: 'finished', steps: count }),
    reasonText({ code: 'limit', type: 'telegram', limit: count }),
  ]);
  expect(texts).toEqual([
    'The only follow-up was sent',
    "Today's limit of 1 first message on Telegram is reached",
    'All 3 follow-ups were sent',
    "Today's limit of 3 first messages on Telegram is reached",
  ]);
});
