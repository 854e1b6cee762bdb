import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recogniseOptOut, recogniseOptOutIn } from './optOut.ts';
import { type Meter, PhraseGrammar } from './phraseGrammar.ts';
import { LANGUAGES } from './phrases/languages.ts';
import { promisesSilence } from './promisesSilence.ts';
import { readWords } from './words.ts';

// What people write is in optOut.corpus.json and promisesSilence.corpus.json; here is what holds for every text.

const REQUESTS = ['Не пишите мне больше', 'stop texting me', 'Lassen Sie mich in Ruhe', 'no me escriban más', 'СТОП'];

describe('a request stays one', () => {
  const around = fc.array(fc.constantFrom(' ', '!', '.', '…', '🙏', '\u200B', '\u2060', '\uFEFF', '🛑', '\n', ')'), {
    maxLength: 6,
  });

  it('with signs, emoji and invisible characters around it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...REQUESTS), around, around, (request, before, after) => {
        expect(recogniseOptOut(before.join('') + request + after.join(''))).toBe('certain');
      }),
    );
  });

  it('in any case, with stretched letters, markup or quotation marks', () => {
    const written = fc.constantFrom<(text: string) => string>(
      (text) => text.toUpperCase(),
      (text) => text.toLowerCase(),
      (text) => text.replace(/\p{L}$/u, (letter) => letter.repeat(7)),
      (text) => `*${text}*`,
      (text) => `_${text}_`,
      (text) => `~${text}~`,
      (text) => `«${text}»`,
      (text) => `“${text}.”`,
      (text) => text.split('').join('\u200D'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...REQUESTS), written, (request, write) => {
        expect(recogniseOptOut(write(request))).toBe('certain');
      }),
    );
  });
});

describe('a request is not certain', () => {
  it('beside a word that no language knows', () => {
    const word = fc.stringMatching(/^[qwxz]{2}[bcdfg]{3}[qwxz]{2}$/);
    fc.assert(
      fc.property(fc.constantFrom(...REQUESTS), word, fc.boolean(), (request, unknown, isBefore) => {
        const text = isBefore ? `${unknown} ${request}` : `${request} ${unknown}`;
        expect(recogniseOptOut(text)).not.toBe('certain');
      }),
    );
  });

  it.each([
    ['in a question', (request: string) => `${request}?`],
    ['in a quotation', (request: string) => `Ok. «${request}»`],
    ['below a quoted line', (request: string) => `> ${request}\nok`],
  ])('%s', (_name, write) => {
    for (const request of REQUESTS) expect(recogniseOptOut(write(request))).not.toBe('certain');
  });
});

describe('phrases', () => {
  it('has more than twenty languages, each with requests, reasons, hints and what only sounds like them', () => {
    expect(LANGUAGES.length).toBeGreaterThan(20);
    for (const { language, phrases } of LANGUAGES)
      for (const kind of ['request', 'keyword', 'refusal', 'reason', 'hint', 'harmless', 'otherwise'])
        expect(phrases[kind]?.length, `${language} ${kind}`).toBeGreaterThan(0);
  });

  it('takes no courtesy of any language for a request', () => {
    const plain = LANGUAGES.flatMap(({ free = [], addresses = [] }) => [...free, ...addresses]).filter(
      (phrase) => !/[[(<|]/.test(phrase),
    );
    expect(plain.filter((phrase) => recogniseOptOut(phrase) === 'certain')).toEqual([]);
  });

  it('refuses a phrase that would match nothing, and brackets that are not closed', () => {
    const withPhrase = (phrase: string) => () => new PhraseGrammar({ phrases: { request: [phrase] } });
    expect(withPhrase('[stop]')).toThrow('may be empty');
    expect(withPhrase('stop (it|that')).toThrow('not closed');
    expect(withPhrase('stop it)')).toThrow('not opened');
    expect(withPhrase('stop <writing>')).toThrow('No class');
  });

  it('knows optional words, options, classes, names, numbers and open ends', () => {
    const grammar = new PhraseGrammar({
      classes: { it: ['it', 'all of it'] },
      free: ['please'],
      phrases: {
        one: ['stop [doing] <it>'],
        two: ['this is not @'],
        three: ['i am 0 years old'],
        four: ['i have ...'],
      },
    });
    const kindsOf = (text: string) => {
      const message = readWords(text);
      const found = grammar.read(message, { steps: 0 }).phrasesFrom(0);
      return found.filter(({ end }) => end === message.words.length).map(({ kind }) => kind);
    };
    expect(kindsOf('Stop all of it')).toEqual(['one']);
    expect(kindsOf('stop please doing it')).toEqual(['one']);
    expect(kindsOf('stop doing')).toEqual([]);
    expect(kindsOf('this is not Peter')).toEqual(['two']);
    expect(kindsOf('this is not peter')).toEqual([]);
    expect(kindsOf('I am 12 years old')).toEqual(['three']);
    expect(kindsOf('I have a blue car')).toEqual(['four']);
    expect(kindsOf('I have a blue car and two more')).toEqual([]);
  });
});

describe('a hostile text', () => {
  const texts: Record<string, (size: number) => string> = {
    'requests without end': (size) => `${'не пишите мне больше не '.repeat(size)}x`,
    'words that are free': (size) => 'больше никогда '.repeat(size),
    'free words of many languages': (size) => 'please thank you больше никогда por favor '.repeat(size),
    'the beginnings of phrases': (size) => 'i do not want to be on your the if you '.repeat(size),
    'one letter': (size) => 'a '.repeat(size * 5),
    'one word of one letter': (size) => 'о'.repeat(size * 50),
    'nearly the same word': (size) => 'unsubscribx отпишитx перестаньтx '.repeat(size),
    signs: (size) => '*_~«»"?! '.repeat(size),
    'stars between letters': (size) => `f${'*'.repeat(size)}k`.repeat(20),
    digits: (size) => '7 9 1 6 '.repeat(size),
    'brackets and quotes': (size) => `${'«('.repeat(size)}stop${')»'.repeat(size)}`,
  };

  const stepsFor = (text: string): number => {
    const meter: Meter = { steps: 0 };
    recogniseOptOutIn(text, meter);
    return meter.steps;
  };

  it.each(Object.entries(texts))('of %s takes work in proportion to its length, up to a limit', (_name, write) => {
    const few = stepsFor(write(15));
    expect(stepsFor(write(105))).toBeLessThanOrEqual(few * 7 * 1.5 + 1000);
    // What is longer is not read as a whole.
    expect(stepsFor(write(20_000))).toBeLessThanOrEqual(stepsFor(write(2000)) * 1.5 + 1000);
  });

  it('is read to its end', () => {
    for (const write of Object.values(texts)) {
      expect(['certain', 'doubtful', 'none']).toContain(recogniseOptOut(write(300)));
      expect(promisesSilence(write(300))).toBe(false);
    }
    expect(recogniseOptOut(`${'kitchen '.repeat(3000)}. Please stop texting me`)).toBe('doubtful');
    expect(recogniseOptOut(`Please stop texting me. ${'kitchen '.repeat(3000)}`)).toBe('doubtful');
    expect(recogniseOptOut('stop texting me '.repeat(3000))).toBe('doubtful');
  });
});

it('sees nothing in an empty text', () => {
  for (const text of ['', ' ', '👍', '...', '\u200B', '?!']) expect(recogniseOptOut(text)).toBe('none');
});
