/** Decides which arm of a running experiment a lead is in, once and for all. Pure. */
import { armOf } from './arms.ts';

/** Why an assignment does not count. */
export type Exclusion = 'same_person' | 'united';

/** A running experiment, as far as arms are concerned. */
export interface RunningArms {
  readonly id: number;
  readonly part: number;
  /** Weights of the arms, the control first; 0 for a variant that was stopped. */
  readonly weights: readonly number[];
}

/** What was decided about a lead. */
export interface Assignment {
  readonly id: number;
  /** Null: the lead does not take part. */
  readonly arm: number | null;
  readonly excluded: Exclusion | null;
}

export interface ArmFacts {
  readonly leadId: number;
  readonly own: Assignment | null;
  /** Assignments of other leads of the same person, the first one first. */
  readonly others: readonly Assignment[];
  /** Whether a message was exchanged with the person before the experiment began. */
  readonly isKnown: boolean;
}

export interface ArmDecision {
  /** The arm whose content the lead gets; null: what the product uses. */
  readonly arm: number | null;
  /** What is to be stored; null: nothing. */
  readonly change:
    | null
    | { readonly kind: 'assign'; readonly arm: number | null; readonly excluded: Exclusion | null }
    | { readonly kind: 'exclude'; readonly id: number; readonly excluded: Exclusion };
}

/**
 * Decide about a lead that is about to be exposed. A lead keeps what was decided first. Leads of one person share the
 * arm of the one that was assigned first, and only that one counts. If edits make one person of leads in different arms,
 * all but the first get no variant any more.
 */
export function decideArm(experiment: RunningArms, { leadId, own, others, isKnown }: ArmFacts): ArmDecision {
  if (own) return keepArm(own, others);
  if (isKnown) return { arm: null, change: null };
  const [first] = others;
  if (first) {
    const arm = effectiveArm(first);
    return { arm, change: { kind: 'assign', arm, excluded: 'same_person' } };
  }
  const { part, weights } = experiment;
  const arm = armOf(leadId, experiment.id, { part, arms: weights });
  return { arm, change: { kind: 'assign', arm, excluded: null } };
}

function keepArm(own: Assignment, others: readonly Assignment[]): ArmDecision {
  const excluded = exclusionOf(own, others);
  const arm = effectiveArm({ ...own, excluded });
  return {
    arm,
    change: excluded === null || excluded === own.excluded ? null : { kind: 'exclude', id: own.id, excluded },
  };
}

/** Return why an assignment does not count, now that it is known who else is the same person. It never counts again. */
export function exclusionOf(own: Assignment, others: readonly Assignment[]): Exclusion | null {
  const earlier = others.filter(({ id }) => id < own.id);
  if (own.excluded === 'united' || earlier.length === 0) return own.excluded;
  return earlier.every((other) => effectiveArm(other) === own.arm) ? 'same_person' : 'united';
}

const effectiveArm = ({ arm, excluded }: Pick<Assignment, 'arm' | 'excluded'>): number | null =>
  excluded === 'united' ? null : arm;
