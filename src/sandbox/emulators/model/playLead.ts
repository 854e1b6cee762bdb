/**
 * The scripted model as a simulated lead. It writes the step that it is asked for in the style of the person, and does so
 * the same way for the same request. A style that names a fault shows what models do wrong: `Fault: swaps_roles`.
 */
import { z } from 'zod';
import { type ChatRequest, systemOf, textOf } from './request.ts';
import type { Language } from './rules.ts';

const personSchema = z.object({ language: z.string(), style: z.string(), goal: z.string() });

/** Return whether the prompt asks for what a person types. */
export const wantsPlay = (request: ChatRequest): boolean =>
  /\{"messages": \["\.\.\."\]\}[\s\S]*<person>\n\{/.test(systemOf(request));

const WORDS = {
  en: {
    hello: ['hello', 'hi there', 'good day'],
    react: ['ok', 'i see', 'hm', 'thanks', 'alright', 'hmm ok'],
    answer: ['not sure yet', 'for the two of us', 'rather soon', 'does not matter much', 'about average'],
    buys: 'i want to buy it',
    asks_for_human: 'i want to talk to a human, not a bot',
    refuses: 'i am not interested, thanks',
    opts_out: 'stop writing to me',
  },
  ru: {
    hello: ['здравствуйте', 'добрый день', 'привет'],
    react: ['понятно', 'хм', 'ясно', 'ладно', 'спасибо'],
    answer: ['пока не знаю', 'для двоих', 'скорее скоро', 'не важно', 'средний'],
    buys: 'хочу купить',
    asks_for_human: 'соедините меня с живым человеком',
    refuses: 'мне это не интересно, спасибо',
    opts_out: 'не пишите мне больше',
  },
} as const;

const ENDINGS = [
  ['buys', /want to buy/],
  ['asks_for_human', /talk to a human/],
  ['refuses', /not interested/],
  ['opts_out', /stop writing/],
] as const;

/** Write the step in the person's words, as JSON. */
export function playLead(request: ChatRequest): string {
  const person = personSchema.parse(JSON.parse(/<person>\n(\{.*\})\n<\/person>/.exec(systemOf(request))?.[1] ?? '{}'));
  const asked = request.messages.filter(({ role }) => role === 'user').map(textOf);
  const [talk = ''] = asked;
  const isRepair = asked.length > 1;
  const step = talk.slice(talk.lastIndexOf('\nNow '));
  const language: Language = person.language.startsWith('ru') ? 'ru' : 'en';
  const fault = /Fault: (\w+)/.exec(person.style)?.[1];
  const messages = stepInWords(step, { talk, language }).map((text) => inStyle(text, person.style));
  return JSON.stringify({ messages: withFault(messages, fault, { talk, isRepair }) });
}

/** Put a step into plain words: a reaction, then each question or objection, or the ending. */
function stepInWords(step: string, { talk, language }: { talk: string; language: Language }): string[] {
  const words = WORDS[language];
  const pick = (list: readonly string[]): string => list[hashOf(talk) % list.length] ?? '';
  const ending = step.startsWith('\nNow end the conversation') && ENDINGS.find(([, pattern]) => pattern.test(step));
  if (ending) return [words[ending[0]]];
  const ours = [...talk.matchAll(/^us: (".*")$/gm)].at(-1)?.[1] ?? '""';
  const isAsked = String(JSON.parse(ours)).includes('?');
  const reaction = ours === '""' ? pick(words.hello) : pick(isAsked ? words.answer : words.react);
  const lines = z.array(z.string()).parse(JSON.parse(/: (\[.*\])$/.exec(step.trim())?.[1] ?? '[]'));
  const [first, ...rest] = lines;
  // Half of the leads write the reaction and the question in one message.
  return first !== undefined && hashOf(`${talk} joined`) % 2 === 0
    ? [`${reaction}, ${first}`, ...rest]
    : [reaction, ...lines];
}

/** Write as the person's style says: without capitals and full stops, with them, or with emoji. */
function inStyle(text: string, style: string): string {
  const isCurt = /curt|short|few words|no punctuation|lower ?case|hurried/i.test(style);
  const isFormal = /formal|polite|correct|full sentences|punctuation/i.test(style) && !isCurt;
  if (isCurt) return text.toLowerCase().replace(/[.!]+$/, '');
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  const ended = isFormal && !/[.!?…]$/.test(capital) ? `${capital}.` : capital;
  return /emoji/i.test(style) && hashOf(text) % 3 === 0 ? `${ended} 🙂` : ended;
}

/** Make the mistake that a style names. Some are not made again when they were pointed out. */
function withFault(
  messages: string[],
  fault: string | undefined,
  { talk, isRepair }: { talk: string; isRepair: boolean },
): string[] {
  const ours = String(JSON.parse([...talk.matchAll(/^us: (".*")$/gm)].at(-1)?.[1] ?? '"How can I help you?"'));
  switch (fault) {
    case 'swaps_roles':
      return isRepair ? messages : [`${ours} How can I help you?`];
    case 'always_swaps_roles':
      return [`${ours} How can I help you?`];
    case 'thinks':
      return [`<think>I am the customer. I should ask now.</think>${messages[0] ?? ''}`, ...messages.slice(1)];
    case 'remarks':
      return isRepair ? messages : ['As the customer I should ask this now:', ...messages];
    case 'ends_early':
      return isRepair ? messages : ['Thank you, goodbye! ###STOP###'];
    default:
      return messages;
  }
}

function hashOf(text: string): number {
  let hash = 7;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) >>> 0;
  return hash;
}
