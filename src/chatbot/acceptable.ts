/**
 * A model's rubbish never reaches a lead. What is refused here costs another try and at worst a dialogue that shows why
 * it has no answer; so only what no person could have been meant to read is refused, not what is merely bad.
 */
import { FRAMING } from './compose.ts';

/** Several messages of a messenger; who writes more writes no answer. */
const MOST_CHARACTERS = 10_000;

/** A pattern, and what an answer is in which it is found. */
const RUBBISH: readonly (readonly [RegExp, string])[] = [
  // Null, escape and their like; halves of surrogate pairs, non-characters; what a wrong decoding leaves.
  [
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202d\u202e\ufffd-\uffff]|\p{Cs}/u,
    'holds control characters',
  ],
  // Vendors mark citations with characters of the private area, and with words of their own; the apple is a sign.
  [/[\ue000-\uf8fe]|【[^】]{0,40}†[^】]{0,40}】|\boaicite\b/u, 'holds marks of the model’s sources'],
  [/(?:[ÐÑ][\u0080-\u00bf‚„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]){4}|\\u[0-9a-f]{4}/i, 'is wrongly encoded'],

  [/^(?:\{\s*(?:["'{[}]|\w+\s*:)|\[\s*(?:["'{[\]]|-?\d+\s*,))/, 'is data, not a sentence'],
  [/^(?:null|undefined|NaN)$|\[object \w+\]/, 'is data, not a sentence'],
  [/^```|^\s*```[\w+-]*\s*$/m, 'holds code'],
  [
    /^Traceback \(most recent call last\)|^\s+at .{1,200}\(.{1,200}:\d+:\d+\)/m,
    'holds the report of a program’s failure',
  ],

  [
    /\[\/?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]|<<\/?SYS>>|<\|[^|>]{1,40}\|>|\bassistantfinal\b|◁\/?think▷/,
    'holds control words of the model',
  ],
  [
    /<\/?(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis|answer|final|final_answer|response|reply|output|result|context|instructions?|tool_\w+|tool|tools|function|functions|function_\w+|invoke|parameter|s|bos|eos|im_start|im_end|lead_facts|system|assistant|user|human)\b[^>]*>/i,
    'holds control words of the model',
  ],
  [/<\/?function=|<(?:antml|function|tool):/i, 'holds control words of the model'],
  [
    /<\/?(?:html|head|body|div|span|p|br|hr|b|i|u|strong|em|ul|ol|li|a|table|tr|td|th|h[1-6]|script|style|img|code|pre)(?:\s[^>]*)?\/?>|<!--|<!doctype|<\?xml/i,
    'holds markup',
  ],
  // A call written down instead of made: `read_prompts(id=3)`, `print(default_api.search(...))`, ReAct's lines.
  [/(?<![\w/])[a-z][a-z0-9]*(?:_[a-z0-9]+)+\(|\b(?:default_api|functions|tools)\.\w+\s*\(/, 'calls a tool in words'],
  [/^Action Input\s*:|^Thought\s*:[^]*^Action\s*:/m, 'calls a tool in words'],

  [/^(?:<[a-z]{2}(?:-[a-z]{2})?>|\[[a-z]{2}(?:-[a-z]{2})?\]|<\/?lang\b)/i, 'begins with a language tag'],
  [/\{\s*\\?"[\w -]{1,40}\\?"\s*:/, 'holds data'],
  [/\{\{[^}]*\}\}|\{%[^%]*%\}|(?<![=/\w])\{[a-z_][\w.]{2,40}\}/i, 'holds an unfilled template'],
  [
    /[[<](?:(?:your|the|insert|client|customer|lead|user|company|first|last|full|contact|phone|manager)(?:['’]s)?[ _-])*(?:name|company|number|phone|e-?mail|address|date|time|link|url|price|amount|city|title|position)(?: here)?[\]>]/i,
    'holds an unfilled placeholder',
  ],
  [
    /[[<](?:ваш[аеи]?|вставьте|вставить|укажите|имя|фамилия|название|ссылка|дата|цена|стоимость|телефон|номер|адрес|сумма|компания)(?:\s[^\]>\n]{0,40})?[\]>]/i,
    'holds an unfilled placeholder',
  ],
  [/\blorem ipsum\b/i, 'is filler text'],
  // The conversation names media so (`contentOf` in compose.ts); a model that imitates it has sent none.
  [/^\[(?:image|audio|video|document|voice|sticker|vcard|geo|unsupported)\]/, 'names a medium and sends none'],

  [/^\W{0,4}(?:assistant|system|user|human|ai|bot|ассистент|пользователь|бот)\W{0,3}:/i, 'begins with a role'],
  [/^\W{0,4}(?:assistant|human|ассистент)(?:\*\*)?\s*:/im, 'speaks in roles'],
  [/^#{2,}\s*(?:instructions?|response|input|system|user|assistant|human)\b/im, 'holds control words of the model'],

  [
    /\bas an? (?:ai |large |artificial intelligence )*language model\b|\bas an ai model\b|как (?:большая )?языковая модель|\b(?:model|ai|assistant),? (?:trained|developed|created|made) by (?:openai|anthropic|google)\b/i,
    'speaks of the model itself',
  ],
  [
    /^i['’]?m sorry,? (?:but )?i (?:can['’]t|cannot|am unable to) (?:assist|help|comply) with that/i,
    'is a refusal of the model',
  ],
];

/**
 * Why a text cannot be sent to a person, or null when it can.
 * @param system what the model was shown, if its echo is to be known
 */
export function unacceptable(answer: string, system?: string): string | null {
  if (!isReadable(answer)) return 'the answer is empty';
  const text = answer.trim();
  if (text.length > MOST_CHARACTERS) return 'the answer is absurdly long';
  for (const [pattern, what] of RUBBISH) if (pattern.test(text)) return `the answer ${what}`;
  if (isRepeating(text)) return 'the answer repeats itself without end';
  if (text.split(/\s+/).some(isForMachines)) return 'the answer holds a text for machines';
  if (echoes(text, system ?? '')) return 'the answer repeats its prompt';
  return null;
}

/** Whether there is a letter, a digit or a sign to be seen; or a smile made of points. */
function isReadable(text: string): boolean {
  // Letters by their category, but blank: fillers of Hangul, and the braille pattern without a point.
  const seen = text.replaceAll(/[\u115f\u1160\u3164\uffa0\u2800]/g, '').trim();
  return /[\p{L}\p{N}\p{S}]/u.test(seen) || /^(?:[:;=]['-]?)?[()]+$/.test(seen);
}

/** A long word in letters of all machines: a key, a picture in base64. Addresses of pages may be long. */
function isForMachines(word: string): boolean {
  return word.length >= 120 && /[\w+/=-]{120}/.test(word) && !/https?:\/\//i.test(word);
}

/** The longest phrase whose endless repetition is looked for, characters. */
const LONGEST_PHRASE = 400;

/** Whether the end of the text is one phrase, over and over: five times, and sixty characters at least. */
function isRepeating(text: string): boolean {
  for (let period = 1; period <= Math.min(LONGEST_PHRASE, text.length / 5); period++) {
    const wanted = Math.max(60, period * 4);
    let same = 0;
    for (let at = text.length - 1; at >= period && same < wanted; at--) {
      if (text[at] !== text[at - period]) break;
      same += 1;
    }
    if (same >= wanted) return true;
  }
  return false;
}

const ECHO = 200;
/** A prompt of a few words says nothing that an answer could not. */
const SHORTEST_ECHO = 60;

/**
 * Whether the answer holds our own words around the prompt, or the prompt's beginning, which says who the model is to be.
 * Facts from further down are what the prompt is for, and are told in its words.
 */
function echoes(text: string, system: string): boolean {
  const said = flat(text);
  if (FRAMING.some((one) => said.includes(flat(one)))) return true;
  const beginning = flat(system.split(FRAMING[0] ?? '')[0] ?? '').slice(0, ECHO);
  return beginning.length >= SHORTEST_ECHO && said.includes(beginning);
}

/** Without what makes the same words another text: characters that do not show, accents, look-alike forms, case. */
const flat = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();
