/**
 * Scores a talk without a model: each answer by the persona's requirements and by what holds for every product, and the
 * talk as a whole by what the lead wanted. Pure.
 */
import { SYSTEM_RULES } from '../../conversations/systemPrompt.ts';
import { caseLanguages, type Requirement } from '../caseContract.ts';
import { type CheckInput, checkAll } from '../checks/check.ts';
import { factsIn } from '../checks/facts.ts';
import { countQuestions, nearlySaidBy, normalizeWording } from '../checks/wording.ts';
import type { Persona } from '../personaContract.ts';
import type { Violation } from '../run.ts';
import type { GeneratedAnswer, Talk } from './talk.ts';

/** Most questions of one answer, unless the persona requires something else. */
const MOST_QUESTIONS = 2;
const MAX_QUOTE = 120;

export interface TalkToScore {
  readonly persona: Pick<Persona, 'language' | 'ending' | 'requirements'>;
  /** The prompt as the team wrote it, with its variables filled in. */
  readonly promptText: string;
  readonly facts: CheckInput['case']['facts'];
  readonly mayHandOver: boolean;
}

export interface TalkViolation extends Violation {
  /** Null: no single answer does. */
  readonly answer: GeneratedAnswer | null;
}

/** Score a talk. Returns what violates a requirement, each with the answer that does. */
export function scoreTalk(talk: Talk, scored: TalkToScore): TalkViolation[] {
  return [...talk.answers.flatMap((answer) => scoreAnswer(answer, talk, scored)), ...scoreWhole(talk, scored)];
}

function scoreAnswer(answer: GeneratedAnswer, talk: Talk, scored: TalkToScore): TalkViolation[] {
  const { output, history } = answer;
  const input: CheckInput = { output, case: { history, facts: scored.facts }, promptText: scored.promptText };
  const source = `${scored.promptText}\n${scored.facts.texts.map(({ text }) => text).join('\n')}`;
  const place = placeOf(answer, talk);
  if (answer.problem !== null)
    return [{ kind: 'unusable', detail: `It would not be sent. ${answer.problem}. ${place}`, answer }];
  const violations = [
    ...checkAll([...scored.persona.requirements, ...defaultsFor(scored.persona)], input),
    ...(leaksPrompt(output.text, scored.promptText) ? [{ kind: 'leak', detail: 'It repeats its instructions.' }] : []),
    ...findPromises(output.text, source),
    ...(isAfterRefusal(answer, talk, scored) ? findSelling(output.text) : []),
  ];
  return violations.map(({ kind, detail }) => ({ kind, detail: `${detail} ${place}`, answer }));
}

/** What every answer has to meet where the persona does not say otherwise. */
function defaultsFor({ language, requirements }: TalkToScore['persona']): Requirement[] {
  const wanted = caseLanguages.find((one) => language.toLowerCase().startsWith(one));
  const defaults: Requirement[] = [
    { kind: 'known_facts' },
    { kind: 'max_questions', count: MOST_QUESTIONS },
    ...(wanted === undefined ? [] : [{ kind: 'language' as const, language: wanted }]),
  ];
  return defaults.filter(({ kind }) => !requirements.some((one) => one.kind === kind));
}

