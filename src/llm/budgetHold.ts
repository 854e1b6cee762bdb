/** Reserves the budget of a company for one call of a model, request by request. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../platform/appContext.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Hold } from '../platform/lease.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { RESERVATIONS, type ReservedRequest, reserveRequest } from './store/reservations.ts';
import { type RequestUsage, sumUsage } from './usage.ts';

/** The budget does not allow another request now. `spent`: not today. `busy`: calls in progress have reserved the rest. */
export class BudgetRefusal extends Error {
  readonly outcome: 'spent' | 'busy';

  constructor(outcome: 'spent' | 'busy', message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** Bytes of a request per token, at least: English has about 4, Russian 3 to 5. */
const BYTES_PER_TOKEN = 2;
/** Tokens reserved for an answer without a limit of its own: the longest of many chat models. */
const LONGEST_ANSWER = 16_384;
/** How long a call waits for others to cost less than they have reserved, and how often it asks. */
export const MAX_WAIT_MS = 20_000;
const POLL_MS = 250;

/** All decimals of an amount, two at least. */
const dollars = (amount: number): string =>
  `$${new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 20, useGrouping: false }).format(amount)}`;

type HeldCall = Pick<ReservedRequest, 'companyId' | 'productId' | 'vendor' | 'model'> & {
  readonly maxTokens: number | undefined;
};

export class BudgetHold {
  private readonly context: AppContext;
  private readonly call: HeldCall;
  private readonly claims: Hold[] = [];
  /** Ended by the statement that stores the call's run. */
  readonly ids: number[] = [];

  constructor(context: AppContext, call: HeldCall) {
    this.context = context;
    this.call = call;
  }

  /** Reserve a request of so many bytes. Waits while only calls in progress are in the way. Throws `BudgetRefusal`. */
  async reserve(bytes: number, done: readonly RequestUsage[], signal: AbortSignal): Promise<void> {
    const { maxTokens, ...call } = this.call;
    const { inputTokens, outputTokens } = sumUsage(done);
    const used = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
    const next = {
      inputTokens: Math.ceil(bytes / BYTES_PER_TOKEN),
      outputTokens: maxTokens ?? LONGEST_ANSWER,
    };
    for (const end = performance.now() + MAX_WAIT_MS; ; await pause(POLL_MS, undefined, { signal })) {
      const {
        id,
        outcome,
        daily_budget: limit,
      } = await retryWhileDatabaseUnavailable(this.context, () =>
        reserveRequest(this.context.reader, { ...call, id: this.ids.at(-1) ?? null, used, next }, this.context),
      );
      if (id !== null && !this.ids.includes(id)) {
        this.ids.push(id);
        this.claims.push(this.context.claims.begin(RESERVATIONS, [{ id }]));
      }
      failpoint('budget.afterReserve');
      if (outcome === 'reserved' || outcome === 'unlimited') return;
      if (outcome === 'spent')
        throw new BudgetRefusal(outcome, `Today’s model budget is spent (${dollars(limit ?? 0)})`);
      if (performance.now() > end)
        throw new BudgetRefusal(outcome, 'The rest of today’s model budget is reserved for answers in progress');
    }
  }

  /** The call has ended: from now on its reservations are this instance's only until their lease ends. */
  end(): void {
    for (const claim of this.claims) claim.end();
  }
}
