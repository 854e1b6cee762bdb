import { describe, expect, test } from 'vitest';
import { buildSystemPrompt } from '../../../conversations/systemPrompt.ts';
import { answerTo } from './answer.ts';
import { readPrompt } from './prompt.ts';
import { reply, type Turn } from './reply.ts';
import { chatRequestSchema } from './request.ts';

const prompt = `You are the friendly assistant of Bright English, an online school. Answer briefly. Never promise discounts.
If the lead asks for a discount, say that you will check.

# Facts
- Lessons are one to one and last 50 minutes.
- A lesson costs 25 euros; a package of ten costs 220 euros.
- The first trial lesson is free and takes 30 minutes.
- Teachers live in the UK and have at least five years of experience.
- You can pay by card or by invoice.
- Занятие стоит 2 500 рублей, пакет из десяти — 22 000 рублей.
- Первое пробное занятие бесплатное и длится 30 минут.

# Questions to ask one by one
- What do you need English for?
- When would a trial lesson suit you?
- Для чего вам английский?

# Lead
name: Anna
stage: ongoing`;

const user = (...texts: string[]): Turn[] => texts.map((text) => ({ role: 'user', text }));

describe('what is read in a prompt', () => {
  test('facts without instructions, questions, the name', () => {
    const content = readPrompt(prompt);
    expect(content.facts).toHaveLength(7);
    expect(content.facts.map((fact) => fact.text).join(' ')).not.toMatch(/discount|friendly|stage|Anna/);
    expect(content.questions).toHaveLength(3);
    expect(content.leadName).toBe('Anna');
  });

  test('questions that are answered are no questions to ask, and lead to their answers', () => {
    const faq = 'FAQ\nQ: Can I come with my dog?\nA: Pets are welcome.\nAsk "Which day suits you?" when it fits.';
    expect(readPrompt(faq).questions).toEqual(['Which day suits you?']);
    expect(reply(faq, user('May I bring my dog?'))).toContain('Pets are welcome.');
  });
});

describe('a prompt as Rapport frames it', () => {
  const values = {
    lead: {
      name: 'Anna Snegurkina',
      first_name: 'Anna',
      stage: 'ongoing',
      crm_fields: { city: 'Riga', teacher: 'Ivan' },
    },
    contact: { contact: '+7 999 100-00-01', type: 'whatsapp' },
    product: { name: 'English lessons' },
    company: { name: 'Bright English' },
    document: {},
    now: '2026-03-02T10:00:00.000Z',
  };
  const framed = buildSystemPrompt('You write for Bright English.\nA lesson costs 25 euros.', values);

  test('tells facts of the matter only', () => {
    expect(readPrompt(framed).facts.map((fact) => fact.text)).toEqual(['A lesson costs 25 euros.']);
  });

  test('calls the lead by name', () => {
    expect(reply(framed, user('Hi, how much is it?'))).toBe('Hello, Anna! A lesson costs 25 euros.');
  });

  test.each(['Tell me more', 'What do you know about Ivan the teacher in Riga?', 'Sounds interesting'])(
    'shows none of its frame: %s',
    (asked) => {
      expect(reply(framed, user(asked))).not.toMatch(/[{}<>]|Snegurkina|Riga|messenger|instructions|data/);
    },
  );
});

