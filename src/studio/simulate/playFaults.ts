/**
 * Checks what a model has written as a simulated lead. Three mistakes are known of every tool of this kind: the model
 * speaks for the other side, writes its thoughts down, or ends the talk before it is over. What can be taken out is taken
 * out; the rest is asked for once more, and then replaced by the step's own words.
 */
import { invalidReplyReason } from '../../conversations/invalidReply.ts';
import { recogniseOptOut } from '../../leads/optOut.ts';
import type { Beat } from './beats.ts';
import { MAX_MESSAGES } from './playPrompt.ts';

/** `role`: speaks for us. `reasoning`: thoughts or remarks about the task. `early_end`: ends before its turn. */
export type PlayFault = 'empty' | 'long' | 'role' | 'reasoning' | 'early_end' | 'no_end';

/** Why a text cannot be used, for the model. */
export const FAULT_SENTENCES: Readonly<Record<PlayFault, string>> = {
  empty: 'it holds no message',
  long: 'it is too long for a messenger',
  role: 'it speaks for the company; you are the customer',
  reasoning: 'it holds thoughts or remarks, not only what the person types',
  early_end: 'it ends the conversation, which was not asked for',
  no_end: 'it does not plainly ask the company to stop writing',
};

/** Longest turn, characters. */
const MAX_LENGTH = 900;

const THOUGHTS =
  /<(think|thinking|thought|reasoning|reflection|scratchpad|analysis|plan)\b[^>]*>[\s\S]*?(?:<\/\1>|$)|```[\s\S]*?(?:```|$)/gi;
/** Asterisks or brackets around words at the edge of a message: `*sighs* How much?` */
const DIRECTION = /^\s*(?:\*[^*\n]{1,80}\*|\((?:[^()\n]{1,80})\)|\[[^[\]\n]{1,80}\])\s*(?=\S)/u;
/** The person's own role before its words says nothing wrong. */
const OWN_ROLE =
  /^\W{0,3}(?:lead|customer|client|buyer|user|person|me|клиент|покупатель|пользователь|лид|я)\W{0,3}:\s*/iu;
const OUR_ROLE =
  /^\W{0,3}(?:us|we|company|seller|sales(?:person|man|woman)?|agent|assistant|bot|ai|manager|operator|support|consultant|system|компания|продавец|менеджер|оператор|бот|ассистент|консультант|поддержка)\W{0,3}:/imu;
