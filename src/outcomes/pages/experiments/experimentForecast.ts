/** How large an experiment has to be, and how long that takes. */
import { t } from '../../../ui/i18n.ts';
import { planExperiment, tooEarly } from '../../experimentStatistics.ts';

export interface ForecastInput {
  /** Weights of the arms, the control first. */
  readonly weights: readonly number[];
  /** The metric's rate without a change, 0 to 1. */
  readonly baseRate: number;
  /** The smallest difference to be found, 0 to 1. */
  readonly difference: number;
  /** Share of the leads that takes part. */
  readonly part: number;
  /** Days within which a lead has to reach the metric. */
  readonly days: number;
  /** New leads in a week that could take part. */
  readonly perWeek: number;
}

export interface Forecast {
  /** Attempts of each arm with equal weights, at each analysis: the last one is the plan. */
  readonly analyses: readonly number[];
  /** Attempts in all arms together, with their weights. */
  readonly total: number;
  /** Until the last attempt counts; null without leads. */
  readonly weeks: number | null;
}

/** Forecast an experiment; null for figures that no experiment can have. */
export function forecast({ weights, baseRate, difference, part, days, perWeek }: ForecastInput): Forecast | null {
  const arms = weights.length;
  const isPossible = baseRate > 0 && difference > 0 && baseRate + difference < 1 && arms >= 2 && arms <= 4;
  if (!isPossible || weights.some((weight) => !(weight > 0)) || !(part > 0)) return null;
  const plan = planExperiment({ baseRate, difference, arms });
  const counts = weights.map(() => ({ n: 0, successes: 0 }));
  const { more: total } = tooEarly({ plan, analysis: 0, arms: counts, shares: weights }, []);
  return {
    analyses: Array.from({ length: plan.analyses }, (_none, index) => ((index + 1) * plan.perArm) / plan.analyses),
    total,
    weeks: perWeek > 0 ? total / (perWeek * part) + days / 7 : null,
  };
}

/** Format an estimate: `about 8 weeks`, `more than 2 years`. */
function aboutText(weeks: number): string {
  return weeks > LONGEST ? durationText(weeks) : t('about {{duration}}', { duration: durationText(weeks) });
}

/** Weeks beyond which a duration is not worth a figure: two years. */
const LONGEST = 104;

/** Format a duration: `5 days`, `8 weeks`, `8 months`, `more than 2 years`. */
export function durationText(weeks: number): string {
  if (weeks < 2) return count(Math.ceil(weeks * 7), '{{count}} days', '{{count}} day');
  if (weeks < 13) return count(Math.round(weeks), '{{count}} weeks', '{{count}} week');
  if (weeks > LONGEST) return t('more than 2 years');
  return count(Math.round((weeks * 7) / 30.44), '{{count}} months', '{{count}} month');
}

const count = (value: number, many: string, one: string): string => t(many, { count: value, defaultValue_one: one });

const points = (difference: number): string =>
  count(+(difference * 100).toFixed(2), '{{count}} points', '{{count}} point');

/** Beyond this many weeks a larger difference is proposed. */
const LONG = 12;
/** Differences that are proposed instead. */
const PROPOSED = [0.03, 0.05, 0.1, 0.15, 0.2, 0.3];

/** Say how long the experiment takes and, if that is long, which difference would be found in reasonable time. */
export function durationSentence(input: ForecastInput): { readonly text: string; readonly isLong: boolean } | null {
  const planned = forecast(input);
  if (planned === null) return null;
  if (planned.weeks === null)
    return {
      text: t('There were no such leads in the last 90 days, so it cannot be said how long this takes.'),
      isLong: true,
    };
  const perWeek = input.perWeek < 10 ? +input.perWeek.toFixed(1) : Math.round(input.perWeek);
  const takes = t('At {{perWeek}} new leads a week this takes {{duration}}', {
    perWeek,
    duration: aboutText(planned.weeks),
  });
  if (planned.weeks <= LONG) return { text: `${takes}.`, isLong: false };
  const others = PROPOSED.filter((one) => one > input.difference + 1e-9).flatMap((difference) => {
    const weeks = forecast({ ...input, difference })?.weeks;
    return weeks === undefined || weeks === null ? [] : [{ difference, weeks }];
  });
  const other = others.find(({ weeks }) => weeks <= LONG) ?? others.at(-1);
  if (other === undefined) return { text: `${takes}.`, isLong: true };
  const proposal = t('a difference of {{points}} needs {{duration}}', {
    points: points(other.difference),
    duration: durationText(other.weeks),
  });
  return { text: `${takes}; ${proposal}.`, isLong: true };
}
