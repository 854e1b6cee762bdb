/** The engine in memory beyond what the rehearsal and simulated months show. */
import { expect, it } from 'vitest';
import type { SendOutcome } from '../../channels/driver.ts';
import { leadOf as lead, linkOf as link, NO_QUOTA, NOON, settingsOf as settings } from '../../testing/memoryLeads.ts';
import type { LeadFacts } from '../facts.ts';
import type { ChannelOptions } from './channels.ts';
import { MemoryEngine } from './engine.ts';
import type { MemoryMessage } from './rows.ts';
import type { EngineInput } from './state.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const accepted: SendOutcome = { kind: 'accepted', messageId: null, chatId: null };
const rejected = (about: 'passing' | 'channel' | 'recipient'): SendOutcome => ({
  kind: 'rejected',
  about,
  code: 'NO',
  reason: 'No',
  retryAfterSeconds: 5,
});

/** Run an engine and return its messages: lead, status, minutes after noon. */
function createEngine(leads: readonly LeadFacts[], input: Partial<EngineInput> = {}) {
  const log: string[] = [];
  const note = ({ leadId, state: { status }, text }: MemoryMessage) =>
    log.push(`${leadId} ${text} ${status} ${(engine.now - NOON) / MINUTE}`);
  const engine: MemoryEngine = new MemoryEngine({
    leads,
    counters: NO_QUOTA,
    settings: settings([link()]),
    from: NOON,
    texts: { first: () => 'Hello', followUp: () => 'Still there?', reply: () => 'One.\n\nTwo.' },
    debounceSeconds: 30,
    observer: { settled: note },
    ...input,
  });
  return { engine, log };
}

it('waits for a paused channel and then sends', () => {
  const links = [link({ blockReason: 'It rests', resumesAt: NOON + 10 * MINUTE })];
  const { engine, log } = createEngine([lead(1)], { settings: settings(links) });
  engine.runUntil(NOON + DAY);
  expect(log).toEqual(['1 Hello sent 10', '1 Still there? sent 70']);
});

it('writes to those whose hours have begun, also if many wait before them whose hours begin later', () => {
  const week = Array.from({ length: 7 }, () => ({ start: 9 * 60, end: 18 * 60 }));
  const [before, last] = [NOON - 3 * DAY, NOON - 2 * DAY];
  const far = Array.from({ length: 60 }, (_, place) => ({
    ...lead(place + 1),
    zone: 'America/New_York',
    eligibleSince: before,
  }));
  const { engine, log } = createEngine([...far, { ...lead(61), eligibleSince: last }], {
    // The limit of the first day is used up before the hours of any begin.
    counters: { ...NO_QUOTA, sentTodayByType: { telegram: 0, whatsapp: 1 } },
    settings: { ...settings([link()], 1), hours: { week, zone: 'UTC' }, pings: null },
  });
  engine.runUntil(NOON + DAY);
  expect(log).toEqual([`61 Hello sent ${21 * 60}`]);
});

it('answers a burst once, in parts, and starts the follow-ups again', () => {
  const { engine, log } = createEngine([lead(1)]);
  engine.runUntil(NOON + 30 * MINUTE);
  engine.receive(1, 'How much?');
  engine.receive(1, 'And when?');
  engine.runUntil(NOON + DAY);
  expect(log).toEqual(['1 Hello sent 0', '1 One. sent 30.5', '1 Two. sent 30.5', '1 Still there? sent 90']);
});

/** A lead of the same person as lead 1, who has not been written to. */
const samePerson = (id: number): LeadFacts => ({ ...lead(id), isActive: true, contacts: lead(1).contacts });
const OPT_OUT = { state: 'certain', source: 'words', since: NOON - DAY } as const;

it('writes nothing first to a person who wants no more messages, or may', () => {
  const { engine, log } = createEngine([
    { ...lead(1), personOptOut: OPT_OUT },
    { ...lead(2), personOptOut: { ...OPT_OUT, state: 'doubtful' } },
    lead(3),
  ]);
  engine.runUntil(NOON + DAY);
  expect(log.map((line) => line.slice(0, 7))).toEqual(['3 Hello', '3 Still']);
  expect([1, 2].map((id) => engine.leads.get(id)?.reason.code)).toEqual(['person_opted_out', 'person_may_opt_out']);
});

it('holds what nobody asked for while it is open whether a lead wants no more messages', () => {
  const texts = { first: () => 'Hello', followUp: () => 'Still there?', reply: () => null };
  const { engine, log } = createEngine([lead(1)], { texts });
  engine.runUntil(NOON + MINUTE);
  engine.receive(1, 'No more messages about this');
  const [request] = engine.runUntil(NOON + DAY);
  expect(engine.leads.get(1)?.facts.personOptOut?.state).toBe('doubtful');
  if (!request) throw new Error('No answer was asked for');
  engine.write(request, { kind: 'text', text: 'From 4200.' });
  expect(engine.leads.get(1)?.facts.personOptOut).toBe(null);
  engine.runUntil(NOON + DAY);
  expect(log.some((line) => line.startsWith('1 Still there? sent'))).toBe(true);
});