/** What only the side that sells says. */
const OUR_WORDS =
  /\bhow (?:can|may) (?:i|we) (?:help|assist)\b|\bwe(?:'d| would)? (?:can )?(?:offer|be happy to (?:help|assist))\b|\b(?:our|my) (?:manager|colleague|team|specialist|consultant)s? (?:will|can) (?:contact|call|reach|write|get back)|\b(?:a|my|your) colleague will\b|\bthank you for (?:your interest|contacting|reaching out|choosing)\b|\bi am (?:a|your) (?:virtual )?assistant\b|\blet me know if you have (?:any )?(?:other |more )?questions\b|чем (?:я )?мо(?:гу|жем) (?:вам )?помочь|(?:наш|мой) (?:менеджер|коллега|специалист) (?:вам |с вами )?(?:позвонит|напишет|свяжется|перезвонит)|мы (?:можем )?предлагаем|спасибо за (?:обращение|интерес|ваш интерес)|я (?:ваш )?(?:виртуальный )?(?:помощник|ассистент)(?!\p{L})/iu;
/** Words about the task, which no customer writes. */
const REMARKS =
  /\b(?:persona|role-?play\w*|in character|stay(?:ing)? in role|the (?:last line|instruction|scenario|task|prompt) (?:asks|says|tells|requires|is)|as (?:a|the) (?:customer|lead|buyer|person described)|i (?:should|need to|must|will) (?:now )?(?:ask|react|respond|reply|object|write|say|act|end)\b(?! (?:my|our|you)\b)|here (?:is|are) (?:the|my) (?:message|messages|reply|response)|next message|first message|json|the (?:company|assistant|bot|agent) (?:has |just )?(?:asked|says|said|wrote|replied|answered))\b|(?:как|в роли) (?:клиент|покупател|лид)\p{L}*|по (?:сценарию|инструкции|заданию)|мне (?:нужно|надо|следует) (?:теперь )?(?:спросить|ответить|возразить|написать)|персонаж|вот (?:моё|мое|сообщение|ответ)/iu;
/** Signs with which models mark that they are done. */
const STOP_SIGNS =
  /#{2,}\s*\w+|<\/?(?:end|stop|done)\b|\[(?:end|stop|done|end of [^\]]*)\]|\bend of (?:the )?(?:conversation|dialogue|talk)\b|\bTERMINATE\b|конец (?:разговора|диалога)/i;
const FAREWELL =
  /\b(?:good ?bye|bye(?: bye)?|take care|have a (?:nice|good|great|lovely) (?:day|one|evening|weekend)|talk (?:to you )?(?:soon|later)|no (?:further|more|other) questions|that(?:'s| is) all(?: i need\w*)?(?: for now)?|not interested|i(?:'ll| will) (?:pass|buy|take it|order)|i(?:'d| would) (?:like|love) to (?:buy|order|purchase)|let'?s (?:do it|proceed|go ahead)|(?:speak|talk) (?:to|with) (?:a|the|your) (?:human|person|manager|operator|real person))\b|до свидания|всего (?:доброго|хорошего)|хорошего дня|больше вопросов нет|вопросов (?:больше )?нет|(?<!\p{L})(?:беру|оформляем|покупаю|не ?интересует|не ?интересно)(?!\p{L})|позовите (?:менеджера|человека|оператора)/giu;

/** Take out what can be taken out: thoughts, directions, the person's own role, quotation marks around a message. */
export function tidyPlay(messages: readonly string[]): string[] {
  const tidy = messages
    .map((message) => {
      let text = message.replaceAll(THOUGHTS, '').trim();
      for (let before = ''; before !== text; ) {
        before = text;
        text = text.replace(DIRECTION, '').replace(OWN_ROLE, '').trim();
      }
      return text.replace(/^(["“«])([\s\S]*)["”»]$/u, (whole, _open, inner: string) =>
        /["“”«»]/u.test(inner) ? whole : inner.trim(),
      );
    })
    .filter((text) => text !== '');
  const first = tidy.slice(0, MAX_MESSAGES - 1);
  return tidy.length > MAX_MESSAGES ? [...first, tidy.slice(MAX_MESSAGES - 1).join(' ')] : tidy;
}

/** Find what is wrong with messages of a turn; null if nothing is. `ours`: what our side has written so far. */
export function findPlayFault(messages: readonly string[], beat: Beat, ours: readonly string[]): PlayFault | null {
  const text = messages.join('\n');
  if (text.trim() === '') return 'empty';
  if (text.length > MAX_LENGTH) return 'long';
  if (STOP_SIGNS.test(text)) return 'early_end';
  if (REMARKS.test(text)) return 'reasoning';
  if (OUR_ROLE.test(text) || OUR_WORDS.test(text) || ours.some((one) => repeats(text, one))) return 'role';
  // The rules for our own answers know most of what models leave in a text.
  if (messages.some((one) => /[\p{L}\p{N}]/u.test(one) && invalidReplyReason(one) !== null)) return 'reasoning';
  const hasOptedOut = messages.some((one) => recogniseOptOut(one) === 'certain');
  if (beat.kind === 'end') {
    if (beat.ending === 'opts_out') return hasOptedOut ? null : 'no_end';
    return hasOptedOut ? 'early_end' : null;
  }
  // The step's own words may hold such words too.
  const own = beat.kind === 'ask' ? beat.questions.join('\n') : beat.kind === 'object' ? beat.objection : '';
  if (hasOptedOut && recogniseOptOut(own) !== 'certain') return 'early_end';
  const farewells = text.match(FAREWELL) ?? [];
  return farewells.every((words) => own.toLowerCase().includes(words.toLowerCase())) ? null : 'early_end';
}

/** Words in a row by which a text is recognised. */
const SHINGLE = 4;
/** The share of a message's shingles from which on a text repeats it. */
const REPEATED = 0.5;

/** Whether a text repeats most of one of our messages. A short one can be said by both sides. */
function repeats(text: string, message: string): boolean {
  const shingles = shinglesOf(message);
  if (shingles.size < 3) return false;
  const found = shinglesOf(text);
  return [...shingles].filter((one) => found.has(one)).length / shingles.size >= REPEATED;
}

function shinglesOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.slice(0, words.length - SHINGLE + 1).map((_word, index) => words.slice(index, index + SHINGLE).join(' ')),
  );
}

const ENDINGS = {
  en: {
    react: 'I see.',
    buys: 'I want to buy it.',
    asks_for_human: 'I want to talk to a human.',
    refuses: 'I am not interested, thank you.',
    opts_out: 'Stop writing to me.',
  },
  ru: {
    react: 'Понятно.',
    buys: 'Хочу купить.',
    asks_for_human: 'Позовите человека, пожалуйста.',
    refuses: 'Мне это не интересно, спасибо.',
    opts_out: 'Не пишите мне больше.',
  },
} as const;

/** Return the step in its own words, for a model that cannot play it. */
export function plainWords(beat: Beat, language: string): string[] {
  const words = language.toLowerCase().startsWith('ru') ? ENDINGS.ru : ENDINGS.en;
  switch (beat.kind) {
    case 'react':
      return [words.react];
    case 'ask':
      return [...beat.questions];
    case 'object':
      return [beat.objection];
    case 'end':
      return [words[beat.ending]];
    default:
      return beat satisfies never;
  }
}
