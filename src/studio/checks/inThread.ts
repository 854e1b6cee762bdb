/** Checks answers, talks and patterns in threads, with a time budget. What is too slow to be checked has not passed. */
import type { AppContext } from '../../platform/appContext.ts';
import type { Reader } from '../../platform/db.ts';
import { commonRefusals, refuse } from '../../platform/refuse.ts';
import { BudgetExceeded, type Threads } from '../../platform/threads.ts';
import { readProduct } from '../../products/product.ts';
import { caseRefusals, type Requirement } from '../caseContract.ts';
import type { Violation } from '../run.ts';
import type { TalkToScore, TalkViolation } from '../simulate/scoreTalk.ts';
import type { Talk } from '../simulate/talk.ts';
import type { CheckInput } from './check.ts';
import { CHECK_BUDGET_MS, type CheckTask, checkKind, NOT_STARTED, patternKind } from './checkKind.ts';

/** Where checks run, and whose they are: each company has its share of the threads. */
export interface Checking {
  readonly threads: Threads;
  readonly companyId: number;
  /** Other limits than `checkKind`'s, for tests. */
  readonly kind?: typeof checkKind;
}

/** The kind of violations that stand for requirements of which nothing is known, since their check took too long. */
export const UNDECIDED = 'undecided';

/** Requirements of one answer that may each use up the budget; after them, the rest is not checked. */
const MOST_SLOW = 3;

const SECONDS = CHECK_BUDGET_MS / 1000;

/**
 * Check an answer against all requirements. Returns what violates them, in their order, and then an `UNDECIDED` violation
 * for each requirement whose check took too long. The others are checked all the same.
 */
export async function checkAnswer(
  checking: Checking,
  { requirements, input }: { readonly requirements: readonly Requirement[]; readonly input: CheckInput },
): Promise<Violation[]> {
  const slow = new Set<Requirement>();
  while (slow.size < MOST_SLOW) {
    const left = requirements.filter((one) => !slow.has(one));
    if (left.length === 0) return [...slow].map(tooSlow);
    const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(NOT_STARTED);
    const violations = await withinBudget(checking, { do: 'check', requirements: left, input, progress });
    if (violations) return [...violations, ...[...slow].map(tooSlow)];
    const stuck = left[Atomics.load(progress, 0)];
    // Not even the first check was begun: the machine is to blame, and the sample is tried again later.
    if (!stuck) throw new BudgetExceeded(`${checkKind.name}: nothing was checked within ${CHECK_BUDGET_MS} ms`);
    slow.add(stuck);
  }
  return requirements.map((one) => (slow.has(one) ? tooSlow(one) : notReached(one)));
}

async function withinBudget(
  { threads, companyId, kind = checkKind }: Checking,
  input: Extract<CheckTask, { do: 'check' }>,
): Promise<readonly Violation[] | null> {
  try {
    const reply = await threads.run(kind, { key: String(companyId), input });
    if (reply.do !== 'check') throw new Error(`A check was answered with ${reply.do}`);
    return reply.violations;
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}

const describe = (requirement: Requirement): string =>
  'pattern' in requirement ? `the pattern ${requirement.pattern}` : `the requirement ${requirement.kind}`;

const tooSlow = (requirement: Requirement): Violation => ({
  kind: UNDECIDED,
  detail: `The checks of this answer took more than ${SECONDS} seconds and were stopped at ${describe(requirement)}, so nobody knows whether it is met.`,
});

const notReached = (requirement: Requirement): Violation => ({
  kind: UNDECIDED,
  detail: `There was no time to check ${describe(requirement)}: other requirements took too long.`,
});

/** Score a talk like `scoreTalk`. A talk that cannot be scored in time has one violation, which says so. */
export async function scoreInThread(
  { threads, companyId }: Checking,
  talk: Talk,
  scored: TalkToScore,
): Promise<TalkViolation[]> {
  try {
    const reply = await threads.run(checkKind, { key: String(companyId), input: { do: 'score', talk, scored } });
    if (reply.do !== 'score') throw new Error(`A talk was answered with ${reply.do}`);
    return reply.violations.map(({ kind, detail, answer }) => {
      return { kind, detail, answer: answer === null ? null : (talk.answers[answer] ?? null) };
    });
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    const detail = `Checking this talk took more than ${SECONDS} seconds, so it does not pass. Look for a requirement with a slow pattern.`;
    return [{ kind: UNDECIDED, detail, answer: null }];
  }
}

/** Refuse requirements of a product with a pattern that cannot be used (`studio.bad_pattern`). */
export async function requireUsablePatterns(
  { threads }: Pick<AppContext, 'threads'>,
  reader: Reader,
  { productId, requirements }: { readonly productId: number; readonly requirements: readonly Requirement[] },
): Promise<void> {
  const patterns = requirements.flatMap((one) => ('pattern' in one ? [one.pattern] : []));
  if (patterns.length === 0) return;
  const product = await readProduct(reader, productId);
  if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  const unusable = await findUnusable({ threads, companyId: product.company_id }, patterns);
  if (unusable !== null) throw refuse(caseRefusals, 'studio.bad_pattern', unusable);
}

async function findUnusable({ threads, companyId }: Checking, patterns: readonly string[]) {
  try {
    const reply = await threads.run(patternKind, { key: String(companyId), input: { do: 'patterns', patterns } });
    if (reply.do !== 'patterns') throw new Error(`Patterns were answered with ${reply.do}`);
    return reply.unusable;
  } catch (error) {
    // What a pattern may expand to is limited, so it is the machine that has no time.
    if (error instanceof BudgetExceeded) throw refuse(commonRefusals, 'overloaded', { retryAfter: 2 });
    throw error;
  }
}