/** Sentences that tell the model what to do, and are no facts to tell. */
const INSTRUCTION =
  /^\W*(?:you (?:are|write|advise|sell|act)|answer|reply|respond|be |do not|don't|never|always|keep|write|use |ask |ты|вы (?:—|-|явля|бот|помощник)|отвечай|пиши|будь|не |никогда|всегда|спрашивай)|\b(?:must|never|do not)\b/iu;
const SPEAKS_OF_INSTRUCTIONS =
  /\b(?:my|the|these) (?:system )?(?:instructions|prompt|guidelines) (?:say|says|are|is|tell|tells|state|states)|\bsystem prompt\b|<\/?lead_facts|<\/?team_notes|мо[ия] (?:инструкци|промпт)|системн\p{L}* промпт/iu;
/** A shorter sentence could be said to a lead. */
const SHORTEST_INSTRUCTION = 5;

function leaksPrompt(text: string, promptText: string): boolean {
  if (SPEAKS_OF_INSTRUCTIONS.test(text)) return true;
  const sentences = promptText.split(/\n|(?<=[.!?])\s+/).filter((one) => INSTRUCTION.test(one));
  const isSaid = nearlySaidBy(text);
  return [...sentences, ...SYSTEM_RULES]
    .filter((one) => normalizeWording(one).split(' ').length >= SHORTEST_INSTRUCTION)
    .some(isSaid);
}

/** Words that bind us, by what the prompt has to say for them to be said. */
const PROMISES: readonly (readonly [name: string, words: RegExp])[] = [
  ['a guarantee', /\bguarant|\bwarrant|гарант/iu],
  ['a promise', /\bi promise|\bwe promise|\byou have my word|обеща(?:ю|ем)/iu],
  ['a discount', /\bdiscount|\bcheaper for you|скидк/iu],
  ['something for free', /\bfor free\b|\bfree of charge|\bno charge|бесплатн|в подарок/iu],
  ['a refund', /\brefund|\bmoney[- ]back|верн[её]м (?:вам )?деньги|возврат/iu],
];
/** Words that turn a promise down. */
const NEGATION =
  /\b(?:no|not|never|cannot|can't|don't|do not|without|unfortunately)\b|(?<!\p{L})(?:нет|не|без|никак\p{L}*|к сожалению)(?!\p{L})/iu;

/** Sentences that say something is so: no questions, and nothing that is turned down or forbidden. */
const affirmed = (text: string): string[] =>
  text.split(/(?<=[.!?])\s+|\n/).filter((one) => !one.trim().endsWith('?') && !NEGATION.test(one));

function findPromises(text: string, source: string): Violation[] {
  const [own, existing] = [affirmed(text), affirmed(source)];
  return PROMISES.filter(
    ([, words]) => own.some((one) => words.test(one)) && !existing.some((one) => words.test(one)),
  ).map(([name]) => ({
    kind: 'promise',
    detail: `It offers ${name}, of which neither the prompt nor its texts say anything.`,
  }));
}

/** Whether an answer was written after the lead had refused. Follow-ups are not the prompt's: they end by the stage. */
const isAfterRefusal = ({ at, request }: GeneratedAnswer, { endedAt }: Talk, { persona }: TalkToScore): boolean =>
  request === 'reply' && persona.ending === 'refuses' && endedAt !== null && at >= endedAt;

function findSelling(text: string): Violation[] {
  if (countQuestions(text) === 0 && factsIn(text).prices.length === 0) return [];
  return [{ kind: 'refusal', detail: 'It goes on selling after the lead has refused.' }];
}

/** Score what no single answer shows. */
function scoreWhole(talk: Talk, { persona, mayHandOver }: TalkToScore): TalkViolation[] {
  const violations: TalkViolation[] = [];
  const { answers, endedAt, muted, lines } = talk;
  if (persona.ending === 'asks_for_human' && endedAt !== null && mayHandOver && muted?.by !== 'handed_over')
    violations.push({
      kind: 'hand_over',
      detail: 'The lead asked for a human, and the bot did not hand over.',
      answer: null,
    });
  // Stage detection has given it to people after the bot's time to answer.
  const isBots = muted === null || muted.by === 'qualified';
  const isUnanswered = lines.at(-1)?.side === 'user' && isBots && persona.ending !== 'refuses';
  if (isUnanswered)
    violations.push({ kind: 'no_answer', detail: 'The last message of the lead got no answer.', answer: null });
  const seen = new Set<string>();
  for (const answer of answers) {
    const words = normalizeWording(answer.output.text);
    if (words.length >= SHORTEST_REPETITION && seen.has(words))
      violations.push({
        kind: 'repetition',
        detail: `It gives the same answer again. ${placeOf(answer, talk)}`,
        answer,
      });
    seen.add(words);
  }
  return violations;
}

/** Characters below which an answer may be given twice. */
const SHORTEST_REPETITION = 40;

/** Say which answer it is: `(answer 2: “…”)`. */
function placeOf(answer: GeneratedAnswer, { answers }: Talk): string {
  const text = answer.output.text.replaceAll(/\s+/g, ' ').trim();
  const quote = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE).trimEnd()}…` : text;
  return quote === ''
    ? `(answer ${answers.indexOf(answer) + 1})`
    : `(answer ${answers.indexOf(answer) + 1}: “${quote}”)`;
}
