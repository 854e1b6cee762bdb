/**
 * An experiment of the demo's history. Leads are assigned while they are walked through the funnel; guards and analyses
 * are decided by the product's own rules, at looks as frequent as its own.
 */
import { analyse, checkGuards, type DecidedExperiment } from '../../outcomes/decideExperiment.ts';
import { plannedColumns } from '../../outcomes/experimentPlan.ts';
import { nextOpening, type Week } from '../../outreach/workingHours.ts';
import type { Instant } from '../demoLeads/timeline.ts';
import type { Random } from '../random.ts';
import type { ExperimentSettings } from './rates.ts';

const MINUTE_MS = 60_000;
const LOOK_MS = 10 * MINUTE_MS;
const DAY_MS = 24 * 3_600_000;

/** An arm that a lead was assigned to when it was exposed; null: it does not take part. */
export interface Exposure {
  readonly experiment: SimulatedExperiment;
  readonly arm: number | null;
  readonly at: Instant;
}

/** What became of an attempt, as far as experiments count it. */
interface AttemptFacts {
  readonly startedAt: Instant;
  readonly succeededAt: Instant | null;
  readonly optedOutAt: Instant | null;
  readonly refusedAt: Instant | null;
}

type Analysis = Omit<NonNullable<ReturnType<typeof analyse>>, 'at'> & { readonly at: Instant };

export class SimulatedExperiment {
  readonly settings: ExperimentSettings;
  readonly startedAt: Instant;
  readonly plan: DecidedExperiment;
  readonly analyses: Analysis[] = [];
  /** The last look at the guards. */
  guardLook = 0;
  end: { readonly at: Instant; readonly by: 'decided' | 'guard'; readonly conclusion: string } | null = null;
  private readonly attempts: (AttemptFacts & { readonly arm: number; readonly exposedAt: Instant })[] = [];
  private lookedAt: Instant;

  constructor(settings: ExperimentSettings, now: Instant) {
    const { arms: names, guards, base_rate, difference } = settings;
    this.settings = settings;
    this.startedAt = now - settings.startedDaysAgo * DAY_MS;
    this.lookedAt = this.startedAt;
    const arms = names.map((name) => ({ name, weight: 1, content: { source: 'current' as const } }));
    const columns = plannedColumns({ base_rate, difference, arms });
    this.plan = { arms, arm_states: [], guards, difference, ...columns };
  }

  /**
   * Assign a lead that is exposed now; null unless the experiment is running. The arm is drawn, since the lead has no id
   * yet that could be hashed: what counts is what is stored.
   */
  expose(at: Instant, random: Random): Exposure | null {
    if (at < this.startedAt || this.end !== null) return null;
    const { part, arms } = this.settings;
    const arm = random.chance(part) ? random.integer(0, arms.length - 1) : null;
    return { experiment: this, arm, at };
  }

  /** Count the attempt of a lead that was exposed. */
  count({ arm, at }: Exposure, facts: AttemptFacts): void {
    if (arm !== null) this.attempts.push({ ...facts, arm, exposedAt: at });
  }

  /** Look at the experiment as often as the product does, up to an instant before which all attempts were counted. */
  lookUntil(until: Instant): void {
    while (this.end === null) {
      const next = this.nextChange();
      if (next > until) return;
      this.lookedAt = next;
      this.look(next);
    }
  }

  /** Return the first look after which a count of attempts differs; infinity if none will. */
  private nextChange(): Instant {
    let next = Number.POSITIVE_INFINITY;
    for (const attempt of this.attempts)
      for (const at of [this.begunAt(attempt), this.deadline(attempt)])
        if (at > this.lookedAt) next = Math.min(next, this.lookAfter(at));
    return next;
  }

  /** Return the first look at or after an instant. */
  lookAfter(at: Instant): Instant {
    return this.startedAt + Math.ceil((at - this.startedAt) / LOOK_MS) * LOOK_MS;
  }

  private look(at: Instant): void {
    const totals = this.totalsAt(at);
    const guards = checkGuards(this.plan, totals, this.guardLook);
    if (guards) {
      this.guardLook = guards.look;
      const conclusion = guards.stopped.map(({ reason }) => reason).join('; ');
      // There is one variant.
      if (conclusion !== '') this.end = { at, by: 'guard', conclusion };
    }
    const reached = this.end === null ? analyse(this.plan, totals, this.analyses.at(-1)?.analysis ?? 0) : null;
    if (reached === null) return;
    this.analyses.push({ ...reached, at });
    if (reached.decision.kind !== 'too_early') this.end = { at, by: 'decided', conclusion: reached.sentence };
  }

  private totalsAt(at: Instant) {
    const by = (instant: Instant | null) => instant !== null && instant <= at;
    return this.settings.arms.map((_name, arm) => {
      const own = this.attempts.filter((one) => one.arm === arm && by(this.begunAt(one)));
      const finished = own.filter((one) => by(this.deadline(one)));
      return {
        arm,
        assigned: own.length,
        finished: finished.length,
        successes: finished.filter((one) => (one.succeededAt ?? Number.POSITIVE_INFINITY) <= this.deadline(one)).length,
        opt_outs: own.filter((one) => by(one.optedOutAt)).length,
        refusals: own.filter((one) => by(one.refusedAt)).length,
        // Not guarded.
        cost: 0,
        cost_squares: 0,
      };
    });
  }

  private readonly begunAt = (one: { startedAt: Instant; exposedAt: Instant }): Instant =>
    Math.max(one.startedAt, one.exposedAt);

  private readonly deadline = (one: { startedAt: Instant; exposedAt: Instant }): Instant =>
    this.begunAt(one) + this.settings.days * DAY_MS;
}

/** When somebody made the winner of an experiment what the product uses: in the next working hours. Null: not yet. */
export function appliedAt(
  { end }: SimulatedExperiment,
  { week, zone }: { readonly week: Week; readonly zone: string },
): Instant | null {
  if (end === null) return null;
  return (nextOpening(week, zone, end.at + 40 * MINUTE_MS) ?? end.at) + 20 * MINUTE_MS;
}
