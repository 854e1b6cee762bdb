/** The scripted model's answer to a lead: sentences of its prompt. It states nothing that the prompt does not state. */
import { type Answer, type ChatRequest, lastUserTexts, systemOf, textOf, toolResults } from './request.ts';
import {
  GREETING,
  HUMAN_REASONS,
  INSTRUCTION,
  type Language,
  OPT_OUT,
  PHRASES,
  QUESTION,
  RULES,
  type Rule,
} from './rules.ts';
import { callHuman, callLookup, callStop } from './toolCalls.ts';
import { countShared, languageOf, sentencesOf, stringsIn, termsOf } from './words.ts';

interface Fact {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}

/** The server's own request for a message that answers nobody. */
const UNPROMPTED = /^\[The person has not answered|^Write the text now/;

export function answerLead(request: ChatRequest): Answer {
  const results = toolResults(request).flatMap(({ content }) => stringsIn(content));
  const sent = request.messages.filter(({ role }) => role === 'assistant').map(textOf);
  const texts = lastUserTexts(request).filter((text) => !UNPROMPTED.test(text));
  const asked = texts.join('\n');
  const prompt = readPrompt([systemOf(request), ...results].join('\n'), asked);
  const say = PHRASES[prompt.language];
  const rule = RULES.find(({ words }) => words.test(asked));
  const stop = rule === OPT_OUT ? callStop(request) : null;
  if (stop) return { text: '', toolCalls: [stop] };
  const reason = humanReason(asked, rule);
  const human = reason === null ? null : callHuman(request, reason);
  if (human) return { text: '', toolCalls: [human] };
  if (rule?.use === 'alone') return { text: rule.says[prompt.language], toolCalls: [] };

  const { answers, missed } = findAnswers(prompt.facts, asked);
  const call = missed ? (callLookup(request, asked) ?? callHuman(request, 'cannot_answer')) : null;
  if (call) return { text: '', toolCalls: [call] };
  const news = prompt.facts.map(({ text }) => text).filter((text) => !sent.some((one) => one.includes(text)));
  const isNewsWanted = answers.length === 0 && (asked === '' || rule?.use === 'more');
  const question = prompt.questions.find((one) => !sent.some((text) => text.includes(one)));
  const parts = [
    ...(sent.length === 0 || GREETING.test(asked) ? [`${say.hello}${prompt.leadName}!`] : []),
    ...(rule?.use === 'more' ? [rule.says[prompt.language]] : []),
    ...(isNewsWanted ? news.slice(0, 2) : answers),
    ...(missed ? [say.unknown] : []),
    ...(rule?.use === 'last' ? [rule.says[prompt.language]] : question === undefined ? [] : [question]),
  ];
  const saysMore = parts.length > (sent.length === 0 ? 1 : 0);
  return { text: (saysMore ? parts : [...parts, say.anything]).join(' '), toolCalls: [] };
}

/** Return why the lead needs a human, by what it wrote; null if it needs none. */
function humanReason(asked: string, rule: Rule | undefined): string | null {
  if (rule === OPT_OUT) return null;
  const found = HUMAN_REASONS.find(([, words]) => words.test(asked));
  return found?.[0] ?? (rule?.stage === 'success' ? 'agrees_to_buy' : null);
}

/** Read the facts and the questions of a prompt in the language of what was asked, and the lead's first name. */
function readPrompt(prompt: string, asked: string) {
  const leadName = /<lead_facts>\n\{"name":"(\p{Lu}\p{Ll}+)/u.exec(prompt)?.[1];
  const sentences = sentencesOf(prompt.replace(/<lead_facts>[\s\S]*?<\/lead_facts>/g, '')).filter(
    (sentence) => !INSTRUCTION.test(sentence) && !/^#|:$/.test(sentence),
  );
  const wanted = languageOf(asked);
  const own = sentences.filter((sentence) => languageOf(sentence) === wanted);
  const language: Language = own.length > 0 || wanted === 'en' ? wanted : 'en';
  const used = own.length > 0 ? own : sentences;
  return {
    language,
    leadName: leadName === undefined ? '' : `, ${leadName}`,
    questions: used.filter((sentence) => sentence.endsWith('?')),
    facts: used
      .filter((sentence) => !sentence.endsWith('?'))
      .map(
        (sentence): Fact => ({ text: /[.!…]$/.test(sentence) ? sentence : `${sentence}.`, terms: termsOf(sentence) }),
      ),
  };
}

/** Find the best fact for each sentence; `missed` if a question has none, and no rule knows it. */
function findAnswers(facts: readonly Fact[], asked: string): { answers: string[]; missed: boolean } {
  const answers = new Set<string>();
  let missed = false;
  for (const sentence of sentencesOf(asked).flatMap((one) => one.split(/,? and (?=how|what|when|where|do|can)/i))) {
    const terms = termsOf(sentence);
    const best = bestFact(facts, terms);
    const isQuestion = QUESTION.test(sentence);
    if (best !== undefined && (isQuestion || hasTopic(best.terms, terms))) answers.add(best.text);
    else missed ||= isQuestion && terms.size > 0 && !RULES.some(({ words }) => words.test(sentence));
  }
  return { answers: [...answers], missed };
}

/** Return the fact that shares most with the question; none if it neither shares the topic nor half of the words. */
function bestFact(facts: readonly Fact[], asked: ReadonlySet<string>): Fact | undefined {
  const weights = new Map(
    [...asked].map((term) => {
      const having = facts.filter(({ terms }) => terms.has(term)).length;
      // A rare word weighs more than a common one, and a topic more than a word.
      return [term, (term.startsWith('#') ? 3 : 1) * Math.log(1 + facts.length / Math.max(having, 1))];
    }),
  );
  const sum = (terms: Iterable<string>) => [...terms].reduce((total, term) => total + (weights.get(term) ?? 0), 0);
  const least = sum([...asked].filter((term) => !term.startsWith('#'))) / 2;
  const [best] = facts
    .map((fact) => ({ fact, score: sum(fact.terms) }))
    .filter(({ fact, score }) => score > 0 && (hasTopic(fact.terms, asked) || score >= least))
    .toSorted((one, other) => other.score - one.score);
  return best?.fact;
}

function hasTopic(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return countShared(one, new Set([...other].filter((term) => term.startsWith('#')))) > 0;
}
