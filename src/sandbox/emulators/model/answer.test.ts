/** The scripted model: its answers to leads, its judgements, and the tools that it calls for an operator. */
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { userMessage } from '../../../assistant/prompt.ts';
import { REQUEST_HUMAN } from '../../../conversations/humanRequest.ts';
import { formatConversation } from '../../../conversations/judgeQuestions.ts';
import { STOP_WRITING } from '../../../conversations/stopWriting.ts';
import { buildSystemPrompt } from '../../../conversations/systemPrompt.ts';
import { buildDerivePrompt } from '../../../studio/simulate/derivePrompt.ts';
import { buildPlayPrompt, buildPlayRequest, type Line } from '../../../studio/simulate/playPrompt.ts';
import { answerTo } from './answer.ts';
import type { ChatRequest, Tool } from './request.ts';

type Message = ChatRequest['messages'][number];

const answer = (system: string, messages: readonly Message[], tools: Tool[] = []) =>
  answerTo({ model: 'sandbox-gpt', messages: [{ role: 'system', content: system }, ...messages], tools });
const user = (content: string): Message => ({ role: 'user', content });

describe('an answer to a lead', () => {
  const PROMPT = buildSystemPrompt(
    `You are the assistant of Bright English. Answer briefly. Never promise discounts.

# Facts
- Lessons last 50 minutes.
- A lesson costs 25 euros.
- You can pay by card or by invoice.
- Занятие стоит 2 500 рублей.

# Questions to ask one by one
- What do you need English for?
- Для чего вам английский?`,
    {
      lead: { name: 'Anna Snegurkina', first_name: 'Anna', stage: 'ongoing', crm_fields: { city: 'Riga' } },
      contact: { contact: '+7 999 100-00-01', type: 'whatsapp' },
      product: { name: 'English lessons' },
      company: { name: 'Bright English' },
      document: {},
      now: '2026-03-02T10:00:00.000Z',
    },
  );
  const reply = (...messages: Message[]) => answer(PROMPT, messages).text;

  it('greets by name, answers every question of a burst, and asks the next question', () => {
    expect(reply(user('Hi! How much is it?'), user('And how can I pay?'))).toBe(
      'Hello, Anna! A lesson costs 25 euros. You can pay by card or by invoice. What do you need English for?',
    );
  });

  it('neither greets nor asks a second time', () => {
    const first = 'Hello, Anna! A lesson costs 25 euros. What do you need English for?';
    const sent: Message = { role: 'assistant', content: first };
    expect(reply(user('How much?'), sent, user('For work. Can I pay by card?'))).toBe(
      'You can pay by card or by invoice.',
    );
  });

  test.each(['Do you have lessons on Mars?', 'Is there parking near you?', 'Do you give discounts?'])(
    'admits that the prompt does not answer: %s',
    (asked) => {
      expect(reply(user(asked))).toContain('I will check that with a colleague');
    },
  );

  test.each([
    ['not interested, thanks', /^I understand, thank you for telling me/],
    ['Спасибо, неинтересно', /спасибо, что сказали/],
    ['STOP', /^Sorry to have bothered you, we will not write again\.$/],
    ['You have the wrong number', /wrong contact/],
    ['Sounds interesting, tell me more', /Glad to hear that! Lessons last 50 minutes/],
    ["Let's do it, sign me up", /A colleague will contact you/],
    ['I will think about it', /take your time\. I will be here when it suits you\.$/],
    ['Are you a bot?', /virtual assistant/],
    ['Здравствуйте, сколько стоит?', /^Здравствуйте, Anna! Занятие стоит 2 500 рублей\. Для чего вам английский\?$/],
    ['👍', /What do you need English for/],
    ['[The person has not answered. Write the next message to them now.]', /Lessons last 50 minutes\. A lesson costs/],
  ])('follows the table of rules: %s', (asked, expected) => {
    expect(reply(user(asked))).toMatch(expected);
    expect(reply(user(asked))).not.toMatch(/[{}<>]|Snegurkina|Riga|instructions/);
  });
});

