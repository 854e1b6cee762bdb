/**
 * The sandbox model's answer to a lead: sentences of its own prompt in a simple frame, chosen by the words they share
 * with the lead's messages. It states nothing that the prompt does not state.
 */
import {
  asksAbout,
  asksWhetherBot,
  intentOf,
  isGreeting,
  isQuestion,
  isThanks,
  type Language,
  languageOf,
  sentencesOf,
  termsOf,
} from './language.ts';
import { type Fact, type PromptContent, readPrompt } from './prompt.ts';

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
}

const phrases = {
  en: {
    hello: (name: string | null) => (name === null ? 'Hello!' : `Hello, ${name}!`),
    warm: 'Glad to hear that!',
    agreed: "Great, let's do it! A colleague will contact you here to settle the details.",
    refused: 'I understand, thank you for telling me. If anything changes, just write here. All the best!',
    leftAlone: 'Sorry to have bothered you, we will not write again.',
    wrong: 'Sorry, it seems I have the wrong contact. Have a good day!',
    later: 'Of course, take your time. I will be here when it suits you.',
    thanks: 'You are welcome!',
    noted: 'Got it, thank you!',
    unknown: 'I will check that with a colleague and come back to you.',
    unknownToo: 'The rest I will check with a colleague and come back to you.',
    bot: 'I am a virtual assistant; a colleague can join us at any moment.',
    step: 'Shall we arrange the next step?',
    anything: 'What would you like to know?',
    followUp: 'just checking whether my last message reached you.',
    ready: 'If you have any questions, I am here.',
  },
  ru: {
    hello: (name: string | null) => (name === null ? 'Здравствуйте!' : `Здравствуйте, ${name}!`),
    warm: 'Рады это слышать!',
    agreed: 'Отлично, договорились! Коллега напишет вам здесь, чтобы согласовать детали.',
    refused: 'Понимаю, спасибо, что сказали. Если что-то изменится, просто напишите сюда. Всего доброго!',
    leftAlone: 'Извините за беспокойство, больше не напишем.',
    wrong: 'Извините, похоже, я ошибся контактом. Хорошего дня!',
    later: 'Конечно, не торопитесь. Напишите, когда вам будет удобно.',
    thanks: 'Пожалуйста!',
    noted: 'Понял вас, спасибо!',
    unknown: 'Уточню это у коллеги и вернусь к вам с ответом.',
    unknownToo: 'Остальное уточню у коллеги и вернусь к вам с ответом.',
    bot: 'Я виртуальный помощник; коллега может подключиться в любой момент.',
    step: 'Договоримся о следующем шаге?',
    anything: 'Что вам рассказать?',
    followUp: 'хочу убедиться, что моё сообщение дошло.',
    ready: 'Если появятся вопросы, я на связи.',
  },
} as const;

/** Answer the messages since the model's last one; `extra` is the result of its tools. */
export function reply(prompt: string, turns: Turn[], extra = ''): string {
  const content = readPrompt(`${prompt}\n${extra}`);
  const sentTexts = turns.filter((turn) => turn.role === 'assistant').map((turn) => turn.text);
  const burst = turns.slice(turns.findLastIndex((turn) => turn.role === 'assistant') + 1).map((turn) => turn.text);
  const userText = burst.join('\n');
  const language = replyLanguage(content, userText === '' ? (turns.at(-1)?.text ?? prompt) : userText);
  const say = phrases[language];
  if (userText === '')
    return sentTexts.length === 0 ? opening(content, language) : followUp(content, language, sentTexts);

  const greeting = sentTexts.length === 0 || burst.some(isGreeting) ? [say.hello(content.leadName)] : [];
  const intent = intentOf(userText);
  switch (intent) {
    case 'opt_out':
      return say.leftAlone;
    case 'wrong_person':
      return say.wrong;
    case 'refusal':
      return say.refused;
    case 'agreement':
      return [...greeting, ...answers(content, burst, language).answerSentences, say.agreed].join(' ');
    case 'later':
      return [...greeting, ...answers(content, burst, language).answerSentences, say.later].join(' ');
    case 'interest':
      return interested(content, burst, language, sentTexts, greeting);
    case null:
      return talking(content, burst, language, sentTexts, greeting);
    default:
      return intent satisfies never;
  }
}

function interested(
  content: PromptContent,
  burst: string[],
  language: Language,
  sentTexts: string[],
  greeting: string[],
): string {
  const say = phrases[language];
  const { answerSentences } = answers(content, burst, language);
  const facts = answerSentences.length > 0 ? answerSentences : unusedFacts(content, language, sentTexts).slice(0, 2);
  const opener = greeting.length > 0 ? greeting : [say.warm];
  return [...opener, ...facts, nextQuestion(content, language, sentTexts) ?? say.step].join(' ');
}

function talking(
  content: PromptContent,
  burst: string[],
  language: Language,
  sentTexts: string[],
  greeting: string[],
): string {
  const say = phrases[language];
  const userText = burst.join('\n');
  const parts: string[] = [...greeting];
  if (asksWhetherBot(userText)) parts.push(say.bot);
  const { answerSentences, missed } = answers(content, burst, language);
  parts.push(...answerSentences);
  if (missed && !asksWhetherBot(userText)) parts.push(answerSentences.length > 0 ? say.unknownToo : say.unknown);
  const silent = answerSentences.length === 0 && !missed && !asksWhetherBot(userText);
  if (silent && isThanks(userText)) parts.push(say.thanks);
  else if (silent && sentTexts.length > 0 && !burst.every(isGreeting)) parts.push(say.noted);
  const next = nextQuestion(content, language, sentTexts);
  if (next !== null) parts.push(next);
  else if (answerSentences.length === 0 && !missed) parts.push(burst.every(isGreeting) ? say.anything : say.ready);
  return parts.join(' ');
}