it.each([
  ['the model says so', { kind: 'stop' }, []],
  ['the bot promises it', { kind: 'text', text: 'We will not write again.' }, ['1 We will not write again. sent']],
] as const)('is silent when a lead hints at it and %s', (_what, written, answers) => {
  const texts = { first: () => 'Hello', followUp: () => 'Still there?', reply: () => null };
  const { engine, log } = createEngine([lead(1), samePerson(2)], { texts });
  engine.runUntil(NOON + MINUTE);
  engine.receive(1, 'No more messages about this');
  const [request] = engine.runUntil(NOON + DAY);
  if (!request) throw new Error('No answer was asked for');
  engine.write(request, written);
  engine.runUntil(NOON + DAY);
  expect(log.slice(1).map((line) => line.replace(/ [\d.]+$/, ''))).toEqual(answers);
  expect([1, 2].map((id) => engine.leads.get(id)?.facts.personOptOut?.state)).toEqual(['certain', 'certain']);
});

it('leaves a lead without such a hint to people when the model says it', () => {
  const texts = { first: () => 'Hello', followUp: () => 'Still there?', reply: () => null };
  const { engine, log } = createEngine([lead(1)], { texts });
  engine.runUntil(NOON + MINUTE);
  engine.receive(1, 'What does a kitchen cost?');
  const [request] = engine.runUntil(NOON + DAY);
  if (!request) throw new Error('No answer was asked for');
  engine.write(request, { kind: 'stop' });
  engine.runUntil(NOON + DAY);
  expect(log).toHaveLength(1);
  expect(engine.leads.get(1)?.facts).toMatchObject({ isActive: true, personOptOut: { state: 'doubtful' } });
});

it("sends what a model has written as the messenger shows it, and the team's texts as typed", () => {
  const { engine, log } = createEngine([lead(1)], {
    texts: { first: () => '**Hello**', followUp: () => '**Still there?**', reply: () => '**From** 4200 €, 5* rooms.' },
  });
  engine.runUntil(NOON);
  engine.receive(1, 'How much?');
  engine.runUntil(NOON + DAY);
  expect(log).toEqual(['1 **Hello** sent 0', '1 *From* 4200 €, 5* rooms. sent 0.5', '1 **Still there?** sent 60']);
});

it('is silent after an opt-out, a hand-over and a deactivation', () => {
  const { engine, log } = createEngine([lead(1), lead(2), lead(3)]);
  engine.runUntil(NOON);
  engine.receive(1, 'Stop writing to me');
  engine.setOwner(2, 'human');
  engine.receive(2, 'Hello?');
  engine.deactivate(3);
  engine.runUntil(NOON + 20 * MINUTE);
  expect(log).toEqual(['1 Hello sent 0', '2 Hello sent 0', '3 Hello sent 0']);
  engine.setOwner(2, 'bot');
  engine.runUntil(NOON + 50 * MINUTE);
  expect(log.slice(3)).toEqual(['2 One. sent 20', '2 Two. sent 20']);
});

it('repeats what was refused for a moment, and returns its quota meanwhile', () => {
  const outcomes = [rejected('passing')];
  const { engine, log } = createEngine([lead(1), lead(2)], {
    settings: settings([link()], 1),
    send: () => outcomes.pop() ?? accepted,
  });
  engine.runUntil(NOON + 30 * MINUTE);
  expect(log).toEqual(['1 Hello scheduled 0', '2 Hello sent 0']);
  engine.runUntil(NOON + 13 * 60 * MINUTE);
  expect(log.slice(2)).toEqual(['2 Still there? sent 60', '1 Hello sent 720', '1 Still there? sent 735']);
});

it('stops the first messages of a channel that rejects, and does not repeat one without a recipient', () => {
  const outcomes = [rejected('channel'), rejected('recipient')];
  const { engine, log } = createEngine([lead(1), lead(2), lead(3)], { send: () => outcomes.pop() ?? accepted });
  engine.runUntil(NOON + DAY);
  expect(log).toEqual(['1 Hello error 0', '2 Hello scheduled 0']);
  expect(engine.leads.get(1)?.reason).toEqual({ code: 'first_refused' });
  expect(engine.leads.get(3)?.reason).toMatchObject({ code: 'channel' });
});