it('ends all messages by the tool, if it is offered, to a lead who asks for that', () => {
  const { name, description, parameters } = STOP_WRITING;
  const tool: Tool = {
    type: 'function',
    function: { name, description, parameters: z.looseObject({}).parse(parameters) },
  };
  const asked = [user('Please, no more messages')];
  expect(answer('A lesson costs 25 euros.', asked, [tool]).toolCalls).toEqual([
    { name: 'stop_writing', arguments: '{}' },
  ]);
  expect(answer('A lesson costs 25 euros.', asked).toolCalls).toEqual([]);
});

describe('a lead who needs a human', () => {
  const SYSTEM = 'A lesson costs 25 euros.\nYou can pay by card.\nУрок стоит 2 500 рублей.';
  const tools = [REQUEST_HUMAN].map(({ name, description, parameters }): Tool => {
    return { type: 'function', function: { name, description, parameters: z.looseObject({}).parse(parameters) } };
  });
  const asks = (text: string) =>
    answer(SYSTEM, [user(text)], tools).toolCalls.map((call) => [call.name, JSON.parse(call.arguments).reason]);

  test.each([
    ['asked_for_human', 'Can I talk to a manager?'],
    ['asked_for_human', 'I want to speak with a real person'],
    ['asked_for_human', 'I need a human, not a bot'],
    ['asked_for_human', 'Позовите менеджера, пожалуйста'],
    ['asked_for_human', 'Соедините меня с живым человеком'],
    ['asked_for_human', 'Можно поговорить с оператором?'],
    ['agrees_to_buy', 'I would like to buy it'],
    ['agrees_to_buy', 'Хочу оплатить'],
    ['threatens', 'This is a scam, I will go to the police'],
    ['threatens', 'Я подам на вас в суд'],
    ['cannot_answer', 'Do you have a branch on the Moon?'],
  ])('is handed over, %s: %s', (reason, text) => {
    expect(asks(text)).toEqual([['request_human', reason]]);
    expect(answer(SYSTEM, [user(text)]).toolCalls).toEqual([]);
  });

  test.each([
    'How much is it?',
    'Are you a human?',
    'Вы бот?',
    'Сколько стоит урок, скажите, пожалуйста?',
    'Can I pay by card?',
    'not interested, thanks',
    'STOP',
    'I will think about it',
    'I need lessons for four people',
  ])('is answered otherwise: %s', (text) => {
    expect(asks(text)).toEqual([]);
  });
});

test.each([
  ['not interested', { stage: 'refused', reason: 'The lead declines: "not interested"' }],
  ['Хорошо, давайте оформим', { stage: 'success', reason: expect.stringContaining('agrees to the next step') }],
  ['I will think about it', { stage: 'pending', reason: expect.any(String) }],
  ['Вы ошиблись номером', { stage: 'failed', reason: expect.any(String) }],
  ['How much is it?', { stage: 'ongoing', reason: expect.any(String) }],
])('judges a conversation by what the lead wrote: %s', (text, judgement) => {
  const system = 'Name the stage. Answer with one JSON object and nothing else: {"stage": "...", "reason": "..."}';
  const transcript = `us: "I will take it"\nlead: ${JSON.stringify(text)}\nus: "not interested?"`;
  expect(JSON.parse(answer(system, [user(transcript)]).text)).toEqual(judgement);
});

it('answers in words when the prompt shows JSON without asking for it', () => {
  expect(answer('Lead fields (JSON): {"city": "Riga"}\nA lesson costs 25 euros.', [user('How much?')]).text).toBe(
    'Hello! A lesson costs 25 euros.',
  );
});

