/** Checks an output against requirements. Pure and without a model: the same output gets the same violations. */
import type { CaseFacts, caseLanguages, Requirement, RequirementKind } from '../caseContract.ts';
import type { Violation } from '../run.ts';
import type { StudioOutput } from '../runContract.ts';
import { type Fact, type Facts, factsIn, unknownFacts, valuesOf } from './facts.ts';
import { possibleLanguages } from './language.ts';
import { matchesPattern, patternProblem } from './pattern.ts';
import { countQuestions, normalizeSpace, saysNearly } from './wording.ts';

/** What an output is checked against. */
export interface CheckInput {
  readonly output: StudioOutput;
  readonly case: {
    readonly history: readonly { readonly text: string }[];
    readonly facts: Pick<CaseFacts, 'lead' | 'contact' | 'documents' | 'texts' | 'notes'>;
  };
  /** The prompt with its variables filled in. */
  readonly promptText: string;
}

type Check<Kind extends RequirementKind> = (
  requirement: Extract<Requirement, { kind: Kind }>,
  input: CheckInput,
) => string | null;

const LANGUAGES: Readonly<Record<(typeof caseLanguages)[number], string>> = {
  en: 'English',
  ru: 'Russian',
  es: 'Spanish',
  de: 'German',
  fr: 'French',
  uk: 'Ukrainian',
  kk: 'Kazakh',
  tr: 'Turkish',
};

/** Whether the bot gives the dialogue to a human instead of answering: then there are no words to check. */
const isHandOver = ({ output }: CheckInput): boolean => output.hand_over !== null;

const handOverInstead = 'The bot hands over instead of answering.';

const contains: Check<'contains'> = ({ text }, input) => {
  if (isHandOver(input)) return handOverInstead;
  return normalizeSpace(input.output.text).includes(normalizeSpace(text)) ? null : `It does not say “${text}”.`;
};

const notContains: Check<'not_contains'> = ({ text }, { output }) =>
  normalizeSpace(output.text).includes(normalizeSpace(text)) ? `It says “${text}”.` : null;

const matches: Check<'matches'> = ({ pattern }, input) => {
  if (isHandOver(input)) return handOverInstead;
  if (patternProblem(pattern) !== null) return `The pattern ${pattern} cannot be used.`;
  return matchesPattern(pattern, input.output.text) ? null : `Nothing in it matches ${pattern}.`;
};

const notMatches: Check<'not_matches'> = ({ pattern }, { output }) => {
  if (patternProblem(pattern) !== null) return `The pattern ${pattern} cannot be used.`;
  return matchesPattern(pattern, output.text) ? `It matches ${pattern}.` : null;
};

const language: Check<'language'> = ({ language: wanted }, { output }) =>
  possibleLanguages(output.text).has(wanted) ? null : `It is not in ${LANGUAGES[wanted]}.`;

const maxLength: Check<'max_length'> = ({ characters }, { output }) => {
  const { length } = Array.from(output.text);
  return length > characters ? `It has ${length} characters; at most ${characters} are allowed.` : null;
};

const NOUNS: Readonly<Record<Fact['kind'], string>> = {
  price: 'price',
  percentage: 'percentage',
  link: 'link',
  phone: 'number',
};

const quoteFacts = (facts: readonly Fact[]): string =>
  facts.map(({ kind, text }) => `the ${NOUNS[kind]} ${text}`).join(', ');

const knownFacts: Check<'known_facts'> = (_requirement, input) => {
  const unknown = unknownFacts(factsIn(input.output.text), sourceFacts(input));
  return unknown.length === 0
    ? null
    : `It states ${quoteFacts(unknown)}, which neither the prompt, the texts nor the dialogue contain.`;
};

/** Those of the inputs that are being checked: all requirements ask for the same. */
const factsOfSources = new WeakMap<CheckInput, Facts>();

