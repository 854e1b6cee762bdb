/** Parses a system prompt for the sandbox's model: facts to state, questions to ask, the lead's name. */
import { type Language, languageOf, sentencesOf, termsOf } from './language.ts';

export interface Fact {
  text: string;
  language: Language;
  terms: Set<string>;
  /** Terms of the heading or question above it. */
  about: Set<string>;
}

export interface PromptContent {
  facts: Fact[];
  questions: string[];
  leadName: string | null;
}

const instruction =
  /^(?:your|you(?:'re| are| must| should| will| need| write| answer| speak)|answer|be|use|do not|don't|never|always|keep|ask|write|reply|respond|speak|if|when|avoid|offer|say|tell|greet|introduce|make|act|follow|return|output|remember|treat|stay|try|let|please|only|role|your task|ты|твоя|твой|твои|отвечай|отвечайте|пиши|пишите|будь|будьте|не|никогда|всегда|спрашивай|спроси|спросите|задай|задавай|задавайте|используй|используйте|если|когда|говори|говорите|предлагай|предложи|узнай|узнайте|уточни|уточните|веди|ведите|обращайся|обращайтесь|помни|роль|твоя задача|вы (?:—|-|ассистент|менеджер|консультант|помощник))(?!\p{L})/iu;

const aboutLeadOrRules =
  /(?<!\p{L})(?:lead|contact|customer|conversation|history|instructions?|rules?|tone|style|role|format|лид|клиент|контакт|инструкц|правил|стиль|тон|роль|формат)/iu;

/** Sentences about the prompt itself, not its subject. */
const aboutPrompt = /\b(?:instructions? to you|(?:block|data|section|text) (?:above|below))\b/i;

/** A tagged block of data, such as the facts about the lead: never used in an answer. */
const taggedBlock = /^<([a-z][\w-]*)>\n([\s\S]*?)^<\/\1>$/gim;

const technicalLine =
  /^(?:lead|contact|name|stage|time ?zone|status|phone|username|language|now|today|current (?:date|time)|crm[ _]fields?|messenger|channel|имя|стадия|часовой пояс|статус|телефон|язык|сейчас|сегодня|лид|клиент|контакт)[^:]{0,20}:/iu;

const asking = /(?<!\p{L})(?:ask|questions?|find out|qualif|спрос|вопрос|узна|уточн|выясн)/iu;

/** Parse a prompt; the same text always gives the same content. */
export function readPrompt(prompt: string): PromptContent {
  const content: PromptContent = { facts: [], questions: [], leadName: leadNameIn(prompt) };
  let heading = '';
  let instructing = false;
  for (const raw of prompt.replaceAll(taggedBlock, '').split('\n')) {
    const line = plain(raw);
    if (line === '') continue;
    if (isHeading(raw, line)) {
      heading = line.replace(/[:：]$/, '');
      instructing = aboutLeadOrRules.test(heading) && !asking.test(heading);
      continue;
    }
    for (const sentence of sentencesOf(line)) {
      const quoted = asking.test(sentence) ? quotedQuestions(sentence) : [];
      content.questions.push(...quoted);
      if (quoted.length > 0 || technicalLine.test(sentence) || aboutPrompt.test(sentence)) continue;
      if (/\?["»”]?$/.test(sentence)) {
        if (asking.test(heading)) content.questions.push(sentence);
        else heading = sentence;
      } else if (!instructing && !instruction.test(sentence)) {
        content.facts.push(fact(sentence, heading));
      }
    }
  }
  return content;
}

function fact(sentence: string, heading: string): Fact {
  const text = sentence.replace(/^(?:a|answer|о|ответ):\s*/iu, '');
  return { text: closed(text), language: languageOf(text) ?? 'en', terms: termsOf(text), about: termsOf(heading) };
}

/** Remove the markdown of a line, and the number or dash of a list. */
function plain(raw: string): string {
  return raw
    .replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '')
    .replace(/^#+\s*/, '')
    .replaceAll(/\*\*|__|`/g, '')
    .trim();
}

function isHeading(raw: string, line: string): boolean {
  if (/^\s*#/.test(raw) || /^\s*\*\*[^*]+\*\*:?\s*$/.test(raw)) return true;
  return /[:：]$/.test(line) && line.length < 80;
}

function quotedQuestions(sentence: string): string[] {
  return [...sentence.matchAll(/["«“]([^"»”]+\?)["»”]/g)].flatMap((found) => found[1] ?? []);
}

function leadNameIn(prompt: string): string | null {
  const dataName = /^\{"name":"(\p{Lu}\p{Ll}+)/mu.exec(
    [...prompt.matchAll(taggedBlock)].map(([, , block]) => block).join('\n'),
  );
  if (dataName?.[1] !== undefined) return dataName[1];
  const found =
    /(?:lead(?:'s)?(?: name)?|customer(?: name)?|^[\s-]*name|имя(?: (?:лида|клиента))?|клиент|лид)\s*(?::|—|=)\s*(\p{Lu}\p{Ll}+)/mu.exec(
      prompt
        .replaceAll(/\bLead\b/g, 'lead')
        .replaceAll(/\bName\b/g, 'name')
        .replaceAll('Имя', 'имя')
        .replaceAll('Клиент', 'клиент'),
    );
  return found?.[1] ?? null;
}

function closed(text: string): string {
  return /[.!?…]["»”)]?$/.test(text) ? text : `${text.replace(/[;,]$/, '')}.`;
}
