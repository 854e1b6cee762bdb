/** Plays gates with answers that pass by chance, to show how often the rule errs. For tests and proofs. */
import { createRandom } from '../sandbox/random.ts';
import {
  type CaseEvidence,
  CONFIRMATION_PAIRS,
  decideGate,
  type Evidence,
  type GateDecision,
} from '../studio/gate/decideGate.ts';

interface SimulatedGate {
  /** Chance of each case that an answer passes. */
  readonly candidate: readonly number[];
  readonly live: readonly number[];
  readonly seed: number;
  readonly repeats?: number;
}

/** Play one gate with its confirmations. The same seed gives the same result. */
export function simulateGate({
  candidate,
  live,
  seed,
  repeats = 3,
}: SimulatedGate): GateDecision & { answers: number } {
  const random = createRandom(seed);
  const draw = (chance: number, count: number): Evidence[] =>
    Array.from({ length: count }, () => (random.chance(chance) ? 'passes' : 'fails'));
  let cases = candidate.map((chance, place): CaseEvidence & { live: Evidence[] } => ({
    candidate: draw(chance, repeats),
    live: draw(live[place] ?? 1, repeats),
    isAdvisory: false,
  }));
  for (;;) {
    const decision = decideGate({ cases, repeats });
    const answers = cases.reduce((sum, one) => sum + one.candidate.length + one.live.length, 0);
    if (decision.undecided.length === 0) return { ...decision, answers };
    const again = new Set(decision.undecided);
    cases = cases.map((one, place) =>
      again.has(place)
        ? {
            ...one,
            candidate: [...one.candidate, ...draw(candidate[place] ?? 1, CONFIRMATION_PAIRS)],
            live: [...one.live, ...draw(live[place] ?? 1, CONFIRMATION_PAIRS)],
          }
        : one,
    );
  }
}
