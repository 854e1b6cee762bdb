import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseLanguages, type Requirement } from '../caseContract.ts';
import type { StudioOutput } from '../runContract.ts';
import { type CheckInput, checkAll } from './check.ts';
import { possibleLanguages } from './language.ts';
import { FAMILIAR, UNFAMILIAR } from './languageSamples.ts';
import { patternProblem } from './pattern.ts';

const NOBODY = { name: 'Anna', stage: 'ongoing' as const, crm_fields: {} };

function input(
  output: Partial<StudioOutput> | string,
  more: Partial<CheckInput['case']['facts']> & { prompt?: string; history?: string[] } = {},
): CheckInput {
  const { prompt = '', history = [], ...facts } = more;
  const input = typeof output === 'string' ? { text: output } : output;
  return {
    output: { text: '', hand_over: null, stage: null, tools: [], ...input },
    case: {
      history: history.map((text) => ({ text })),
      facts: {
        lead: NOBODY,
        contact: { contact: '79991234567', type: 'whatsapp' },
        documents: {},
        texts: [],
        notes: [],
        ...facts,
      },
    },
    promptText: prompt,
  };
}

const check = (requirement: Requirement, ...args: Parameters<typeof input>) =>
  checkAll([requirement], input(...args)).map(({ detail }) => detail);

const word = fc.stringMatching(/^[a-zа-яё]{1,12}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));

describe('contains and not_contains', () => {
  it('are opposites, and neither letter case nor white space counts', () => {
    fc.assert(
      fc.property(sentence, sentence, sentence, (before, text, after) => {
        const answerText = `${before}\n${text.toUpperCase().replaceAll(' ', ' \u00a0\n')} ${after}`;
        expect(check({ kind: 'contains', text }, answerText)).toEqual([]);
        expect(check({ kind: 'not_contains', text }, answerText)).toEqual([`It says “${text}”.`]);
        const other = check({ kind: 'contains', text }, before).length;
        expect(check({ kind: 'not_contains', text }, before).length).toBe(1 - other);
      }),
    );
  });

  it('count signs: a price is not contained in another one', () => {
    expect(check({ kind: 'contains', text: '4200 €' }, 'It is 4200 $.')).toHaveLength(1);
  });

  it('are not met by a hand-over instead of an answer', () => {
    expect(check({ kind: 'contains', text: 'x' }, { hand_over: 'cannot_answer' })).toEqual([
      'The bot hands over instead of answering.',
    ]);
    expect(check({ kind: 'not_contains', text: 'x' }, { hand_over: 'cannot_answer' })).toEqual([]);
  });
});

describe('matches and not_matches', () => {
  it('use the syntax of RE2 without letter case, and a pattern that would run for ever elsewhere ends', () => {
    expect(check({ kind: 'matches', pattern: '\\bdelivery\\b.*weeks' }, 'Delivery takes six WEEKS.')).toEqual([]);
    expect(check({ kind: 'not_matches', pattern: 'кухн[яи]' }, 'Ваша КУХНЯ')).toEqual(['It matches кухн[яи].']);
    expect(check({ kind: 'matches', pattern: '^(a+)+$' }, `${'a'.repeat(9000)}!`)).toHaveLength(1);
  });

  it('refuse patterns that RE2 does not know or that are too long', () => {
    expect(patternProblem('(?=x)')).toContain('invalid or unsupported Perl syntax');
    expect(patternProblem('a{0,999}'.repeat(20))).toBe('it repeats too much');
    expect(patternProblem('(x{10}){9}')).toBeNull();
    expect(patternProblem('\\pL{1,39}'.repeat(5))).toBeNull();
  });
});

describe('language', () => {
  it('never blames a text that is in the required language', () => {
    for (const language of caseLanguages)
      for (const text of [...FAMILIAR[language], ...UNFAMILIAR[language]])
        expect(check({ kind: 'language', language }, text), text).toEqual([]);
  });

  it('finds nearly every sentence of another language, also where its words are not listed', () => {
    const found = (samples: Record<string, readonly string[]>) => {
      const pairs = caseLanguages.flatMap((language) =>
        Object.entries(samples).flatMap(([own, texts]) =>
          own === language ? [] : texts.map((text) => check({ kind: 'language', language }, text).length),
        ),
      );
      return pairs.filter((violations) => violations > 0).length / pairs.length;
    };
    expect(found(FAMILIAR)).toBeGreaterThan(0.98);
    expect(found(UNFAMILIAR)).toBeGreaterThan(0.65);
  });

  it.each(['OK', '👍', '', '4200 €', 'https://example.com/preis', 'IKEA Kallax', '[image]'])(
    'does not judge a text that shows no language: %s',
    (text) => {
      expect(possibleLanguages(text).size).toBe(caseLanguages.length);
    },
  );

  it('knows that another script is another language', () => {
    expect(check({ kind: 'language', language: 'en' }, '您好，请问您需要什么帮助？')).toEqual([
      'It is not in English.',
    ]);
    expect(check({ kind: 'language', language: 'ru' }, 'مرحبا كيف يمكنني مساعدتك')).toHaveLength(1);
  });
});