/** The facts of everything that the model could know. */
function sourceFacts(input: CheckInput): Facts {
  const existing = factsOfSources.get(input);
  if (existing) return existing;
  const {
    promptText,
    case: { history, facts },
  } = input;
  const { lead, contact, documents, texts, notes } = facts;
  const found = factsIn(
    [
      promptText,
      ...texts.map(({ text }) => text),
      ...Object.values(documents),
      ...notes.map(({ text }) => text),
      ...history.map(({ text }) => text),
      ...Object.values(lead.crm_fields).flat().map(String),
      contact.contact,
    ].join('\n\n'),
  );
  factsOfSources.set(input, found);
  return found;
}

const maxQuestions: Check<'max_questions'> = ({ count }, { output }) => {
  const asked = countQuestions(output.text);
  return asked > count ? `It asks ${asked} questions; at most ${count} are allowed.` : null;
};

const handsOver: Check<'hands_over'> = ({ reason }, { output }) => {
  if (output.hand_over === null) return 'It answers; it should hand over to a human.';
  if (reason === null || output.hand_over === reason) return null;
  return `It hands over because of ${output.hand_over}; the reason should be ${reason}.`;
};

const noHandOver: Check<'no_hand_over'> = (_requirement, { output }) =>
  output.hand_over === null ? null : `It hands over to a human (${output.hand_over}).`;

const noTool: Check<'no_tool'> = (_requirement, { output: { tools } }) =>
  tools.length === 0 ? null : `It calls ${[...new Set(tools)].join(', ')}.`;

/** Facts of the kept text must be in the answer again; there may be more. Its language stays as well. */
const keeps: Check<'keeps'> = ({ text }, input) => {
  if (isHandOver(input)) return handOverInstead;
  const missing = unknownFacts(factsIn(text), factsIn(input.output.text));
  if (missing.length > 0) return `It no longer states ${quoteFacts(missing)}.`;
  const [wanted, actual] = [possibleLanguages(text), possibleLanguages(input.output.text)];
  return [...wanted].some((one) => actual.has(one)) || wanted.size === 0
    ? null
    : 'It is in another language than before.';
};

/** The same words with other prices, links or numbers are something else. */
const never: Check<'never'> = ({ text }, { output }) => {
  if (!saysNearly(output.text, text)) return null;
  const [wanted, actual] = [factsIn(text), factsIn(output.text)];
  const stated = valuesOf(actual.numbers);
  const isSame =
    unknownFacts(wanted, actual).length === 0 &&
    wanted.numbers.every(({ values }) => values.some((value) => stated.has(value)));
  return isSame ? `It says nearly the same as “${shorten(text)}”.` : null;
};

const MAX_QUOTE = 100;
const shorten = (text: string): string => (text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE).trimEnd()}…` : text);

const stage: Check<'stage'> = ({ stage: wanted }, { output }) =>
  output.stage === wanted ? null : `It names the stage ${output.stage ?? 'none'}; ${wanted} is expected.`;

const CHECKS: { readonly [Kind in RequirementKind]: Check<Kind> } = {
  contains,
  not_contains: notContains,
  matches,
  not_matches: notMatches,
  language,
  max_length: maxLength,
  known_facts: knownFacts,
  max_questions: maxQuestions,
  hands_over: handsOver,
  no_hand_over: noHandOver,
  no_tool: noTool,
  keeps,
  never,
  stage,
};

/** Check one requirement. Returns what violates it; null if nothing does. */
export function checkRequirement<Kind extends RequirementKind>(
  requirement: Extract<Requirement, { kind: Kind }> & { readonly kind: Kind },
  input: CheckInput,
): Violation | null {
  const detail = CHECKS[requirement.kind](requirement, input);
  return detail === null ? null : { kind: requirement.kind, detail };
}

/** Check all requirements. Returns what violates them, in their order. */
export function checkAll(requirements: readonly Requirement[], input: CheckInput): Violation[] {
  return requirements.flatMap((requirement) => checkRequirement(requirement, input) ?? []);
}