describe('an answer', () => {
  test('to all questions of a burst, once, with the next question', () => {
    expect(reply(prompt, user('Hi! How much is it?', 'And who are the teachers?'))).toBe(
      'Hello, Anna! A lesson costs 25 euros; a package of ten costs 220 euros. Teachers live in the UK and have at least five years of experience. What do you need English for?',
    );
  });

  test('in the language of the lead', () => {
    expect(reply(prompt, user('Здравствуйте, сколько стоит?'))).toBe(
      'Здравствуйте, Anna! Занятие стоит 2 500 рублей, пакет из десяти — 22 000 рублей. Для чего вам английский?',
    );
  });

  test('goes on without greeting again or asking again', () => {
    const turns: Turn[] = [
      ...user('How much is it?'),
      { role: 'assistant', text: reply(prompt, user('How much is it?')) },
      ...user('For work. Can I pay by card?'),
    ];
    const second = reply(prompt, turns);
    expect(second).toContain('You can pay by card or by invoice.');
    expect(second).toContain('When would a trial lesson suit you?');
    expect(second).not.toMatch(/Hello|25 euros|What do you need/);
  });

  test.each([
    'Do you have lessons on Mars?',
    'Is there parking near you?',
    'Do you give discounts?',
    'А есть ли у вас парковка?',
  ])('invents nothing: %s', (asked) => {
    expect(reply(prompt, user(asked))).toMatch(/check that with a colleague|Уточню это у коллеги/);
  });

  test('tells what it knows and admits the rest', () => {
    const text = reply(prompt, user('How can I pay and do you teach French?'));
    expect(text).toContain('You can pay by card or by invoice. The rest I will check with a colleague');
  });

  test.each([
    ['not interested, thanks', /thank you for telling me/],
    ['Спасибо, неинтересно', /спасибо, что сказали/],
    ['stop writing to me', /^Sorry to have bothered you, we will not write again\.$/],
    ['Не пишите мне больше', /^Извините за беспокойство, больше не напишем\.$/],
    ['STOP', /will not write again/],
    ['You have the wrong number', /wrong contact/],
    ['Sounds interesting, tell me more', /Lessons are one to one/],
    ['Интересно, расскажите подробнее', /занятие/i],
    ["Let's do it, sign me up", /A colleague will contact you/],
    ['Давайте запишемся на пробное', /договорились/],
    ['I will think about it', /take your time/],
    ['Are you a bot?', /virtual assistant/],
    ['Вы робот?', /виртуальный помощник/],
    ['thank you!', /You are welcome/],
    ['Привет', /^Здравствуйте, Anna!/],
  ])('%s', (question, expected) => {
    expect(reply(prompt, user(question))).toMatch(expected);
  });

  test('a price that is asked for comes before what merely shares the words', () => {
    const floors =
      'Монтаж тёплого пола занимает два дня. Стоимость — от 1 800 рублей за метр. Адрес офиса: ул. Лесная, 12.';
    expect(reply(floors, user('Сколько стоит тёплый пол?'))).toBe('Здравствуйте! Стоимость — от 1 800 рублей за метр.');
    expect(reply(floors, user('где вы находитесь'))).toContain('ул. Лесная, 12.');
    expect(reply(floors, user('40 метров'))).not.toMatch(/ул\.|1 800/);
    expect(reply(floors, user('чем вы занимаетесь?'))).toContain('Монтаж тёплого пола');
  });

  test('a refusal asks nothing more', () => {
    expect(reply(prompt, user('not interested'))).not.toContain('?');
  });

  test('with nothing heard it opens; after its own words it follows up', () => {
    expect(reply(prompt, [])).toMatch(/^Hello, Anna! .*\?$/);
    expect(reply(prompt, [{ role: 'assistant', text: 'Hello, Anna!' }])).toMatch(/^Anna, just checking/);
  });

  test('an empty prompt and an empty message still give a sentence', () => {
    expect(reply('', user('How much?'))).toMatch(/colleague/);
    expect(reply('', user('👍'))).not.toBe('');
  });
});

describe('a classification', () => {
  const system =
    'Name the stage of the conversation: ongoing, pending, success, refused or failed. Answer with JSON {"stage": "...", "reason": "..."}.';
  const classify = (texts: string[], more: Record<string, unknown> = {}, prompted = system): unknown =>
    JSON.parse(
      answerTo(
        chatRequestSchema.parse({
          model: 'sandbox-gpt',
          messages: [{ role: 'system', content: prompted }, ...texts.map((content) => ({ role: 'user', content }))],
          ...more,
        }),
      ).text,
    );

  test.each([
    ['refused', 'not interested'],
    ['refused', 'Не пишите мне'],
    ['success', 'Хорошо, давайте оформим, пришлите счет'],
    ['pending', 'I will think about it'],
    ['failed', 'Вы ошиблись номером'],
    ['ongoing', 'How much is it?'],
  ])('%s: %s', (stage, text) => {
    expect(classify([text])).toEqual({ stage, reason: expect.any(String) });
  });

  test('reads only the lead in a transcript', () => {
    expect(classify(['bot: not interested?\nlead: I will take it\nbot: great'])).toMatchObject({ stage: 'success' });
  });

  test('fits a schema', () => {
    const schema = {
      type: 'object',
      properties: { confirmed: { type: 'boolean' }, opt_out: { type: 'boolean' }, reason: { type: 'string' } },
    };
    const format = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } };
    expect(classify(['unsubscribe'], format)).toMatchObject({
      opt_out: true,
      reason: expect.stringContaining('left alone'),
    });
    expect(classify(['How much?'], format)).toMatchObject({ confirmed: false, opt_out: false });
  });

  test('a prompt that merely shows JSON is answered in words', () => {
    const request = chatRequestSchema.parse({
      model: 'sandbox-gpt',
      messages: [
        { role: 'system', content: `${prompt}\nLead fields (JSON): {"city": "Riga"}` },
        { role: 'user', content: 'How much?' },
      ],
    });
    expect(answerTo(request).text).toContain('25 euros');
  });
});
