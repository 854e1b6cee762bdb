/**
 * Recognises plain opt-out requests on receipt, before any model runs. Deliberately narrow: a doubtful request is left
 * to the conversation; a plain one must never be answered with an offer.
 */

const WORD_START = '(?:^|[\\s.,!?;:)(«"\'-])';
const WORD_END = '(?=$|[\\s.,!?;:)(»"\'-])';

const PHRASES = [
  // Russian
  'отпишите(?:сь)?(?: меня)?',
  'отписаться',
  'отписка',
  '(?:больше )?не (?:надо |нужно |стоит )?(?:мне |нам )?(?:больше )?(?:пишите|писать)(?: мне| нам)?(?: больше)?',
  'перестаньте (?:мне |нам )?(?:писать|слать|присылать|беспокоить|спамить)',
  'прекратите (?:мне |нам )?(?:писать|слать|присылать|беспокоить|спамить|рассылку)',
  'хватит (?:мне |нам )?(?:писать|слать|присылать|спамить)',
  'не беспокойте(?: меня| нас)?',
  'не беспокоить',
  'оставьте меня в покое',
  'отстань(?:те)?(?: от меня)?',
  'отвали(?:те)?',
  'уберите меня из (?:базы|рассылки|списка)',
  'удалите (?:меня|мой номер|мои данные)(?: из .{1,30})?',
  'удалите мой (?:номер|телефон|контакт)',
  'забудьте (?:мой|этот) номер',
  // English
  'unsubscribe(?: me)?',
  'opt[ -]?out',
  "(?:please )?(?:do not|don'?t|don’t) (?:text|message|write|contact|bother|email|msg)(?: to)? (?:me|us)(?: again| any ?more)?",
  '(?:please )?stop (?:texting|messaging|writing|contacting|bothering|spamming|sending)(?: .{1,30})?',
  'leave me alone',
  '(?:remove|delete) (?:me|my number|my data)(?! (?!from|please|now|and|or|at)[a-z])',
  'take me off (?:your|the|this) list',
  'lose my number',
];

const OPT_OUT_PHRASE = new RegExp(`${WORD_START}(?:${PHRASES.join('|')})${WORD_END}`, 'iu');
/** Words that are an opt-out request only when they are the whole message. */
const OPT_OUT_MESSAGE = /^[\s.,!]*(?:stop|стоп|quit|cancel|end|отписка|отмена рассылки|спам)[\s.,!]*$/iu;
/**
 * Phrases that negate a request: a question about it, a request by someone else, or one that concerns only the time.
 */
const NEGATED = new RegExp(
  [
    "не отпис|how (?:do|can) i|как (?:мне )?(?:отпис|перестать)|don['’]?t stop|не перестава|не забудьте",
    'не (?:пишите|писать)(?: мне| нам)? (?:завтра|сегодня|утром|вечером|ночью|днем|до|после|раньше|так|туда|сюда)(?![а-я])',
    '(?:me|us) (?:before|after|until|till|during|tomorrow|today|tonight|at (?:night|work|\\d))\\b',
  ].join('|'),
  'iu',
);

/** Check whether the text is a plain opt-out request. */
export function isOptOut(text: string): boolean {
  const normal = text.normalize('NFKC').replaceAll('ё', 'е').slice(0, 500);
  if (OPT_OUT_MESSAGE.test(normal)) return true;
  // Checked sentence by sentence: a question next to the request does not cancel it.
  return normal.split(/[.!?\n]+/).some((sentence) => OPT_OUT_PHRASE.test(sentence) && !NEGATED.test(sentence));
}
