/**
 * The rates from which the demo's history is simulated: what a chart of Insights shows of it was stated here. Shares are
 * of those who got so far; factors multiply them.
 */
import type { Experiment } from '../../outcomes/experimentContract.ts';

export const WEEKS = 26;

/** First messages a day; Sunday is free. */
export const LEADS_A_DAY = 12;

/** Versions of the chatbot's prompt: who is qualified, of those who answered. The newest two are the best, and compared by an experiment. */
export const QUALIFIED_BY_VERSION: Readonly<Record<number, number>> = { 1: 0.2, 2: 0.25, 3: 0.27, 4: 0.4, 5: 0.36 };

interface ModelRate {
  readonly vendor: string;
  readonly name: string;
  /** Used up to so many days ago. */
  readonly untilDaysAgo: number;
  readonly qualified: number;
  /** Tokens of an answer. */
  readonly input: number;
  readonly output: number;
}

/** Models, in the order in which the product used them. */
export const MODELS: readonly ModelRate[] = [
  { vendor: 'chatgpt', name: 'gpt-4o-mini', untilDaysAgo: 120, qualified: 1, input: 900, output: 70 },
  { vendor: 'gemini', name: 'gemini-2.5-flash', untilDaysAgo: 70, qualified: 0.9, input: 1100, output: 95 },
  { vendor: 'chatgpt', name: 'gpt-4.1-mini', untilDaysAgo: 25, qualified: 1.12, input: 1200, output: 85 },
  { vendor: 'chatgpt', name: 'gpt-4o-mini', untilDaysAgo: 0, qualified: 1, input: 1300, output: 75 },
];

/**
 * First texts: who answers before any follow-up. `former` is the product's until the experiment with first texts has found
 * that `first` is better; `fair` is sent by hand.
 */
export const ANSWERED_BY_TEXT = { former: 0.18, first: 0.37, fair: 0.46 } as const;
export type FirstText = keyof typeof ANSWERED_BY_TEXT;

/** Where leads come from. The bought list is poor. */
export const SOURCES = [
  { file: 'website-forms-spring.csv', share: 0.34, text: 'first', answered: 1.1, qualified: 1.05, refused: 1 },
  { file: 'home-fair.csv', share: 0.24, text: 'fair', answered: 1, qualified: 1.15, refused: 1 },
  { file: 'bought-list.csv', share: 0.18, text: 'first', answered: 0.45, qualified: 0.4, refused: 2 },
  { file: null, share: 0.24, text: 'first', answered: 1.15, qualified: 1, refused: 1 },
] as const;
export type Source = (typeof SOURCES)[number];

/** Share of leads who write before we do. */
export const WRITES_FIRST = 0.07;

/** Share of Russian speakers, and of those on WhatsApp. */
export const RUSSIAN = 0.22;
export const WHATSAPP = 0.64;
export const ANSWERED_BY_MESSENGER = { whatsapp: 1.08, telegram: 0.86 } as const;

/** Factors of answers by the hour of the first message, from 9 to 18, and by weekday from Monday. Evenings are better. */
export const ANSWERED_BY_HOUR = [0.8, 0.82, 0.88, 0.95, 0.9, 0.95, 1.0, 1.12, 1.32, 1.45];
export const ANSWERED_BY_WEEKDAY = [0.92, 1.05, 1.08, 1.02, 0.9, 1.1];
/** How often an hour is chosen for a first message. */
export const HOURS = [5, 4, 3, 3, 2, 3, 3, 3, 4, 4];

export const DELIVERED = 0.97;
export const READ = 0.82;

/** Follow-ups to those who have not answered. The second is better than the third. */
export const FOLLOW_UPS = [
  { afterDays: 3, answered: 0.09, optedOut: 0.008 },
  { afterDays: 4, answered: 0.15, optedOut: 0.012 },
  { afterDays: 7, answered: 0.04, optedOut: 0.035 },
] as const;

/** Silence after which a lead expires. */
export const EXPIRES_DAYS = 14;

/** What becomes of those who answered and are not qualified; the rest falls silent. */
export const OPTED_OUT = 0.05;
export const ASKED_FOR_HUMAN = 0.1;
export const REFUSED = 0.42;
export const WRONG_PERSON = 0.03;

/** Of the qualified: who agrees at once, and who does so later, after having put it off. */
export const AGREES = 0.58;
export const AGREES_LATER = 0.4;

/** Reasons of refusals, as stage detection words them, and what the lead says. */
export const REFUSALS = [
  { share: 0.31, reason: 'The price is above the budget', key: 'price' },
  { share: 0.22, reason: 'The lead has ordered elsewhere', key: 'elsewhere' },
  { share: 0.16, reason: 'The renovation is postponed without a date', key: 'postponed' },
  { share: 0.13, reason: 'The lead lives too far from the showroom', key: 'far' },
  { share: 0.1, reason: 'Production takes longer than the lead can wait', key: 'time' },
  { share: 0.08, reason: 'The lead never asked for a kitchen', key: 'never' },
] as const;

/** How soon people answer after a hand-over: minutes that half of them need in working hours. */
export const PEOPLE = [
  { login: 'nora', share: 0.45, median: 6, spread: 0.8 },
  { login: 'felix', share: 0.35, median: 19, spread: 1 },
  { login: 'demo', share: 0.2, median: 11, spread: 0.7 },
] as const;
export const NOBODY_ANSWERS = 0.06;

const GUARDS = { opt_outs: 0.02, refusals: 0.05, cost: null };

/** An experiment, named as in the contract. Its arms differ in the rates above. */
export interface ExperimentSettings
  extends Pick<Experiment, 'name' | 'metric' | 'days' | 'part' | 'base_rate' | 'difference' | 'guards'> {
  /** Names, the control first. */
  readonly arms: readonly string[];
  readonly startedBy: string;
  readonly startedDaysAgo: number;
}

/** First texts, `former` and `first`: decided long ago, and the winner is what the product uses since. */
export const FIRST_TEXT_EXPERIMENT: ExperimentSettings = {
  name: 'Ask a question first',
  metric: 'answered',
  days: 3,
  part: 1,
  base_rate: 0.2,
  difference: 0.1,
  guards: GUARDS,
  arms: ['Who we are', 'Ask for the wall'],
  startedBy: 'nora',
  startedDaysAgo: 154,
};

/** The chatbot's prompt: what it is now against the version before. Still running. */
export const PROMPT_EXPERIMENT: ExperimentSettings = {
  name: 'Prompt: version 5 or 4?',
  metric: 'qualified',
  days: 5,
  part: 0.8,
  base_rate: 0.35,
  difference: 0.15,
  guards: GUARDS,
  arms: ['Version 5', 'Version 4'],
  startedBy: 'felix',
  startedDaysAgo: 32,
};
/** The versions of the prompt that the arms use. */
export const PROMPT_ARMS = [5, 4] as const;
