/** What vendors report to have used: each request is counted, whatever came of it. */

/** One request; null: the vendor did not say. */
export interface RequestUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** How the answer ended; `failed`: no answer, or none that could be read. */
  readonly end: string;
}

/** What the requests of a call used together. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** In order; empty: the vendor was not called. */
  readonly requests: readonly RequestUsage[];
}

/** The most tokens that are stored: a vendor that reports more has made a mistake. */
const MAX_TOKENS = 2_147_483_647;

/** Return a number of tokens as it may be counted; null if the vendor sent none. */
export const toTokens = (reported: number | null | undefined): number | null =>
  reported == null || !Number.isFinite(reported) || reported < 0 ? null : Math.min(Math.ceil(reported), MAX_TOKENS);

/** Add up requests. Null only where no request has a number. */
export function sumUsage(requests: readonly RequestUsage[]): Usage {
  const sum = (numbers: readonly (number | null)[]) =>
    numbers.reduce((all, one) => (one === null ? all : toTokens((all ?? 0) + one)), null);
  return {
    inputTokens: sum(requests.map((one) => one.inputTokens)),
    outputTokens: sum(requests.map((one) => one.outputTokens)),
    requests,
  };
}
