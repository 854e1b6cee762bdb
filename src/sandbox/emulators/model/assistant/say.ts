/** What the sandbox's model says to an operator, in his language. */
import { type Language, languageOf } from '../language.ts';

export const languageFor = (words: string): Language => languageOf(words) ?? 'en';

/** «set_limits» in words. */
export const inWords = (tool: string): string => tool.replaceAll('_', ' ').trim();

export const sentences = {
  en: {
    iAm: "I am the sandbox's model: no vendor's model answers here.",
    propose: (deeds: string) => `I propose: ${deeds}.`,
    lacks: (tool: string, missing: string) => `To ${tool} I still need: ${missing}.`,
    unclear: (words: string) => `I did not understand “${words}”.`,
    unknown: 'I did not understand that.',
    can: (deeds: string) => `Here I can: ${deeds}.`,
    canNothing: 'This page gives me nothing to do; I can tell what it shows.',
    did: (deed: string, how: string) => `${deed}: ${how}.`,
    failed: (deed: string, why: string) => `${deed} did not work: ${why}.`,
    denied: (deed: string) => `All right, I leave it: ${deed} was not done.`,
    instead: (deed: string) => `Then so: ${deed}.`,
    done: 'done',
    isValue: (what: string, value: string) => `${what} is ${value}.`,
    notShown: 'The page does not show that.',
    count: (what: string, count: number) => `${what}: ${count}.`,
    empty: 'empty',
    yes: 'yes',
    no: 'no',
    noChange: 'I could not find that in the text, so I propose no change.',
  },
  ru: {
    iAm: 'Я модель песочницы: настоящая модель здесь не отвечает.',
    propose: (deeds: string) => `Предлагаю: ${deeds}.`,
    lacks: (tool: string, missing: string) => `Для «${tool}» мне нужно ещё: ${missing}.`,
    unclear: (words: string) => `Я не понял «${words}».`,
    unknown: 'Я этого не понял.',
    can: (deeds: string) => `Здесь я умею: ${deeds}.`,
    canNothing: 'На этой странице мне нечего делать; могу рассказать, что она показывает.',
    did: (deed: string, how: string) => `${deed}: ${how}.`,
    failed: (deed: string, why: string) => `${deed} не получилось: ${why}.`,
    denied: (deed: string) => `Хорошо, оставляю как есть: ${deed} не сделано.`,
    instead: (deed: string) => `Тогда так: ${deed}.`,
    done: 'готово',
    isValue: (what: string, value: string) => `${what}: ${value}.`,
    notShown: 'Страница этого не показывает.',
    count: (what: string, count: number) => `${what}: ${count}.`,
    empty: 'пусто',
    yes: 'да',
    no: 'нет',
    noChange: 'Я не нашёл этого в тексте и ничего не предлагаю.',
  },
} as const satisfies Record<Language, unknown>;

const LONGEST = 120;

export function shortly(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A call in words: «set limits (tg daily limit 30)». */
export function deedOf(name: string, args: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(args).map(([key, value]) => `${inWords(key)} ${shortly(value)}`);
  return given.length === 0 ? inWords(name) : `${inWords(name)} (${given.join(', ')})`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether it wants to know who answers. */
export const asksWho = (words: string): boolean =>
  /who are you|what are you|(?:which|what) model (?:are|is this|do you)|are you (?:an? )?(?:bot|robot|human|real|ai\b|gpt|claude)|(?<!\p{L})кто ты|кто вы|ты кто|вы кто|что ты за|какая ты модель|ты (?:бот|робот|человек)/iu.test(
    words,
  );

/** Whether it wants to know what can be done here. */
export const asksWhat = (words: string): boolean =>
  /what (?:can|could) you do|what can i (?:do|ask)|help me\b|^\W*help\W*$|how can you help|что (?:ты )?(?:умеешь|можешь)|чем (?:ты )?(?:можешь )?помо|^\P{L}*помо(?:щь|ги)\P{L}*$/iu.test(
    words,
  );
