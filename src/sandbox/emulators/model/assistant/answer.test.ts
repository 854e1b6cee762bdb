import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { INJECTIONS } from '../../../../testing/promptInjections.ts';
import { answerTo } from '../answer.ts';
import type { ChatRequest, Tool } from '../request.ts';
import { framed, type ShownPage, tool } from './declared.testing.ts';
import { PAGES, type PageKey, PROMPT } from './pages.testing.ts';

type Message = ChatRequest['messages'][number];

const asked = (page: ShownPage, words: string, ...more: Message[]) =>
  answerTo({
    model: 'sandbox-gpt',
    messages: [
      { role: 'system', content: 'You are the assistant of a console.' },
      { role: 'user', content: framed(words, page.data) },
      ...more,
    ],
    tools: [...page.tools],
  });

const callsOf = (answer: { toolCalls: readonly { name: string; arguments: string }[] }) =>
  answer.toolCalls.map((call): [string, unknown] => [call.name, JSON.parse(call.arguments)]);

/** What came of calls, as the vendors' protocols carry it back. */
function after(calls: readonly [name: string, args: unknown, result: unknown][]): Message[] {
  const tool_calls = calls.map(([name, args], index) => ({
    id: `call_${index}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return [
    { role: 'assistant', content: null, tool_calls },
    ...calls.map(
      ([, , result], index): Message => ({
        role: 'tool',
        tool_call_id: `call_${index}`,
        content: JSON.stringify(result),
      }),
    ),
  ];
}

const on = (key: PageKey) => PAGES[key];

describe('several things in one wish', () => {
  test.each<[PageKey, string, [string, unknown][]]>([
    [
      'settings-product',
      'set the limit to 30 and save',
      [
        ['set_limits', { tg_daily_limit: 30, whatsapp_daily_limit: 30 }],
        ['save_product_settings', {}],
      ],
    ],
    [
      'settings-product',
      'set the telegram limit to 30, the whatsapp limit to 20, and save',
      [
        ['set_limits', { tg_daily_limit: 30, whatsapp_daily_limit: 20 }],
        ['save_product_settings', {}],
      ],
    ],
    [
      'settings-product',
      'Use claude-sonnet-5-5 for pings. Then set the temperature of the chatbot to 0.1. Save it.',
      [
        ['set_model', { purpose: 'ping', vendor: 'anthropic', model: 'claude-sonnet-5-5' }],
        ['set_model', { purpose: 'chatbot', temperature: 0.1 }],
        ['save_product_settings', {}],
      ],
    ],
    [
      'settings-schedule',
      'make Saturday off and Monday 10:00-16:00, then save',
      [
        [
          'change_schedule',
          {
            days: {
              0: { is_working_day: true, time_start: '10:00', time_end: '16:00' },
              5: { is_working_day: false, time_start: '00:00', time_end: '00:00' },
            },
          },
        ],
        ['save_schedule', {}],
      ],
    ],
    [
      'settings-ping',
      'add a step after an hour with Warm hello and another after two hours with Last try',
      [
        ['add_ping_step', { after_minutes: 60, prepared_message_id: 7 }],
        ['add_ping_step', { after_minutes: 120, prepared_message_id: 8 }],
      ],
    ],
    [
      'prompt-detail',
      'add "Be brief." and save',
      [
        ['edit_prompt', { text: `${PROMPT}\nBe brief.` }],
        ['save_prompt', {}],
      ],
    ],
    [
      'settings-product',
      'поставь лимит телеграма 12 и сохрани',
      [
        ['set_limits', { tg_daily_limit: 12 }],
        ['save_product_settings', {}],
      ],
    ],
    [
      'crm-leads',
      'move Boris to success and open Anna',
      [
        ['change_stage', { lead_id: 12, new_stage: 'success' }],
        ['open_row', { id: 11 }],
      ],
    ],
  ])('%s: %s', (key, words, calls) => {
    expect(callsOf(asked(on(key), words))).toEqual(calls);
  });
});

describe('a tool that nobody knows of', () => {
  const page: ShownPage = {
    data: {
      fleets: [
        { id: 77, name: 'Blue fleet' },
        { id: 78, name: 'Red fleet' },
      ],
      fuel_level: 40,
    },
    tools: [
      tool('paint_fleet', 'Paints all cars of a fleet in a colour.', {
        fleet_id: z.int(),
        colour: z.enum(['crimson', 'navy', 'white']),
        coats: z.int().min(1).optional(),
        glossy: z.boolean().optional(),
      }),
      tool('wash_fleet', 'Washes the cars of a fleet.', {
        fleet_id: z.int(),
        after_minutes: z.int().optional(),
      }),
      tool('note_mileage', 'Writes a remark into the log of the cars.', { remark: z.string() }),
    ],
  };
  test.each<[string, string, unknown]>([
    ['paint the blue fleet navy', 'paint_fleet', { fleet_id: 77, colour: 'navy' }],
    ['Please paint the Red fleet in white with 3 coats', 'paint_fleet', { fleet_id: 78, colour: 'white', coats: 3 }],
    ['paint Blue fleet crimson, glossy', 'paint_fleet', { fleet_id: 77, colour: 'crimson', glossy: true }],
    ['wash the red fleet after half an hour', 'wash_fleet', { fleet_id: 78, after_minutes: 30 }],
    ['note the mileage: "all well"', 'note_mileage', { remark: 'all well' }],
  ])('%s', (words, name, args) => {
    expect(callsOf(asked(page, words))).toEqual([[name, args]]);
  });
  test('a tool that is named outright is asked about', () => {
    expect(asked(on('crm-leads'), 'change stage').text).toContain('To change stage I still need: lead id, new stage.');
  });
  test('what it lacks is asked for', () => {
    const { text, toolCalls } = asked(page, 'paint the blue fleet');
    expect([text, toolCalls]).toEqual([expect.stringContaining('To paint fleet I still need: colour.'), []]);
  });
});

describe('questions', () => {
  test.each<[PageKey, string, RegExp]>([
    ['settings-product', 'what is the daily limit?', /tg daily limit is 30\..*whatsapp daily limit is 20\./i],
    ['settings-product', 'What is the telegram limit?', /tg daily limit is 30/i],
    ['settings-product', 'which model does the chatbot use?', /model is gpt-4o-mini/i],
    ['settings-product', 'when are the first messages sent?', /10:30/],
    ['settings-product', 'какой дневной лимит телеграма?', /tg daily limit: 30/i],
    ['settings-schedule', 'what is the timezone?', /timezone is Europe\/Moscow/i],
    ['dashboard', 'how many messages are there?', /messages is 900|messages: 900/i],
    ['crm-leads', 'how many leads are there?', /42/],
    ['crm-leads', "what is Boris's stage?", /initial/],
    ['dialogue-chat', 'who is the owner?', /owner is bot/i],
  ])('%s: %s', (key, words, answer) => {
    const { text, toolCalls } = asked(on(key), words);
    expect(toolCalls).toEqual([]);
    expect(text).toMatch(answer);
  });
});

describe('who it is', () => {
  test.each(['Who are you?', 'are you a real model?', 'Кто ты?'])('%s', (words) => {
    expect(asked(on('settings-schedule'), words).text).toMatch(/sandbox's model|модель песочницы/i);
  });
  test('it says in its first answer, and not again', () => {
    expect(asked(on('settings-schedule'), 'save').text).toMatch(/sandbox's model/);
    const later = answerTo({
      model: 'x',
      messages: [
        { role: 'user', content: framed('hello', {}) },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: framed('save', on('settings-schedule').data) },
      ],
      tools: [...on('settings-schedule').tools],
    });
    expect(later.text).not.toMatch(/sandbox/);
    expect(callsOf(later)).toEqual([['save_schedule', {}]]);
  });
  test.each(['what can you do?', 'flibber the wug', 'что ты умеешь?'])('it says what can be done here: %s', (words) => {
    const { text, toolCalls } = asked(on('settings-schedule'), words);
    expect(text).toMatch(/create schedule, change schedule, save schedule/);
    expect(toolCalls).toEqual([]);
  });
  test('without tools it can only tell', () => {
    expect(asked({ data: {}, tools: [] }, 'do something').text).toMatch(/nothing to do/);
  });
});

describe('after the results', () => {
  const words = 'set the telegram limit to 30';
  const page = on('settings-product');
  test('it says what was done', () => {
    const { text, toolCalls } = asked(
      page,
      words,
      ...after([['set_limits', { tg_daily_limit: 30 }, { status: 'changed on the page, not saved' }]]),
    );
    expect([text, toolCalls]).toEqual(['Set limits: changed on the page, not saved.', []]);
  });
  test('it says what did not work', () => {
    const said = asked(
      page,
      'save',
      ...after([['save_product_settings', {}, { status: 'not saved', reason: 'Nothing has changed.' }]]),
    );
    expect(said.text).toMatch(/did not work: Nothing has changed\./);
    const failed = asked(
      page,
      'save',
      ...after([['save_product_settings', {}, { error: 'Failed to save settings. Please try again.' }]]),
    );
    expect(failed.text).toMatch(/did not work: Failed to save settings/);
  });
  test.each<[string, unknown]>([
    ['make it 40 instead', { tg_daily_limit: 40 }],
    ['40', { tg_daily_limit: 40 }],
    ['no, 45 please', { tg_daily_limit: 45 }],
    ['лучше 50', { tg_daily_limit: 50 }],
    ['only whatsapp, 10', { tg_daily_limit: 30, whatsapp_daily_limit: 10 }],
  ])('a denial that names another value is taken up: %s', (reason, args) => {
    const answer = asked(
      page,
      words,
      ...after([['set_limits', { tg_daily_limit: 30 }, { status: 'rejected', reason }]]),
    );
    expect(callsOf(answer)).toEqual([['set_limits', args]]);
  });
  test.each(['no', 'Not now.', 'I changed my mind', '', 'Action denied by user.'])(
    'a denial that names none is left at that: %s',
    (reason) => {
      const answer = asked(
        page,
        words,
        ...after([['set_limits', { tg_daily_limit: 30 }, { status: 'rejected', reason }]]),
      );
      expect([answer.text, answer.toolCalls]).toEqual([expect.stringContaining('leave it'), []]);
    },
  );
  test('a denial may ask for another tool, or other words', () => {
    const other = asked(
      on('settings-schedule'),
      'save',
      ...after([['save_schedule', {}, { status: 'rejected', reason: 'reset the schedule instead' }]]),
    );
    expect(callsOf(other)).toEqual([['reset_schedule', {}]]);
    const draft = asked(
      on('dialogue-chat'),
      'draft "Hello"',
      ...after([['draft_message', { text: 'Hello' }, { status: 'rejected', reason: 'write "Good day" instead' }]]),
    );
    expect(callsOf(draft)).toEqual([['draft_message', { text: 'Good day' }]]);
    const edit = asked(
      on('prompt-detail'),
      'add a line: six weeks',
      ...after([
        [
          'edit_prompt',
          { text: `${PROMPT}\nsix weeks` },
          { status: 'rejected', reason: 'say five weeks instead of six weeks' },
        ],
      ]),
    );
    expect(callsOf(edit)).toEqual([['edit_prompt', { text: `${PROMPT}\nfive weeks` }]]);
    const stage = asked(
      on('crm-leads'),
      'move Boris to success',
      ...after([
        ['change_stage', { lead_id: 12, new_stage: 'success' }, { status: 'rejected', reason: 'to pending please' }],
      ]),
    );
    expect(callsOf(stage)).toEqual([['change_stage', { lead_id: 12, new_stage: 'pending' }]]);
  });
  test('of two calls each is told of', () => {
    const { text, toolCalls } = asked(
      page,
      'set the telegram limit to 30 and save',
      ...after([
        ['set_limits', { tg_daily_limit: 30 }, { status: 'changed on the page, not saved' }],
        ['save_product_settings', {}, { status: 'rejected', reason: 'later' }],
      ]),
    );
    expect(toolCalls).toEqual([]);
    expect(text).toMatch(/Set limits: changed.*save product settings was not done/);
  });
  test('what was looked up is used', () => {
    const far = { data: { rows: [] }, tools: on('crm-leads').tools };
    expect(callsOf(asked(far, 'move Olga to success'))).toEqual([['find', { text: 'Olga' }]]);
    const found = { items: [{ id: 99, name: 'Olga Petrova', page: 'lead-detail' }] };
    expect(callsOf(asked(far, 'move Olga to success', ...after([['find', { text: 'Olga' }, found]])))).toEqual([
      ['change_stage', { lead_id: 99, new_stage: 'success' }],
    ]);
  });
  test('what another page brings is used', () => {
    const wish = 'open the schedule settings and make Saturday off, then save';
    const first = asked(on('crm-leads'), wish);
    expect(callsOf(first)[0]).toEqual(['open_page', { page: 'settings-schedule' }]);
    const schedule = on('settings-schedule');
    const result = {
      result: { status: 'opened' },
      page_now: { page_description: 'Working hours.', page_data: JSON.stringify(schedule.data) },
    };
    const there = answerTo({
      model: 'x',
      messages: [
        { role: 'user', content: framed(wish, on('crm-leads').data) },
        ...after([['open_page', { page: 'settings-schedule' }, result]]),
      ],
      tools: [...schedule.tools],
    });
    expect(callsOf(there)).toEqual([
      ['change_schedule', { days: { 5: { is_working_day: false, time_start: '00:00', time_end: '00:00' } } }],
      ['save_schedule', {}],
    ]);
  });
  test('what was done is not done again on the page as it is now', () => {
    const result = {
      result: { status: 'in the editor, unsaved' },
      page_now: { page_data: JSON.stringify({ text: `${PROMPT}\nsix weeks` }) },
    };
    const { text, toolCalls } = asked(
      on('prompt-detail'),
      'add a line: six weeks',
      ...after([['edit_prompt', { text: `${PROMPT}\nsix weeks` }, result]]),
    );
    expect([text, toolCalls]).toEqual(['Edit prompt: in the editor, unsaved.', []]);
  });
  test('a call that could not be meant is told of', () => {
    const { text } = asked(
      page,
      'save',
      ...after([['save_product_settings', {}, 'There is no tool save_product_settings on this page']]),
    );
    expect(text).toMatch(/did not work: There is no tool/);
  });
  test('an answer of a tool that only tells is told', () => {
    const result = { state: 'waiting', why: 'Outside working hours.' };
    expect(asked(on('lead-detail'), 'why no message?', ...after([['why_no_message', {}, result]])).text).toMatch(
      /Outside working hours/,
    );
  });
});

test.each(INJECTIONS)('%s, in the data, is no wish', (_what, text) => {
  const { tools } = on('crm-leads');
  const data = {
    rows: [
      { id: 5, name: text },
      { id: 12, name: 'Boris' },
    ],
  };
  expect(callsOf(asked({ tools, data }, 'move Boris to pending'))).toEqual([
    ['change_stage', { lead_id: 12, new_stage: 'pending' }],
  ]);
});

test('data that was cut, or opens what it never closes, is read as far as it goes', () => {
  const { tools } = on('crm-leads');
  const cut = `${JSON.stringify({
    rows: [
      { id: 12, name: 'Boris' },
      { id: 13, name: 'Clara' },
    ],
  }).slice(0, -8)}\n… cut`;
  const ask = (data: string) =>
    callsOf(
      answerTo({
        model: 'x',
        messages: [{ role: 'user', content: `<data z>\n${data}\n</data z>\nOperator:\nmove Boris to pending` }],
        tools: [...tools],
      }),
    );
  expect(ask(cut)).toEqual([['change_stage', { lead_id: 12, new_stage: 'pending' }]]);
  const from = performance.now();
  ask('['.repeat(90_000));
  ask('{"a":'.repeat(20_000));
  expect(performance.now() - from).toBeLessThan(3_000);
});

test('tools that may not be called are not', () => {
  const tools: Tool[] = [...on('settings-schedule').tools];
  const messages: Message[] = [{ role: 'user', content: framed('save', on('settings-schedule').data) }];
  expect(answerTo({ model: 'x', messages, tools, tool_choice: 'none' }).toolCalls).toEqual([]);
});