describe('max_length and max_questions', () => {
  it('allow so many characters, however they are stored', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (text) => {
        const { length } = Array.from(text);
        expect(check({ kind: 'max_length', characters: length }, text)).toEqual([]);
        if (length > 1) expect(check({ kind: 'max_length', characters: length - 1 }, text)).toHaveLength(1);
      }),
    );
  });

  it('count questions: marks in a row are one, those of a link are none', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('?', '??', '?!', '？'), { maxLength: 6 }), (marks) => {
        const text = marks.map((mark) => `So what${mark} See https://example.com/a?b=1 .`).join(' ');
        expect(check({ kind: 'max_questions', count: marks.length }, text)).toEqual([]);
        if (marks.length > 0) expect(check({ kind: 'max_questions', count: marks.length - 1 }, text)).toHaveLength(1);
      }),
    );
  });
});

describe('known_facts', () => {
  const KNOWN: Requirement = { kind: 'known_facts' };
  const currency = fc.constantFrom('€', 'EUR', 'euros', 'евро');
  const format = fc.constantFrom(
    (price: number) => String(price),
    (price: number) => price.toLocaleString('en-US'),
    (price: number) => price.toLocaleString('de-DE'),
    (price: number) => price.toLocaleString('en-US').replaceAll(',', ' '),
    (price: number) => price.toLocaleString('en-US').replaceAll(',', '\u202f'),
    (price: number) => `${price.toLocaleString('en-US')}.00`,
    (price: number) => `${price.toLocaleString('de-DE')},00`,
  );
  const price = fc.integer({ min: 10, max: 9_999_999 });

  it('accepts a price of any source in any notation', () => {
    fc.assert(
      fc.property(
        price,
        format,
        format,
        currency,
        currency,
        fc.nat(4),
        (value, written, answerText, sign, other, place) => {
          const source = `It costs ${written(value)} ${sign}.`;
          const sources = [
            { prompt: source },
            { history: [source] },
            { documents: { offer: source } },
            { texts: [{ id: 1, name: 'Prices', version: 1, description: 'Prices', text: source }] },
            { notes: [{ operator: 'anna', text: source }] },
          ][place];
          expect(check(KNOWN, `That is ${answerText(value)} ${other}.`, sources)).toEqual([]);
        },
      ),
    );
  });

  it('reports a price that no source states', () => {
    fc.assert(
      fc.property(price, price, format, currency, (stated, answerText, written, sign) => {
        fc.pre(stated !== answerText && stated !== answerText * 1000 && stated * 1000 !== answerText);
        expect(
          check(KNOWN, `That is ${written(answerText)} ${sign}.`, { prompt: `From ${stated} euros.` }),
        ).toHaveLength(1);
      }),
    );
  });

  it.each([
    ['another currency', 'It costs $4200.', 'From 4200 euros.'],
    ['thousands', 'Стоит 15 тыс. руб.', 'Стоит 12 тыс. руб.'],
    ['the first number of a range', '4000–6000 €', '6000 €'],
    ['a percentage', 'You get 15 % off.', 'You get 10 % off.'],
    ['a percentage in words', 'Скидка 15 процентов', 'Скидка 10 процентов'],
    ['a link', 'See https://example.com/pay', 'See https://example.com/prices'],
    ['a bare link', 'Откройте kitchens.ru', 'Откройте kitchens.com'],
    ['an account', 'Write to @kitchen_sales', 'Write to @kitchen_help'],
    ['a phone number', 'Call +7 900 111-22-33', 'Call +7 900 111-22-34'],
    ['a long number', 'Pay to card 4276380011223344', 'Ask for the card'],
  ])('reports %s that no source states', (_what, text, prompt) => {
    expect(check(KNOWN, text, { prompt })).toHaveLength(1);
  });

  it.each([
    ['the number with a currency only in the answer', 'It is 4,200 €.', 'Price: 4200'],
    ['the same link in another notation', 'See www.example.com/a/.', 'See https://example.com/a'],
    ['the same number nationally', 'Звоните 8 (900) 111-22-33', '+79001112233'],
    ['the lead’s own number', 'We call 7 999 123 45 67', ''],
    ['times, dates and small numbers', 'On 27.11.2026 at 10:00, room 12, in 6 weeks', ''],
    ['words around a missing space', 'Хорошо.Спасибо! Node.js, т.е. e.g. 3.5', ''],
  ])('accepts %s', (_what, text, prompt) => {
    expect(check(KNOWN, text, { prompt })).toEqual([]);
  });

  it('names what it has found in one sentence', () => {
    expect(check(KNOWN, 'It costs $99, see http://x.example/y', {})).toEqual([
      'It states the price $99, the link http://x.example/y, which neither the prompt, the texts nor the dialogue contain.',
    ]);
  });
});

