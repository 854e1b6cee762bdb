/** Words and colours of runs, results, cases and requirements, defined once for all pages of the studio. */
import { botHandOverReasons } from '../../leads/lead.ts';
import type { Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { Tone } from '../../ui/theme.ts';
import { bans, type CaseSource, type Requirement, type RequirementKind } from '../caseContract.ts';
import {
  type ChangeKind,
  type RunKind,
  type RunState,
  runKinds,
  runStates,
  type StudioResult,
  type StudioRun,
} from '../runContract.ts';

interface Label {
  readonly label: string;
  readonly tone: Tone;
}

export function kindLabel(kind: RunKind): string {
  const labels: Readonly<Record<RunKind, string>> = {
    gate: t('Test cases'),
    replay: t('Replay'),
    classification: t('Stage detection'),
    simulation: t('Simulated leads'),
  };
  return labels[kind];
}

export const kindOptions = (): { value: RunKind; label: string }[] =>
  runKinds.map((value) => ({ value, label: kindLabel(value) }));

export function stateOf(state: RunState): Label {
  const labels: Readonly<Record<RunState, Label>> = {
    queued: { label: t('Waiting'), tone: 'gray' },
    running: { label: t('Running'), tone: 'blue' },
    done: { label: t('Done'), tone: 'green' },
    stopped: { label: t('Budget reached'), tone: 'orange' },
    cancelled: { label: t('Cancelled'), tone: 'gray' },
    failed: { label: t('Failed'), tone: 'red' },
  };
  return labels[state];
}

export const stateOptions = (): Option[] => runStates.map((value) => ({ value, label: stateOf(value).label }));

export const isActive = ({ state }: Pick<StudioRun, 'state'>): boolean => state === 'queued' || state === 'running';

type ResultState = StudioResult['state'];

type GateCase = Extract<NonNullable<StudioRun['verdict']>, { kind: 'gate' }>['cases'][number];

/** Whether a case of a gate is green although it does not always pass: what is live does no better. */
export const isNoWorse = ({ state, candidate: { count, total } }: GateCase): boolean =>
  state === 'green' && count < total;

/** The label of a case or result that is green although it does not always pass. */
export const noWorseLabel = (): Label => ({ label: t('No worse'), tone: 'yellow' });

export function resultLabel(state: ResultState): Label {
  const labels: Readonly<Record<ResultState, Label>> = {
    open: { label: t('Not finished'), tone: 'gray' },
    green: { label: t('Passes'), tone: 'green' },
    red: { label: t('Fails'), tone: 'red' },
    advisory: { label: t('Advice only'), tone: 'yellow' },
    missing: { label: t('No evidence'), tone: 'orange' },
    changed: { label: t('Changed'), tone: 'yellow' },
    same: { label: t('Unchanged'), tone: 'gray' },
  };
  return labels[state];
}

/** The states that results of each kind of run can have, what matters most first. */
export const resultStates: Readonly<Record<RunKind, readonly ResultState[]>> = {
  gate: ['red', 'missing', 'advisory', 'green'],
  replay: ['changed', 'same', 'missing'],
  classification: ['changed', 'same', 'missing'],
  simulation: ['red', 'missing', 'advisory', 'green'],
};

export function changeLabel(kind: ChangeKind): string {
  const labels: Readonly<Record<ChangeKind, string>> = {
    numbers: t('Numbers'),
    prices: t('Prices'),
    links: t('Links'),
    questions: t('Questions'),
    hand_over: t('Hand-over'),
    stage: t('Stage'),
    length: t('Length'),
    language: t('Language'),
    wording: t('Wording'),
  };
  return labels[kind];
}

export function sourceLabel(source: CaseSource): string {
  const labels: Readonly<Record<CaseSource, string>> = {
    keep: t('Keep this'),
    never: t('Never this'),
    should_say: t('Should have said'),
    manual: t('Written by hand'),
  };
  return labels[source];
}

/** Names of the kinds of requirements, in the order in which they are offered. */
export function requirementKindLabel(kind: RequirementKind): string {
  const labels: Readonly<Record<RequirementKind, string>> = {
    contains: t('Contains'),
    not_contains: t('Does not contain'),
    matches: t('Matches the pattern'),
    not_matches: t('Does not match the pattern'),
    language: t('Is written in'),
    max_length: t('Is not longer than'),
    known_facts: t('Only known prices and links'),
    max_questions: t('Questions, at most'),
    hands_over: t('Hands over to a person'),
    no_hand_over: t('Does not hand over'),
    no_tool: t('Calls no tool'),
    keeps: t('Keeps the facts of this answer'),
    never: t('Does not say this again'),
    stage: t('Names the stage'),
  };
  return labels[kind];
}

/** Say a requirement in a sentence: `Contains “12,500”`. */
export function requirementText(requirement: Requirement): string {
  const name = requirementKindLabel(requirement.kind);
  switch (requirement.kind) {
    case 'contains':
    case 'not_contains':
    case 'keeps':
    case 'never':
      return t('{{name}}: “{{text}}”', { name, text: requirement.text });
    case 'matches':
    case 'not_matches':
      return `${name}: ${requirement.pattern}`;
    case 'language':
      return `${name}: ${languageLabel(requirement.language)}`;
    case 'max_length':
      return t('Has at most {{count, number}} characters', { count: requirement.characters });
    case 'max_questions':
      return t('Asks at most {{count}} questions', {
        count: requirement.count,
        defaultValue_one: 'Asks at most {{count}} question',
      });
    case 'hands_over':
      return requirement.reason === null ? name : `${name}: ${handOverLabel(requirement.reason)}`;
    case 'stage':
      return `${name}: ${requirement.stage}`;
    case 'known_facts':
    case 'no_hand_over':
    case 'no_tool':
      return name;
    default:
      return requirement satisfies never;
  }
}

export const isBan = (kind: RequirementKind): boolean => bans.has(kind);

/** Name a language in English: `Russian`. */
export const languageLabel = (code: string): string =>
  new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;

type HandOverCode = (typeof botHandOverReasons)[number];

export function handOverLabel(reason: HandOverCode): string {
  const labels: Readonly<Record<HandOverCode, string>> = {
    asked_for_human: t('asks for a person'),
    agrees_to_buy: t('agrees to buy'),
    cannot_answer: t('asks what the prompt does not know'),
    threatens: t('threatens or complains'),
  };
  return labels[reason];
}

export const handOverOptions = (): Option[] =>
  botHandOverReasons.map((value) => ({ value, label: handOverLabel(value) }));

/** Format a share, 0 to 1, as a whole percentage. */
export const formatShare = (share: number): string => t('{{percent}} %', { percent: Math.round(share * 100) });

/** The finding of a run in one sentence; null: none yet. */
export function verdictText({
  verdict,
  state,
  reason,
}: Pick<StudioRun, 'verdict' | 'state' | 'reason'>): string | null {
  if (verdict === null) return state === 'failed' || state === 'stopped' ? reason : null;
  switch (verdict.kind) {
    case 'gate': {
      const red = verdict.cases.filter((one) => one.state === 'red').length;
      const total = verdict.cases.length;
      if (verdict.state === 'missing') return t('Not enough evidence');
      const passed = verdict.cases.filter((one) => one.state === 'green' && !isNoWorse(one)).length;
      if (verdict.state === 'green' && verdict.cases.some(isNoWorse))
        return t('No case is worse than live; {{passed}} of {{total}} pass every time', { passed, total });
      if (verdict.state === 'green')
        return t('All {{count}} cases pass', { count: total, defaultValue_one: 'The only case passes' });
      return red === 0
        ? t('Worse than the live version over all cases')
        : t('{{red}} of {{count}} cases fail', { red, count: total, defaultValue_one: 'The only case fails' });
    }
    case 'replay':
      return t('{{changed}} of {{total}} answers change beyond noise', {
        changed: verdict.changed.count,
        total: verdict.changed.total,
      });
    case 'classification':
      return t('Agrees with the outcome in {{candidate}} of {{total}} dialogues; live: {{live}}', {
        candidate: verdict.candidate.count,
        total: verdict.candidate.total,
        live: verdict.live.count,
      });
    case 'simulation': {
      const passed = verdict.personas.filter(({ passes }) => passes).length;
      return t('{{passed}} of {{total}} simulated leads pass every time', { passed, total: verdict.personas.length });
    }
    default:
      return verdict satisfies never;
  }
}
