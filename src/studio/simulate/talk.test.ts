/** Simulated talks: how they go on, how they end, and that they are the same each time. */
import { expect, it, test } from 'vitest';
import type { WrittenText } from '../../outreach/memory/inbound.ts';
import { DEFAULT_PRODUCT_CONFIG } from '../../products/contract.ts';
import type { Persona } from '../personaContract.ts';
import { MAX_TURNS, planBeats } from './beats.ts';
import { createDraw } from './draw.ts';
import { findEngineFaults } from './engineFaults.ts';
import { plainWords } from './playFaults.ts';
import { runTalk, type Talk, type TalkInput } from './talk.ts';
import type { TalkWorld } from './talkWorld.ts';

const MONDAY = Date.UTC(2026, 2, 2, 9);
const HOUR = 3_600_000;

const day = { is_working_day: true, time_start: '09:00', time_end: '18:00' };
const off = { ...day, is_working_day: false };
const world = (more: Partial<TalkWorld> = {}): TalkWorld => ({
  from: MONDAY,
  timezone: 'UTC',
  config: {
    ...DEFAULT_PRODUCT_CONFIG,
    messaging_config: {
      tg_daily_limit: 10,
      whatsapp_daily_limit: 10,
      add_interval_seconds: 0,
      add_interval_jitter_seconds: 0,
      initial_message_send_at: '00:00',
      initial_message_text: 'Hello!',
      initial_message_prepared_message_id: null,
      initial_message_document_prompt_id: null,
    },
  },
  reply_hours: 'any',
  schedule: {
    timezone: 'Europe/Berlin',
    config: { days: { '0': day, '1': day, '2': day, '3': day, '4': day, '5': off, '6': off } },
  },
  pings: {
    id: 1,
    is_enabled: true,
    config: {
      use_on_no_init_msg_reply: true,
      steps: [60, 1440].map((after_minutes, index) => ({
        step_number: index + 1,
        after_minutes,
        prepared_message_id: null,
        prompt_id: null,
        document_type: null,
      })),
    },
  },
  channel: {
    type: 'whatsapp',
    vendor: 'wazzup24',
    can_write_first: true,
    delay_messages_symbols_per_second: null,
    delay_messages_seconds: 3,
  },
  hand_over: true,
  hand_over_text: 'A colleague will write.',
  detection_minutes: 10,
  first_message: 'Hello!',
  steps: [],
  texts: [],
  ...more,
});

const persona = (more: Partial<Persona> = {}) => ({
  questions: ['How much is it?', 'How long does it take?', 'Can I pay later?'],
  objections: ['That is too expensive.'],
  ending: 'buys' as const,
  ...more,
});

type Answer = (text: string) => WrittenText;
const OUTPUT = { text: '', hand_over: null, stage: null, tools: [] };
const ANSWER: Answer = (text) => ({ kind: 'text', text: `About that.\n\nYou wrote: ${text}` });

/** Run a talk in which the lead writes the plain words of its steps, and our side answers by a function. */
async function talkWith(
  played: ReturnType<typeof persona>,
  { answer = ANSWER, repeat = 0, ...more }: Partial<TalkInput<never>> & { answer?: Answer } = {},
): Promise<Talk & { asked: string[] }> {
  const draw = createDraw(`seed ${repeat}`);
  const asked: string[] = [];
  const ended = await runTalk<never>({
    world: world(),
    productId: 1,
    beats: planBeats(played, draw, repeat),
    repeat,
    draw,
    debounceSeconds: 20,
    firstMessage: 'Hello!',
    preparedSteps: new Map([1, 2].map((step) => [step, `Follow-up ${step}`])),
    voices: {
      answer: async ({ history }) => {
        const text = history.at(-1)?.text ?? '';
        asked.push(text);
        return { kind: 'said', value: { output: OUTPUT, written: answer(text), problem: null } };
      },
      followUp: async (step) => {
        const written = { kind: 'text', text: `Follow-up ${step}` } as const;
        return { kind: 'said', value: { output: OUTPUT, written, problem: null } };
      },
      play: async (_lines, beat) => ({ kind: 'said', value: plainWords(beat, 'en') }),
    },
    ...more,
  });
  return { ...ended.value, asked };
}

