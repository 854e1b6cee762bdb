/** One model of one server, asked without what it refuses. */
import { type Attempt, attemptModelCall, type ModelRequest, type ModelTimeouts, vendorReason } from './modelAttempt.ts';
import { leaveOut, refusedParameters } from './serverRefusals.ts';
import { type RequestUsage, sumUsage } from './usage.ts';

/** What a server refuses of a model's requests: its words by parameter. */
export type RefusedParameters = Readonly<Record<string, string>>;

/** Stores what was learnt. */
type Remember = (refused: RefusedParameters) => Promise<void>;

export class AdaptedModel {
  private readonly remember: Remember;
  private readonly refused: Set<string>;
  private readonly learnt: Record<string, string> = {};

  constructor(before: RefusedParameters | undefined, remember: Remember) {
    this.refused = new Set(Object.keys(before ?? {}));
    this.remember = remember;
  }

  /** The parameters that are left out. */
  get leftOut(): string[] {
    return [...this.refused];
  }

  /**
   * Ask the model; if the server refuses a parameter by name, ask again without it. What was refused is remembered once
   * the server has answered without it. Each request is reserved, and counts.
   */
  async attempt(request: ModelRequest, timeouts: ModelTimeouts): Promise<Attempt> {
    const startedAt = performance.now();
    const { wire } = request.model;
    let hasStreamed = false;
    const requests: RequestUsage[] = [];
    for (;;) {
      let sent: Readonly<Record<string, unknown>> = {};
      const buildCall: typeof wire.buildCall = (access, asked) => {
        const call = wire.buildCall(access, asked);
        sent = leaveOut({ ...call.body }, this.refused);
        return { ...call, body: sent };
      };
      const { onText, reserve } = request;
      const attempt = await attemptModelCall(
        {
          ...request,
          model: { ...request.model, wire: { ...wire, buildCall } },
          onText:
            onText &&
            ((text) => {
              hasStreamed = true;
              onText(text);
            }),
          reserve: reserve && ((bytes, done, signal) => reserve(bytes, [...requests, ...done], signal)),
        },
        { ...timeouts, totalMs: timeouts.totalMs - (performance.now() - startedAt) },
      );
      requests.push(...attempt.requests);
      const outcome = { ...attempt, ...sumUsage(requests) };
      if (outcome.kind === 'answered') {
        if (Object.keys(this.learnt).length > 0) await this.remember(this.learnt);
        return outcome;
      }
      const { refusal } = outcome;
      if (refusal === undefined || hasStreamed || timeouts.signal?.aborted) return outcome;
      const found = refusedParameters(refusal, sent).filter((name) => !this.refused.has(name));
      if (found.length === 0) return outcome;
      for (const name of found) {
        this.refused.add(name);
        this.learnt[name] = vendorReason(refusal);
      }
    }
  }
}
