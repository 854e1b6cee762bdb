/**
 * Keeps invalid model replies from reaching a lead. A rejected reply costs another try, and at worst the dialogue
 * shows why it has no answer. So the patterns reject only text that cannot have been meant for a person, not text
 * that is merely bad.
 */
import { normalizeText } from '../platform/normalizeText.ts';
import { SYSTEM_RULES } from './systemPrompt.ts';

/** Longest reply, characters: several messages of a messenger. Anything longer is not a reply. */
const MAX_REPLY_LENGTH = 10_000;

/** Patterns, each with the problem it indicates. */
const INVALID_REPLY_PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Control characters (null, escape), lone surrogates, non-characters, and the remains of a wrong decoding.
  [
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202d\u202e\ufffd-\uffff]|\p{Cs}/u,
    'holds control characters',
  ],
  // Vendors mark citations with private-use characters and with words of their own. The range ends before U+F8FF, the
  // Apple logo, which is a legitimate sign.
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
    /<\/?(?:html|head|body|div|span|p|br|hr|b|i|u|strong|em|ul|ol|li|a|table|tr|td|th|h[1-6]|script|style|img|code|pre|del|ins|mark|small|sub|sup|font|center|strike|blockquote|details|summary|section|article|thead|tbody|tfoot|dl|dt|dd|kbd)(?:\s[^>]*)?\/?>|<!--|<!doctype|<\?xml/i,
    'holds markup',
  ],
  // A tool call written as text: `read_prompts(id=3)`, `print(default_api.search(...))`, the lines of ReAct.
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
  // The conversation labels media this way (`modelContentOf` in systemPrompt.ts); a model that imitates the label has
  // sent no media.
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
 * Return why a text cannot be sent to a person, or null if it can.
 * @param system the system text the model was given, to detect an echo of it
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

/** Whether the text has a visible letter, digit or symbol, or is an emoticon made of punctuation. */
function isReadable(text: string): boolean {
  // Letters and symbols by category, but blank: Hangul fillers, and the braille pattern without dots.
  const visible = text.replaceAll(/[\u115f\u1160\u3164\uffa0\u2800]/g, '').trim();
  return /[\p{L}\p{N}\p{S}]/u.test(visible) || /^(?:[:;=]['-]?)?[()]+$/.test(visible);
}

/** Whether a word looks machine-made: a key, or an image in base64. URLs may be long. */
function isMachineToken(word: string): boolean {
  return word.length >= 120 && /[\w+/=-]{120}/.test(word) && !/https?:\/\//i.test(word);
}

/** Longest phrase whose endless repetition is detected, characters. */
const MAX_PHRASE_LENGTH = 400;

/** Whether the text ends in one phrase repeated at least five times and over at least sixty characters. */
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
/** A shorter prompt contains nothing that a legitimate answer could not contain too. */
const MIN_PROMPT_ECHO_LENGTH = 60;

/**
 * Whether the answer contains the rules we add to the prompt, or the start of the prompt, which describes the model's
 * role. Later parts of the prompt hold facts, which an answer may quote.
 */
function repeatsPrompt(text: string, system: string): boolean {
  const normalized = normalizeForComparison(text);
  if (SYSTEM_RULES.some((rule) => normalized.includes(normalizeForComparison(rule)))) return true;
  const promptStart = normalizeForComparison(system.split(SYSTEM_RULES[0] ?? '')[0] ?? '').slice(0, PROMPT_ECHO_LENGTH);
  return promptStart.length >= MIN_PROMPT_ECHO_LENGTH && normalized.includes(promptStart);
}

/** Remove what makes the same words a different text: invisible characters, accents, look-alike forms, case. */
const normalizeForComparison = (text: string): string =>
  normalizeText(text, 'NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();