const texts = ({ lines }: Talk) => lines.map(({ side, text }) => `${side}: ${text}`);
const HUMAN: Answer = (text) =>
  /buy|human/.test(text)
    ? { kind: 'hand_over', reason: 'agrees_to_buy', detail: null, sentence: 'A colleague will write.' }
    : { kind: 'text', text: 'Five euros.' };

it('asks, objects and ends as planned, and each burst gets one answer, in parts', async () => {
  const talk = await talkWith(persona());
  const steps = planBeats(persona(), createDraw('seed 0'), 0);
  const leadLines = talk.lines.filter(({ side }) => side === 'user').map(({ text }) => text);
  expect(leadLines).toEqual(steps.flatMap((beat) => plainWords(beat, 'en')));
  expect(leadLines.at(-1)).toBe('I want to buy it.');
  expect(talk.asked).toHaveLength(steps.length);
  expect(texts(talk).slice(0, 2)).toEqual(['bot: Hello!', `user: ${leadLines[0]}`]);
  expect(talk.lines.filter(({ text }) => text === 'About that.')).toHaveLength(steps.length);
  // Stage detection gives a lead who buys to people.
  expect(talk).toMatchObject({ left: 0, muted: { by: 'qualified' }, stuck: [] });
  expect(findEngineFaults(talk, world())).toEqual([]);
});

it('goes on after words that need no answer, which get none', async () => {
  let played = 0;
  const talk = await talkWith(persona(), {
    voices: {
      answer: async () => ({
        kind: 'said',
        value: { output: OUTPUT, written: { kind: 'text', text: 'Five euros.' }, problem: null },
      }),
      followUp: async () => ({
        kind: 'said',
        value: { output: OUTPUT, written: { kind: 'none', reason: 'none' }, problem: null },
      }),
      play: async (_lines, beat) => ({
        kind: 'said',
        value: ++played === 2 ? ['Ok, thanks'] : plainWords(beat, 'en'),
      }),
    },
  });
  const lines = texts(talk);
  expect(lines[lines.indexOf('user: Ok, thanks') + 1]).toMatch(/^user: /);
  expect(talk.left).toBe(0);
  expect(findEngineFaults(talk, world())).toEqual([]);
});

it('ends with the hand-over, and its sentence is the last thing that the lead gets', async () => {
  const talk = await talkWith(persona(), { answer: HUMAN });
  expect(texts(talk).slice(-2)).toEqual(['user: I want to buy it.', 'bot: A colleague will write.']);
  expect(talk.muted?.by).toBe('handed_over');
  expect(findEngineFaults(talk, world())).toEqual([]);
});

it('leaves out what was planned after an early hand-over', async () => {
  const talk = await talkWith(persona(), {
    answer: () => ({ kind: 'hand_over', reason: 'cannot_answer', detail: null, sentence: 'One moment.' }),
  });
  expect(texts(talk).at(-1)).toBe('bot: One moment.');
  expect(talk.left).toBeGreaterThan(1);
  expect(talk.endedAt).toBeNull();
});

it('sends nothing after an opt-out, and nothing after a refusal that stage detection has seen', async () => {
  const optedOut = await talkWith(persona({ ending: 'opts_out' }));
  expect(texts(optedOut).at(-1)).toBe('user: Stop writing to me.');
  expect(optedOut.muted?.by).toBe('opted_out');
  const refused = await talkWith(persona({ ending: 'refuses' }));
  expect(texts(refused).at(-1)).toBe('bot: You wrote: I am not interested, thank you.');
  const undetected = await talkWith(persona({ ending: 'refuses' }), { world: world({ detection_minutes: null }) });
  expect(texts(undetected).at(-1)).toBe('bot: Follow-up 2');
});

it('sends every follow-up to a lead that falls silent, within working hours', async () => {
  const talk = await talkWith(persona({ ending: 'falls_silent' }));
  expect(texts(talk).slice(-2)).toEqual(['bot: Follow-up 1', 'bot: Follow-up 2']);
  expect(talk.endedAt).toBeNull();
  expect(findEngineFaults(talk, world())).toEqual([]);
});