it('sends one message a minute by an account that takes no more, and waits while a channel is off', () => {
  const channels = new Map<number, ChannelOptions>([[1, { vendor: 'chatpush' }]]);
  const { engine, log } = createEngine([lead(1), lead(2)], { channels });
  engine.runUntil(NOON + 59 * MINUTE);
  expect(log).toEqual(['1 Hello sent 0', '2 Hello sent 1']);
  engine.setChannelActive(1, false);
  engine.runUntil(NOON + 90 * MINUTE);
  expect(log).toHaveLength(2);
  engine.setChannelActive(1, true);
  engine.runUntil(NOON + 100 * MINUTE);
  expect(log.slice(2)).toEqual(['1 Still there? sent 90', '2 Still there? sent 91']);
});

/** The texts of this engine are written by somebody else. */
const ASKED = { first: () => 'Hello', followUp: () => null, reply: () => null };

it('asks for a text, stands still until it is there, and goes on with what is still wanted', () => {
  const { engine, log } = createEngine([lead(1)], { texts: ASKED });
  expect(engine.runUntil(NOON + 30 * MINUTE)).toEqual([]);
  engine.receive(1, 'How much?');
  const [request] = engine.runUntil(NOON + DAY);
  if (!request) throw new Error('Nothing was asked for');
  expect(request).toEqual({ kind: 'reply', leadId: 1, turn: 1 });
  expect(engine.now).toBe(NOON + 30.5 * MINUTE);
  expect(engine.runUntil(NOON + DAY)).toEqual([request]);
  expect(engine.now).toBe(NOON + 30.5 * MINUTE);
  engine.write(request, { kind: 'text', text: 'A hundred.\n\nDo you want one?' });
  const [followUp] = engine.runUntil(NOON + DAY);
  expect(followUp).toMatchObject({ kind: 'follow_up', step: 1 });
  if (followUp) engine.write(followUp, { kind: 'text', text: 'Still there?' });
  expect(engine.runUntil(NOON + DAY)).toEqual([]);
  expect(log).toEqual([
    '1 Hello sent 0',
    '1 A hundred. sent 30.5',
    '1 Do you want one? sent 30.5',
    '1 Still there? sent 90',
  ]);
});

it('drops a text that was asked for before the lead wrote again', () => {
  const { engine, log } = createEngine([lead(1)], { texts: ASKED });
  engine.runUntil(NOON);
  engine.receive(1, 'How much?');
  const [stale] = engine.runUntil(NOON + MINUTE);
  engine.receive(1, 'And when?');
  if (stale) engine.write(stale, { kind: 'text', text: 'A hundred.' });
  const [request] = engine.runUntil(NOON + 2 * MINUTE);
  if (request) engine.write(request, { kind: 'text', text: 'A hundred, tomorrow.' });
  const [followUp] = engine.runUntil(NOON + DAY);
  engine.receive(1, 'And two of them');
  if (followUp) engine.write(followUp, { kind: 'text', text: 'Still there?' });
  const [last] = engine.runUntil(NOON + DAY);
  expect(last).toMatchObject({ kind: 'reply', turn: 3 });
  expect(log).toEqual(['1 Hello sent 0', '1 A hundred, tomorrow. sent 1']);
});

it('hands over when the model asks for a human: the sentence leaves in one part, and nothing after it', () => {
  const { engine, log } = createEngine([lead(1)], { texts: ASKED });
  engine.runUntil(NOON);
  engine.receive(1, 'May I talk to somebody?');
  const [request] = engine.runUntil(NOON + DAY);
  const sentence = 'A colleague will write.\n\nSoon.';
  if (request) engine.write(request, { kind: 'hand_over', reason: 'asked_for_human', detail: null, sentence });
  expect(engine.runUntil(NOON + DAY)).toEqual([]);
  engine.receive(1, 'Hello?');
  expect(engine.runUntil(NOON + 2 * DAY)).toEqual([]);
  expect(log).toEqual(['1 Hello sent 0', `1 ${sentence} sent 0.5`]);
  expect(engine.leads.get(1)?.dialogue?.state).toMatchObject({
    owner: 'human',
    owner_reason: 'asked_for_human',
    hand_over_open: true,
  });
});

it('drops the sentence of a hand-over when a person sees to the dialogue, from the phone too', () => {
  const links = [link()];
  const hours = { week: [], zone: 'UTC' };
  const { engine, log } = createEngine([lead(1)], { texts: ASKED, settings: settings(links) });
  engine.runUntil(NOON);
  // Closed from here on: the sentence waits.
  engine.changeSettings({ ...settings(links), replyHours: 'working', hours });
  engine.receive(1, 'May I talk to somebody?');
  const [request] = engine.runUntil(NOON + 30 * MINUTE);
  if (request) engine.write(request, { kind: 'hand_over', reason: 'threatens', detail: null, sentence: 'One moment.' });
  expect(engine.leads.get(1)?.waiting).toHaveLength(1);
  engine.receiveFromPhone(1);
  engine.changeSettings(settings(links));
  engine.runUntil(NOON + DAY);
  expect(log).toEqual(['1 Hello sent 0']);
});