describe('a simulated lead', () => {
  const TALK: readonly Line[] = [{ side: 'bot', text: 'Hello! A lesson costs 25 euros. What do you need it for?' }];
  const play = (beat: Parameters<typeof buildPlayRequest>[1], more: { style?: string; language?: string } = {}) => {
    const { style = 'Polite, full sentences', language = 'en' } = more;
    const system = buildPlayPrompt({ style, language, goal: 'Wants lessons' });
    const { messages } = JSON.parse(answer(system, [user(buildPlayRequest(TALK, beat))]).text);
    return messages as string[];
  };
  const asks = { kind: 'ask', questions: ['Do you teach children?', 'How long is it?'] } as const;

  it('asks what it is to ask, in its style, the same each time', () => {
    expect(play(asks)).toEqual(play(asks));
    expect(play(asks).join(' ')).toMatch(/^[A-Z].*Do you teach children\?.* How long is it\?$/i);
    expect(play(asks, { style: 'curt, no punctuation' }).join(' ')).toMatch(/^[a-z].*do you teach children\?/);
    expect(play({ kind: 'object', objection: 'Слишком дорого' }, { language: 'ru' }).join(' ')).toMatch(
      /^\p{Lu}.*слишком дорого/iu,
    );
  });

  test.each([
    ['buys', /buy it/],
    ['asks_for_human', /human/],
    ['refuses', /not interested/],
    ['opts_out', /Stop writing/],
  ] as const)('ends as asked: %s', (ending, words) => {
    expect(play({ kind: 'end', ending })).toEqual([expect.stringMatching(words)]);
  });

  test.each([
    ['swaps_roles', /How can I help/],
    ['thinks', /<think>/],
    ['remarks', /As the customer/],
    ['ends_early', /STOP/],
  ])('makes the mistake that its style names: %s', (fault, words) => {
    expect(play(asks, { style: `Curt. Fault: ${fault}` }).join(' ')).toMatch(words);
  });

  it('is described from dialogues by its own words, as many as asked for', () => {
    const talks = [
      ['How much is a lesson?', 'That is expensive', 'Stop writing to me'],
      ['Здравствуйте, сколько стоит?', 'Хочу купить'],
      ['hm ok'],
    ].map((lines) => formatConversation(lines.map((text) => ({ side: 'user', kind: 'text', text }))));
    const { personas } = JSON.parse(answer(buildDerivePrompt(3), [user(talks.join('\n'))]).text);
    expect(personas).toMatchObject([
      { language: 'en', questions: ['How much is a lesson?'], objections: ['That is expensive'], ending: 'opts_out' },
      { language: 'ru', questions: ['Здравствуйте, сколько стоит?'], ending: 'buys' },
      { questions: [], ending: 'falls_silent' },
    ]);
  });
});