it('lets a lead that was silent for a while come back after a follow-up', async () => {
  const talk = await talkWith(persona(), { repeat: 1 });
  const index = talk.lines.findIndex(({ origin }) => origin === 'ping');
  expect(talk.lines[index]?.text).toBe('Follow-up 1');
  expect(talk.lines[index + 1]?.side).toBe('user');
  expect(talk.lines.at(-1)?.side).toBe('bot');
});

it('goes through refused and lost sends, and through a deactivation', async () => {
  const many = Array.from({ length: 8 }, (_none, index) => `Question ${index}?`);
  const calm = world({ detection_minutes: null });
  const talks = await Promise.all(
    Array.from({ length: 12 }, (_none, index) =>
      talkWith(persona({ questions: many }), { repeat: 3 * index + 2, world: calm }),
    ),
  );
  for (const talk of talks) expect(findEngineFaults(talk, world())).toEqual([]);
  expect(talks.some(({ lines }) => lines.some(({ isSeen }) => !isSeen))).toBe(true);
  expect(talks.filter(({ muted }) => muted?.by === 'deactivated').length).toBeGreaterThan(6);
});

it('lets the lead write first where we do not, and ends without an answer where nobody gives one', async () => {
  const written = await talkWith(persona(), { firstMessage: null });
  expect(written.lines[0]).toMatchObject({ side: 'user', text: 'How much is it?' });
  const unanswered = await talkWith(persona(), { answer: () => ({ kind: 'none', reason: 'Nothing' }) });
  expect(texts(unanswered)).toHaveLength(
    1 + plainWords(planBeats(persona(), createDraw('seed 0'), 0)[0] ?? { kind: 'react' }, 'en').length,
  );
});

it('is the same talk again with the same answers, and another one in another repeat', async () => {
  const [one, same, other] = await Promise.all([1, 1, 4].map((repeat) => talkWith(persona(), { repeat })));
  expect(one).toEqual(same);
  expect(one?.lines).not.toEqual(other?.lines);
});

test.each([1, 2, 3, 4])('plans at most so many turns, the ending last: %i', (seed) => {
  const many = Array.from({ length: 20 }, (_none, index) => `Question ${index}?`);
  const beats = planBeats(persona({ questions: many, objections: many }), createDraw(String(seed)), seed);
  expect(beats).toHaveLength(MAX_TURNS);
  expect(beats.at(-1)).toEqual({ kind: 'end', ending: 'buys' });
  expect(beats[0]?.kind).toBe('ask');
});

it('finds what breaks a guarantee', async () => {
  const talk = await talkWith(persona(), { answer: HUMAN });
  const [first] = talk.sent;
  if (!first) throw new Error('Nothing was sent');
  const late = { ...first, id: 900, origin: null, replyOn: 4, at: (talk.muted?.from ?? 0) + HOUR };
  const night = { ...first, id: 901, origin: 'ping' as const, step: 1, anchor: 1, at: MONDAY + 14 * HOUR };
  const faultsOf = (more: readonly (typeof first)[]) =>
    findEngineFaults({ ...talk, muted: null, sent: [...talk.sent, ...more] }, world());
  expect(findEngineFaults({ ...talk, sent: [...talk.sent, late] }, world())).toEqual([
    'An answer was sent after the dialogue was handed over',
  ]);
  expect(faultsOf([first])).toEqual(['The first message was sent twice', 'The first message was sent twice']);
  expect(faultsOf([night])).toContain('Follow-up 1 was sent outside working hours');
  expect(faultsOf([late, { ...late, id: 902 }])).toContain('A turn was answered twice');
  expect(
    faultsOf([
      { ...late, id: 905, group: '9' },
      { ...late, id: 904, group: '9' },
    ]),
  ).toContain('The parts of a text left in the wrong order');
  const waiting = { side: 'user' as const, text: '?', at: night.at - 1, origin: null, isSeen: true };
  expect(findEngineFaults({ ...talk, muted: null, lines: [waiting], sent: [night], stuck: ['x'] }, world())).toEqual(
    expect.arrayContaining([
      'Follow-up 1 was sent while the lead waited for an answer',
      'A message never left, although nothing held it back',
    ]),
  );
});
