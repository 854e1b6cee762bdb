/**
 * A model's rubbish never reaches a lead. What is refused here costs another try and at worst a dialogue that shows why
 * it has no answer; so only what no person could have been meant to read is refused, not what is merely bad.
 */
import { SYSTEM_RULES } from './systemPrompt.ts';

/** Several messages of a messenger; who writes more writes no answer. */
const MAX_REPLY_LENGTH = 10_000;

/** A pattern, and what an answer is in which it is found. */
const INVALID_REPLY_PATTERNS: readonly (readonly [RegExp, string])[] = [
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
  // The conversation names media so (`modelContentOf` in compose.ts); a model that imitates it has sent none.
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
export function invalidReplyReason(answer: string, system?: string): string | null {
  if (!isReadable(answer)) return 'the answer is empty';
  const text = answer.trim();
  if (text.length > MAX_REPLY_LENGTH) return 'the answer is absurdly long';
  for (const [pattern, problem] of INVALID_REPLY_PATTERNS) if (pattern.test(text)) return `the answer ${problem}`;
  if (isRepeating(text)) return 'the answer repeats itself without end';
  if (text.split(/\s+/).some(isMachineToken)) return 'the answer holds a text for machines';
  if (repeatsPrompt(text, system ?? '')) return 'the answer repeats its prompt';
  return null;
}

/** Whether there is a letter, a digit or a sign to be seen; or a smile made of points. */
function isReadable(text: string): boolean {
  // Letters by their category, but blank: fillers of Hangul, and the braille pattern without a point.
  const visible = text.replaceAll(/[\u115f\u1160\u3164\uffa0\u2800]/g, '').trim();
  return /[\p{L}\p{N}\p{S}]/u.test(visible) || /^(?:[:;=]['-]?)?[()]+$/.test(visible);
}

/** A long word in letters of all machines: a key, a picture in base64. Addresses of pages may be long. */
function isMachineToken(word: string): boolean {
  return word.length >= 120 && /[\w+/=-]{120}/.test(word) && !/https?:\/\//i.test(word);
}

/** The longest phrase whose endless repetition is looked for, characters. */
const MAX_PHRASE_LENGTH = 400;

/** Whether the end of the text is one phrase, over and over: five times, and sixty characters at least. */
function isRepeating(text: string): boolean {
  for (let period = 1; period <= Math.min(MAX_PHRASE_LENGTH, text.length / 5); period++) {
    const minLength = Math.max(60, period * 4);
    let matching = 0;
    for (let index = text.length - 1; index >= period && matching < minLength; index--) {
      if (text[index] !== text[index - period]) break;
      matching += 1;
    }
    if (matching >= minLength) return true;
  }
  return false;
}

const PROMPT_ECHO_LENGTH = 200;
/** A prompt of a few words says nothing that an answer could not. */
const MIN_PROMPT_ECHO_LENGTH = 60;

/**
 * Whether the answer holds our own words around the prompt, or the prompt's beginning, which says who the model is to be.
 * Facts from further down are what the prompt is for, and are told in its words.
 */
function repeatsPrompt(text: string, system: string): boolean {
  const normalized = normalizeForComparison(text);
  if (SYSTEM_RULES.some((rule) => normalized.includes(normalizeForComparison(rule)))) return true;
  const promptStart = normalizeForComparison(system.split(SYSTEM_RULES[0] ?? '')[0] ?? '').slice(0, PROMPT_ECHO_LENGTH);
  return promptStart.length >= MIN_PROMPT_ECHO_LENGTH && normalized.includes(promptStart);
}

/** Without what makes the same words another text: characters that do not show, accents, look-alike forms, case. */
const normalizeForComparison = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();
