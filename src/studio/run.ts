/**
 * What a kind of run is to the runner. `gate/`, `compare/` and `simulate/` each declare theirs as a `RunKindPlan` and add
 * it to the list in `kinds.ts`; everything else is the runner's: budget, claims, resumption, retries, progress, results.
 *
 * 1. `plan` reads what is tried: subjects (a case, a turn, a persona), each with its first samples. It runs in the
 *    transaction that stores the run, and before it, for the estimate; it refuses where there is nothing to try.
 * 2. `perform` makes one sample (a subject, an arm, a repeat), outside transactions. Each call of a model goes through
 *    `work.call`, which reserves its cost, and stores its answer with its run and its real cost. A sample that is resumed
 *    is performed again from the start, and gets the stored answers: it must make the same calls in the same order, as
 *    long as their answers are the same. Nothing may be sent or stored elsewhere.
 * 3. `conclude` reads and writes nothing; what takes long runs in a thread. It is called when no sample of the run is open: it asks for more samples (confirmations, the
 *    judge), or says what the run has found. If the run was cut short, it must conclude from what there is.
 */
import type { RunRow } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { Threads } from '../platform/threads.ts';
import type { LlmVendor, ProductConfig } from '../products/contract.ts';
import type { PromptType } from '../prompts/contract.ts';
import type { RunKind, RunVerdict, StudioResult } from './runContract.ts';

export const runArms = ['candidate', 'live', 'judge'] as const;
export type RunArm = (typeof runArms)[number];

export interface RunModel {
  readonly vendor: LlmVendor;
  readonly model: string;
  readonly temperature: number;
}

/** A run as its kind sees it. */
export interface RunFacts {
  readonly kind: RunKind;
  readonly product: {
    readonly id: number;
    readonly company_id: number;
    readonly name: string;
    readonly company_name: string;
    readonly timezone: string;
    readonly config: ProductConfig;
  };
  /** `id` is null once the prompt is deleted. */
  readonly prompt: { readonly id: number | null; readonly name: string; readonly type: PromptType };
  /** The candidate. */
  readonly text: string;
  /** What is live; null: nothing is. */
  readonly liveText: string | null;
  readonly model: RunModel;
  readonly repeats: number;
  readonly withJudge: boolean;
  readonly settings: RunSettings;
}

/** What the operator chose to try (null: what the kind takes by default), and which model judges. */
export interface RunSettings {
  readonly case_ids: readonly number[] | null;
  readonly dialogue_ids: readonly number[] | null;
  readonly persona_ids: readonly number[] | null;
  readonly sample: number;
  /** The model that judges, as it was chosen when the run was made. */
  readonly judge: RunModel;
}

/** JSON as it is stored. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

export interface PlannedSample {
  readonly arm: RunArm;
  /** From 0. */
  readonly repeat: number;
  /** By default the run's. */
  readonly model?: Pick<RunModel, 'vendor' | 'model'>;
  /** How many calls of the model it probably makes, and how long each is, for the estimate and the reservation. */
  readonly calls: number;
  readonly call: CallSize;
}

/** Characters that a call sends, and that it gets back. */
export interface CallSize {
  readonly sent: number;
  readonly received: number;
}

export interface PlannedSubject {
  /** Unique in its run. */
  readonly key: string;
  readonly subject: StudioResult['subject'];
  readonly history: StudioResult['history'];
  /** What was really said; null where nothing was. */
  readonly real: string | null;
  /** What the kind needs to make and to judge its samples; it parses it again. */
  readonly input: Json;
  readonly samples: readonly PlannedSample[];
}

/** A sample in progress. */
export interface Work {
  readonly run: RunFacts;
  readonly subject: Pick<PlannedSubject, 'key' | 'subject' | 'history' | 'real' | 'input'>;
  readonly arm: RunArm;
  readonly repeat: number;
  /** The text of the arm; null: nothing is live, or it is the judge's. */
  readonly text: string | null;
  /** Outputs of the subject's samples that are done: what a judge compares. */
  readonly outputs: readonly { readonly arm: RunArm; readonly repeat: number; readonly output: unknown }[];
  /** Aborted when the claim is lost. */
  readonly signal: AbortSignal;
  /**
   * Call a model. An answer is stored before the next call is made, and given again without a call when the sample is
   * resumed. After a failure `perform` has to end with it.
   */
  call(make: () => Promise<CallResult>): Promise<CallResult>;
}