it('answers a person who writes in, and is silent from when a person of ours writes from the phone', () => {
  const { engine, log } = createEngine([], { texts: ASKED });
  engine.addLead({ ...lead(7), stage: 'ongoing' });
  engine.receiveFirst(7, { contactId: 7, channelId: 1 }, 'Do you have kitchens?');
  const [request] = engine.runUntil(NOON + DAY);
  if (request) engine.write(request, { kind: 'text', text: 'We do.' });
  engine.runUntil(NOON + 10 * MINUTE);
  engine.receiveFromPhone(7);
  engine.receive(7, 'Good.');
  expect(engine.runUntil(NOON + DAY)).toEqual([]);
  expect(log).toEqual(['7 We do. sent 0.5']);
});

it("ends a turn on 'ok, thanks', which is the lead's last word, unless something was asked", () => {
  const { engine, log } = createEngine([lead(1), lead(2)], { texts: ASKED });
  engine.runUntil(NOON);
  for (const [id, words] of [
    [1, 'A hundred.'],
    [2, 'A hundred. Shall we come on Friday?'],
  ] as const) {
    engine.receive(id, 'How much?');
    const [request] = engine.runUntil(NOON + MINUTE);
    if (request) engine.write(request, { kind: 'text', text: words });
  }
  for (const id of [1, 2]) engine.receive(id, 'ok, thanks');
  const requests = engine.runUntil(NOON + DAY);
  expect(requests).toMatchObject([{ kind: 'reply', leadId: 2 }]);
  expect(log.filter((line) => line.startsWith('1 '))).toEqual(['1 Hello sent 0', '1 A hundred. sent 0.5']);
  engine.setOwner(1, 'human');
  engine.setOwner(1, 'bot');
  expect(engine.leads.get(1)?.dialogue?.state.turn_due_at).toBe(null);
});

it('hands a dialogue over when another program is answered again and again', () => {
  const { engine, log } = createEngine([lead(1)], { texts: ASKED });
  engine.runUntil(NOON);
  for (let round = 1; round < 9; round++) {
    engine.receive(1, `Choose a section of our menu, please: ${round}`);
    const [request] = engine.runUntil(NOON + round * MINUTE);
    if (request) engine.write(request, { kind: 'text', text: `Answer ${round}` });
  }
  expect(log.slice(1)).toEqual(['1 Answer 1 sent 0.5', '1 Answer 2 sent 1', '1 Answer 3 sent 1.5']);
  expect(engine.leads.get(1)?.dialogue?.state).toMatchObject({ owner: 'human', owner_reason: 'robot' });
});

/** Leads expire after 48 hours; replies keep a week without a working day until the settings change. */
const CLOSED = { week: [], zone: 'UTC' };

it('expires no lead to whom an answer is owed, and counts its hours from the answer', () => {
  const links = [link()];
  const quiet = { ...settings(links), pings: null, expiresHours: 48 };
  const { engine, log } = createEngine([lead(1)], { settings: quiet });
  engine.runUntil(NOON);
  engine.changeSettings({ ...quiet, replyHours: 'working', hours: CLOSED });
  engine.receive(1, 'How much?');
  engine.runUntil(NOON + 5 * DAY);
  expect([log, engine.leads.get(1)?.facts.stage]).toEqual([['1 Hello sent 0'], 'ongoing']);
  engine.changeSettings(quiet);
  engine.runUntil(NOON + 7 * DAY - MINUTE);
  expect([log.length, engine.leads.get(1)?.facts.stage]).toEqual([3, 'ongoing']);
  engine.runUntil(NOON + 7 * DAY);
  expect(engine.leads.get(1)?.facts.stage).toBe('ignore');
});

it('stays silent when the dialogue is given back so, and answers the next message', () => {
  const { engine, log } = createEngine([lead(1)], { settings: { ...settings([link()]), pings: null } });
  engine.runUntil(NOON);
  engine.setOwner(1, 'human');
  engine.receive(1, 'How much?');
  engine.setOwner(1, 'bot', { staySilent: true });
  engine.runUntil(NOON + DAY / 2);
  engine.setOwner(1, 'human');
  engine.setOwner(1, 'bot');
  engine.runUntil(NOON + 2 * DAY);
  expect(log).toEqual(['1 Hello sent 0']);
  engine.receive(1, 'And when?');
  engine.runUntil(NOON + 3 * DAY);
  expect(log.slice(1)).toEqual(['1 One. sent 2880.5', '1 Two. sent 2880.5']);
});