describe('hand-over, tools and stage', () => {
  it('tell a hand-over and its reason', () => {
    const reason = fc.constantFrom('asked_for_human' as const, 'agrees_to_buy' as const, 'threatens' as const);
    fc.assert(
      fc.property(reason, reason, (wanted, input) => {
        expect(check({ kind: 'hands_over', reason: null }, { hand_over: input })).toEqual([]);
        const violations = check({ kind: 'hands_over', reason: wanted }, { hand_over: input });
        expect(violations.length).toBe(wanted === input ? 0 : 1);
        expect(check({ kind: 'no_hand_over' }, { hand_over: input })).toHaveLength(1);
      }),
    );
    expect(check({ kind: 'hands_over', reason: null }, 'Hello')).toEqual([
      'It answers; it should hand over to a human.',
    ]);
    expect(check({ kind: 'no_hand_over' }, 'Hello')).toEqual([]);
  });

  it('report any call of a tool, and another stage', () => {
    expect(check({ kind: 'no_tool' }, { tools: ['read_prompts', 'read_prompts'] })).toEqual(['It calls read_prompts.']);
    expect(check({ kind: 'no_tool' }, 'Hello')).toEqual([]);
    expect(check({ kind: 'stage', stage: 'success' }, { stage: 'pending' })).toEqual([
      'It names the stage pending; success is expected.',
    ]);
    expect(check({ kind: 'stage', stage: 'success' }, { stage: 'success' })).toEqual([]);
  });
});

describe('keeps', () => {
  const TEXT = 'A kitchen costs from 4200 euros, see https://example.com/k. Delivery takes six weeks.';

  it('is met by any text that states the same facts in the same language, and by itself', () => {
    fc.assert(
      fc.property(sentence, (text) => {
        expect(check({ kind: 'keeps', text }, text)).toEqual([]);
      }),
    );
    const other = 'You can have a kitchen for 4,200 € and more: https://example.com/k';
    expect(check({ kind: 'keeps', text: TEXT }, other)).toEqual([]);
  });

  it.each([
    ['a price is gone', 'See https://example.com/k for the price of a kitchen.'],
    ['a price is another one', 'A kitchen costs from 4300 euros, see https://example.com/k.'],
    ['a link is gone', 'A kitchen costs from 4200 euros.'],
    ['the language is another one', 'Кухня стоит от 4200 евро, смотрите https://example.com/k.'],
  ])('is violated if %s', (_what, answerText) => {
    expect(check({ kind: 'keeps', text: TEXT }, answerText)).toHaveLength(1);
  });

  it('is violated by a hand-over', () => {
    expect(check({ kind: 'keeps', text: TEXT }, { hand_over: 'cannot_answer' })).toHaveLength(1);
  });
});

describe('never', () => {
  it('finds the same words among others, whatever their case and punctuation', () => {
    fc.assert(
      fc.property(sentence, sentence, sentence, (before, text, after) => {
        expect(check({ kind: 'never', text }, `${before}. ${text.toUpperCase()}! ${after}`)).toHaveLength(1);
      }),
    );
  });

  it('accepts the same words with another number, and other words', () => {
    const text = 'A kitchen costs from 4100 euros and delivery takes six weeks.';
    expect(check({ kind: 'never', text }, text.replace('4100', '4200'))).toEqual([]);
    expect(check({ kind: 'never', text }, 'What would you like to know about kitchens?')).toEqual([]);
    expect(check({ kind: 'never', text }, `Hello, Anna! ${text.replace(' and', ', and the')}`)).toHaveLength(1);
  });
});