export type CallFailure = {
  readonly kind: 'failed';
  readonly reason: string;
  /** A retry will not help until somebody changes something. */
  readonly isPermanent: boolean;
  /** The company's budget for today is spent, or the run's: it goes on later, or ends. */
  readonly isPaused: boolean;
};

/** What a call has brought: an answer as JSON, or why there is none; with the model's runs, none of which is stored yet. */
export type CallResult = ({ readonly kind: 'answered'; readonly value: Json } | CallFailure) & {
  readonly runs: readonly RunRow[];
};

export interface Violation {
  readonly kind: string;
  /** A sentence. */
  readonly detail: string;
}

export type Performed =
  | {
      readonly kind: 'done';
      /** At least the contract's `StudioOutput`; null: the candidate gives no answer, and `error` says why. */
      readonly output: Json;
      readonly error?: string;
      readonly violations: readonly Violation[];
    }
  | CallFailure;

/** A sample that has ended. */
export interface FinishedSample {
  readonly arm: RunArm;
  readonly repeat: number;
  readonly state: 'done' | 'failed' | 'skipped';
  /** As `perform` has returned it. */
  readonly output: unknown;
  readonly error: string | null;
  readonly violations: readonly Violation[];
}

export interface FinishedSubject {
  readonly id: number;
  readonly subject: StudioResult['subject'];
  readonly input: unknown;
  readonly samples: readonly FinishedSample[];
}

export type Conclusion =
  | { readonly kind: 'more'; readonly samples: readonly (PlannedSample & { readonly subjectId: number })[] }
  | {
      readonly kind: 'done';
      /** What the run has found as a whole: numbers and sentences without words of leads. */
      readonly verdict: Json;
      readonly results: readonly SubjectResult[];
      /** Why nothing could be concluded, as a sentence: the run has failed. */
      readonly problem?: string;
    };

/** What planning a run reads from, and where it works on texts. */
export interface Planning {
  readonly reader: Reader;
  readonly threads: Threads;
}

export interface Concluding {
  readonly round: number;
  /** No sample was left out because the run was stopped, cancelled or failed. */
  readonly isWhole: boolean;
  readonly threads: Threads;
}

export interface SubjectResult {
  readonly subjectId: number;
  readonly state: Exclude<StudioResult['state'], 'open'>;
  /** Results are listed by it, the highest first. */
  readonly rank: number;
  /** What was found of this subject; deleted with it. */
  readonly result: Json;
}

export interface RunKindPlan {
  readonly kind: RunKind;
  /** Types of prompts that it can try. */
  readonly promptTypes: readonly PromptType[];
  /** Throws the refusals of `studioRefusals`. */
  plan(planning: Planning, run: RunFacts): Promise<readonly PlannedSubject[]>;
  /** Samples that later rounds may add at most, for the estimate; by default, none. */
  later?(run: RunFacts, subjects: readonly PlannedSubject[]): readonly PlannedSample[];
  perform(context: AppContext, work: Work): Promise<Performed>;
  conclude(run: RunFacts, subjects: readonly FinishedSubject[], more: Concluding): Conclusion | Promise<Conclusion>;
  /** Store what outlives the run, in the transaction that ends it. */
  storeFindings?(tx: Tx, runId: number): Promise<void>;
  /** Whether violations of a sample make its subject red at once. */
  isRed?(arm: RunArm, violations: readonly Violation[]): boolean;
  /** Build the verdict as the API shows it, from what `conclude` stored and the subjects that are still there. */
  toVerdict(verdict: unknown, subjects: readonly StoredResult[]): RunVerdict;
  /** The fields of a result that this kind adds; by default, none. */
  toResult?(result: unknown): Partial<Pick<StudioResult, 'change' | 'diverged' | 'judged' | 'history'>>;
}

/** The result of a subject as it is stored. */
export interface StoredResult {
  readonly subject: StudioResult['subject'];
  readonly state: StudioResult['state'];
  readonly result: unknown;
}