describe('a request of an operator', () => {
  const tool = (name: string, description: string, input: Record<string, z.ZodType> = {}): Tool => {
    const { $schema: _dialect, ...parameters } = z.toJSONSchema(z.strictObject(input), { io: 'input' });
    return { type: 'function', function: { name, description, parameters: z.looseObject({}).parse(parameters) } };
  };
  const limit = z.int().min(0).optional();
  const text = z.string().optional();
  const limits = { tg_daily_limit: limit, whatsapp_daily_limit: limit, initial_message_send_at: text };
  const isOn = z.boolean().optional();
  const stage = z.enum(['ongoing', 'pending', 'success']);
  const page = z.enum(['crm-leads', 'lead-detail']).describe('crm-leads (Leads), lead-detail (Lead)');
  const TOOLS = [
    tool('set_limits', 'Changes daily limits and their time.', limits),
    tool('set_product', 'Renames the product, or switches it on or off.', { name: text, is_active: isOn }),
    tool('save_product_settings', 'Saves the settings on the page.'),
    tool('edit_prompt', 'Changes the text in the editor.', { text: z.string() }),
    tool('change_stage', 'Moves the lead to another stage.', { lead_id: z.int(), new_stage: stage }),
    tool('set_owner', 'Hands a dialogue over to a human, or back to the bot.', { owner: z.enum(['bot', 'human']) }),
    tool('why_no_message', 'Tells why a lead got no message.', { lead_id: z.int() }),
    tool('open_page', 'Goes to another page of the console.', { page }),
    tool('find', 'Finds leads by name.', { text: z.string() }),
  ];
  const rows = ['Anna', 'Boris'].map((name, index) => ({ id: 11 + index, name, stage: 'initial' }));
  const DATA = { rows, text: 'It takes five weeks.\nIt costs 40.' };
  const ask = (words: string, more: readonly Message[] = [], tools = TOOLS) => {
    const context = { page_description: 'A page.', page_data: DATA, page_tools: [], page_system_prompt: '' };
    return answer('You are Master LLM.', [user(userMessage(context, words)), ...more], tools);
  };
  const callsOf = ({ toolCalls }: ReturnType<typeof ask>) =>
    toolCalls.map((call) => [call.name, JSON.parse(call.arguments)]);
  const after = (name: string, args: object, result: object): Message[] => {
    const call = { id: '1', type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
    const answered: Message = { role: 'tool', tool_call_id: '1', content: JSON.stringify(result) };
    return [{ role: 'assistant', tool_calls: [call] }, answered];
  };

  test.each<[string, ...[string, object][]]>([
    ['Set the WhatsApp limit to 30.', ['set_limits', { whatsapp_daily_limit: 30 }]],
    [
      'Set the telegram limit to 30, the whatsapp limit to 20, and save the product settings',
      ['set_limits', { tg_daily_limit: 30, whatsapp_daily_limit: 20 }],
      ['save_product_settings', {}],
    ],
    ['Set the limits, initial message send at 10:30', ['set_limits', { initial_message_send_at: '10:30' }]],
    ['Set the product name to "Kitchens and more"', ['set_product', { name: 'Kitchens and more' }]],
    ['set product active off', ['set_product', { is_active: false }]],
    ['Replace "five" by "seven" in the prompt', ['edit_prompt', { text: 'It takes seven weeks.\nIt costs 40.' }]],
    ['Move Boris to stage success', ['change_stage', { lead_id: 12, new_stage: 'success' }]],
    ['Hand this dialogue over to a human', ['set_owner', { owner: 'human' }]],
    ['Why did Anna get no message?', ['why_no_message', { lead_id: 11 }]],
    ['Open the page Leads', ['open_page', { page: 'crm-leads' }]],
    ['find Nikolay', ['find', { text: 'Nikolay' }]],
  ])('becomes calls of the page’s tools: %s', (words, ...calls) => {
    expect(callsOf(ask(words))).toEqual(calls);
  });

  it('that was not understood is answered with what the model is, and examples that it understands', () => {
    const { text, toolCalls } = ask('flibber the wug');
    expect(toolCalls).toEqual([]);
    expect(text).toMatch(
      /^I am the sandbox's scripted model: I know simple words only, and understood none of these\. /,
    );
    const examples = [...text.matchAll(/“([^”]+)”/g)].map(([, example = '']) => example);
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) expect(ask(example).toolCalls, example).toHaveLength(1);
    expect(ask('flibber', [], []).text).toContain('This page has no tools.');
  });

  it('that lacks a value is answered with what is missing', () => {
    expect(ask('Change the stage of Anna').text).toContain('understood “change stage” but not its new stage.');
  });

  it('that was denied is proposed again with the value that the reason names, or left', () => {
    const denied = (reason: string) =>
      ask('Set the telegram limit to 30', after('set_limits', { tg_daily_limit: 30 }, { status: 'rejected', reason }));
    expect(callsOf(denied('telegram 25 instead'))).toEqual([['set_limits', { tg_daily_limit: 25 }]]);
    expect([denied('Not now').text, denied('Not now').toolCalls]).toEqual(['Set limits: not done, as you said.', []]);
  });

  it('that was carried out is reported with the result', () => {
    const { text, toolCalls } = ask('save', after('save_product_settings', {}, { status: 'saved' }));
    expect([text, toolCalls]).toEqual(['Save product settings: done.', []]);
  });

  it.each([
    [{ lead: 'Anna', stage: 'pending' }, 'Anna is now Pending.'],
    [
      { tg_daily_limit: 30, is_active: true, rows: [{ id: 1 }] },
      'Change stage: done (telegram daily limit: 30, is active: yes).',
    ],
    [[{ id: 1 }, { id: 2 }], 'Change stage: 2 found.'],
  ])('that was carried out is reported in words, never as JSON: %j', (result, words) => {
    const whole = { result, page_now: { description: 'A page', summary: '{"lead":"Anna"}' } };
    expect(ask('change stage', after('change_stage', {}, whole)).text).toBe(words);
  });
});