/** Return the best sentence for each of the lead's sentences, each once, and whether a question found none. */
function answers(
  content: PromptContent,
  burst: string[],
  language: Language,
): { answerSentences: string[]; missed: boolean } {
  const facts = inLanguage(content.facts, language);
  const answerSentences = new Set<string>();
  let missed = false;
  for (const asked of burst.flatMap(sentencesOf).flatMap(clausesOf)) {
    const terms = termsOf(asked);
    const [best, second] = rankFacts(facts, terms).filter(({ fact }) => answersTo(fact, asked, terms, facts));
    if (best === undefined && asksAbout(asked)) {
      for (const { text } of facts.slice(0, 2)) answerSentences.add(text);
      continue;
    }
    if (best === undefined) {
      missed ||= isQuestion(asked) && !asksWhetherBot(asked) && terms.size > 0;
      continue;
    }
    answerSentences.add(best.fact.text);
    if (second !== undefined && second.score > best.score * 0.85 && answerSentences.size < 4)
      answerSentences.add(second.fact.text);
  }
  return { answerSentences: [...answerSentences].slice(0, 5), missed };
}

/** Split a sentence with two questions: «how do I pay and do you teach French?». */
function clausesOf(sentence: string): string[] {
  return sentence
    .split(
      /,? (?:and|also) (?=(?:how|what|when|where|which|who|do|does|is|are|can|could)\b)|,? и (?=(?:как|что|где|когда|сколько|какой|какая|какие|кто|можно|есть ли)(?!\p{L}))/iu,
    )
    .filter((clause) => clause.trim() !== '');
}

/**
 * Return whether a fact answers the question instead of merely sharing a word: it shares the topic, or words with half
 * the weight of all. A word that no fact contains («lessons on Mars») weighs most. What is not a question («12
 * drivers») is answered by its topic only.
 */
function answersTo(fact: Fact, asked: string, terms: Set<string>, facts: Fact[]): boolean {
  const shared = [...terms].filter((term) => fact.terms.has(term) || fact.about.has(term));
  if (shared.some((term) => term.startsWith('#'))) return true;
  if (!isQuestion(asked)) return false;
  const sum = (some: Iterable<string>): number => [...some].reduce((total, term) => total + weightOf(term, facts), 0);
  const words = [...terms].filter((term) => !term.startsWith('#'));
  return shared.length > 0 && sum(shared) >= sum(words) * 0.5;
}

function weightOf(term: string, facts: Fact[]): number {
  const having = facts.filter((fact) => fact.terms.has(term)).length;
  return (term.startsWith('#') ? 3 : 1) * Math.log(1 + facts.length / Math.max(having, 1));
}

/** Return facts that share enough with the terms, the best first; rare words weigh more than common ones. */
export function rankFacts(facts: Fact[], terms: Set<string>): { fact: Fact; score: number }[] {
  const weights = new Map([...terms].map((term) => [term, weightOf(term, facts)]));
  return facts
    .map((fact) => {
      let score = 0;
      for (const [term, value] of weights) {
        if (fact.terms.has(term)) score += value;
        else if (fact.about.has(term)) score += value * 0.6;
      }
      return { fact, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

function replyLanguage(content: PromptContent, userText: string): Language {
  const requested = languageOf(userText) ?? 'en';
  const factLanguages = new Set(content.facts.map((fact) => fact.language));
  if (factLanguages.size === 0 || factLanguages.has(requested)) return requested;
  return requested === 'en' ? 'ru' : 'en';
}

function inLanguage(facts: Fact[], language: Language): Fact[] {
  const own = facts.filter((fact) => fact.language === language);
  return own.length > 0 ? own : facts;
}

function unusedFacts(content: PromptContent, language: Language, sentTexts: string[]): string[] {
  return inLanguage(content.facts, language)
    .map((fact) => fact.text)
    .filter((text) => !sentTexts.some((sentText) => sentText.includes(text)));
}

/** Return the prompt's first question in this language that was not asked yet. */
function nextQuestion(content: PromptContent, language: Language, sentTexts: string[]): string | null {
  const remaining = content.questions.filter((question) => !sentTexts.some((sentText) => sentText.includes(question)));
  return remaining.find((question) => (languageOf(question) ?? language) === language) ?? null;
}

function opening(content: PromptContent, language: Language): string {
  const say = phrases[language];
  const facts = unusedFacts(content, language, []).slice(0, 2);
  return [say.hello(content.leadName), ...facts, nextQuestion(content, language, []) ?? say.anything].join(' ');
}

function followUp(content: PromptContent, language: Language, sentTexts: string[]): string {
  const say = phrases[language];
  const address = content.leadName === null ? '' : `${content.leadName}, `;
  const line = address + say.followUp;
  const [fact] = unusedFacts(content, language, sentTexts);
  const opener = line.charAt(0).toUpperCase() + line.slice(1);
  return [opener, ...(fact === undefined ? [] : [fact]), nextQuestion(content, language, sentTexts) ?? say.ready].join(
    ' ',
  );
}
