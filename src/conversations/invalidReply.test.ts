import { describe, expect, it } from 'vitest';
import { INVALID_REPLIES } from '../testing/invalidReplies.ts';
import { PROMPT } from '../testing/world.ts';
import { invalidReplyReason } from './invalidReply.ts';
import { SYSTEM_RULES } from './systemPrompt.ts';

/** The system text as the model gets it: the team's words, then our rules. */
const SYSTEM = [PROMPT.replace('{{ lead.name }}', 'the prompt'), '', ...SYSTEM_RULES].join('\n');

describe('a reply that repeats the prompt', () => {
  const promptStart = SYSTEM.slice(0, 260);
  it.each([
    ['with a zero-width character in each word', promptStart.replaceAll(/(\w)(\w)/g, '$1\u200b$2')],
    ['with soft hyphens', promptStart.replaceAll(' ', '\u00ad ')],
    ['with characters that do not show', promptStart.replaceAll('e', 'e\u2060\ufe0f\u{e0061}')],
    ['with accents put over letters', promptStart.replaceAll('i', 'i\u0301')],
    [
      'in full-width letters',
      promptStart.replaceAll(/[a-z]/gi, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0)),
    ],
    ['in capitals', promptStart.toUpperCase()],
    ['in our own framing', SYSTEM_RULES[1].replaceAll(' ', ' \u200d')],
  ])('recognizes %s', (_variant, answer) =>
    expect(invalidReplyReason(`Gladly. ${answer}`, SYSTEM)).toBe('the answer repeats its prompt'),
  );
});

describe('an invalid reply', () => {
  it.each(INVALID_REPLIES)('does not send %s', (_name, answer, reason) =>
    expect(invalidReplyReason(answer, SYSTEM)).toContain(reason),
  );
});

describe('a valid reply', () => {
  it.each([
    'Delivery takes six weeks.',
    'Доставка занимает шесть недель.',
    'The price (with oven) is < 5000 € & > 4200 €.',
    'Our sizes: {S, M, L}.',
    '[Of course!] Which day suits you?',
    'Use the code "KITCHEN10" at checkout: it gives 10%.',
    'Hi 👋🏽\nWe are open from 10:00 to 19:00.',
    'User manuals are included.',
    'See https://example.com/a?b={c}',
    'https://example.com/a_b_(kitchens)',
    `Your plan: https://example.com/view?token=${Array.from({ length: 60 }, (_one, index) => index * 7919).join('x')}`,
    '<3',
    '👍',
    ')))',
    ':)',
    '4200',
    'Да',
    'None.',
    'Your access:\nUser: anna\nPassword: 1234',
    'I am an AI assistant of Kitchens Ltd; a colleague will gladly call you.',
    'Our managers were trained by Google.',
    'Sorry, I cannot help with that here, but our service can: +1 555 0100.',
    'You may write NULL in that field, or leave it undefined.',
    '* Oak: 4200 €\n* Pine: 3900 €\n* Birch: 4100 €',
    '1. Measure\n2. Choose\n3. Sign',
    'Ха-ха-ха! Конечно.',
    'Hahahahahahaha, yes!',
    '😂😂😂😂😂😂😂😂😂😂',
    'Great!!!!!!!!!!',
    '——————————\nTotal: 4200 €',
    '日本語でも大丈夫です。お気軽にご質問ください。',
    'کابینت‌ها شش هفته طول می‌کشد.',
    'क्या आप कल आ सकते हैं?',
    'Sent from my \uf8ff phone',
    'Delivery: 6 weeks. Assembly: 2 days. Warranty: 5 years.',
    'Question: when? Answer: on Tuesday.',
    'The kitchen «Lorem» costs 4200 €.',
    'Die Küche kostet 4.200 €. Â¿Too dear?',
    'Write to us at sales_team@example.com (any time).',
    'We use model_x (new) and model_y (old).',
    'Meet me at [the usual place]?',
    'Monday or Tuesday, Monday or Tuesday - which one?',
    // An answer may quote the prompt's facts.
    'A kitchen costs from 4200 euros.\nDelivery takes six weeks.\nThe showroom is open from 10:00 to 19:00.',
    Array.from({ length: 40 }, (_one, index) => `Kitchen ${index}: ${4200 + index * 37} €`).join('\n'),
  ])('%s', (answer) => expect(invalidReplyReason(answer, SYSTEM)).toBeNull());
});
