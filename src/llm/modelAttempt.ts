/** One call of a model: streamed, with patience that ends. A value, never an exception. */
import { APICallError, type LanguageModel, type ModelMessage, stepCountIs, streamText, type ToolSet } from 'ai';
import { refusalReason } from '../platform/outbound.ts';

export interface ModelRequest {
  readonly model: LanguageModel;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Null: the model's own. */
  readonly temperature: number | null;
  readonly tools?: ToolSet | undefined;
  /** How many answers with calls of tools may come before the last one. */
  readonly rounds?: number | undefined;
  /** Calls of tools are handed over with the answer; otherwise an answer that ends in one is broken off. */
  readonly returnsToolCalls?: boolean | undefined;
  /** The longest answer, tokens. */
  readonly maxTokens?: number | undefined;
  /** Told each piece of text as it comes. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface ModelTimeouts {
  /** Seconds of silence: before the first token and between two. */
  readonly idleSeconds: number;
  /** Milliseconds for all of it. */
  readonly totalMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What the model wants done by a tool that is not carried out here. */
export interface ModelCall {
  /** The model's own name of the call. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** Why it cannot be meant: no such tool, or arguments that are no JSON. */
  readonly fault: string | null;
}

/** What comes with an answer that hands calls over. */
export interface ToolCallOutput {
  /** In the model's order; empty: it is done. */
  readonly calls: readonly ModelCall[];
  /** The answer as the model has to see it in the next request; JSON. */
  readonly messages: readonly ModelMessage[];
}

export type Attempt =
  | ({
      readonly kind: 'answered';
      readonly text: string;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly metadata: Record<string, unknown>;
    } & ToolCallOutput)
  | {
      readonly kind: 'failed';
      /** Another try at once may help. */
      readonly isRetryable: boolean;
      /** No try will help until somebody changes something. */
      readonly isPermanent: boolean;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      /** The vendor named the temperature as what is wrong. */
      readonly temperature?: boolean;
    };

/** Bytes of text, thoughts and arguments in one answer; no person reads so much, and it is kept in memory. */
const MAX_ANSWER_BYTES = 256 * 1024;

export async function attemptModelCall(
  request: ModelRequest,
  { idleSeconds, totalMs, signal }: ModelTimeouts,
): Promise<Attempt> {
  const timeout = new AbortController();
  let timeoutReason = `The model did not begin to answer within ${idleSeconds} s`;
  let timer = setTimeout(() => timeout.abort(), idleSeconds * 1000);
  const totalTimer = setTimeout(() => {
    timeoutReason = 'The model did not finish within 120 s';
    timeout.abort();
  }, totalMs);
  const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  const abortedResult = (): Attempt =>
    failure(signal?.aborted ? 'The caller has gone' : timeoutReason, !signal?.aborted);
  try {
    const result = streamText({
      model: request.model,
      system: request.system,
      messages: [...request.messages],
      ...(request.temperature === null ? {} : { temperature: request.temperature }),
      ...(request.maxTokens ? { maxOutputTokens: request.maxTokens } : {}),
      ...(request.tools ? { tools: request.tools, stopWhen: stepCountIs((request.rounds ?? 0) + 1) } : {}),
      maxRetries: 0,
      abortSignal,
      onError: () => undefined,
    });
    let text = '';
    let calls: ModelCall[] = [];
    let bytes = 0;
    const onActivity = () => {
      clearTimeout(timer);
      timeoutReason = `The model stopped in the middle of its answer for ${idleSeconds} s`;
      timer = setTimeout(() => timeout.abort(), idleSeconds * 1000);
    };
    for await (const part of result.fullStream) {
      if (part.type === 'error') return toFailure(part.error);
      if (part.type === 'abort') return abortedResult();
      // What was said before a tool was called is not the answer.
      if (part.type === 'start-step') {
        text = '';
        calls = [];
      }
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') bytes += Buffer.byteLength(part.text);
      if (part.type === 'tool-input-delta') bytes += Buffer.byteLength(part.delta);
      if (bytes > MAX_ANSWER_BYTES) return failure('The answer of the model is longer than 256 KB', false);
      if (part.type === 'tool-call') calls.push(toModelCall(part));
      if (part.type === 'tool-result') calls = calls.filter(({ id }) => id !== part.toolCallId);
      if (part.type === 'tool-input-delta' || part.type === 'tool-result') onActivity();
      if (part.type !== 'text-delta') continue;
      text += part.text;
      request.onText?.(part.text);
      onActivity();
    }
    const [usage, reason, response] = await Promise.all([result.totalUsage, result.finishReason, result.response]);
    const wantsTools = request.returnsToolCalls === true && reason === 'tool-calls' && calls.length > 0;
    if (reason !== 'stop' && !wantsTools) return failure(`The model broke off its answer (${reason})`);
    return {
      kind: 'answered',
      text,
      calls,
      messages: response.messages,
      inputTokens: usage.inputTokens ?? null,
      outputTokens: usage.outputTokens ?? null,
      metadata: {
        finish: reason,
        model: response.modelId,
      },
    };
  } catch (error) {
    return abortSignal.aborted ? abortedResult() : toFailure(error);
  } finally {
    clearTimeout(timer);
    clearTimeout(totalTimer);
    // Whoever stops reading at an unreadable piece leaves the rest of the stream open, and a vendor may never end it.
    timeout.abort();
  }
}

function toModelCall(part: {
  toolCallId: string;
  toolName: string;
  input: unknown;
  invalid?: boolean | undefined;
}): ModelCall {
  const fault = part.invalid === true ? 'There is no such tool, or its arguments are not JSON' : null;
  return { id: part.toolCallId, tool: part.toolName, input: part.input, fault };
}

const failure = (reason: string, isRetryable = true): Attempt => ({
  kind: 'failed',
  isRetryable,
  isPermanent: false,
  reason,
  retryAfterSeconds: null,
});

function toFailure(error: unknown): Attempt {
  if (!APICallError.isInstance(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return failure(`The model's answer could not be read: ${reason.slice(0, 300)}`);
  }
  const refusal = refusalReason(error);
  if (refusal !== null) {
    const reason = 'The address of the model vendor cannot be reached from here';
    return { kind: 'failed', isRetryable: false, isPermanent: refusal === 'rule', reason, retryAfterSeconds: null };
  }
  const status = error.statusCode ?? 0;
  const vendorMessage = vendorReason(error.message);
  // The word for it stands in the body: OpenAI answers a spent quota like a rate limit (error codes, 429).
  const isSpent = /insufficient_quota/.test(error.responseBody ?? '');
  return {
    kind: 'failed',
    isRetryable: (status === 429 && !isSpent) || status >= 500 || status === 0,
    // A wrong key, an unknown model, a refused request: somebody has to change something.
    isPermanent: [400, 401, 403, 404].includes(status),
    reason: status === 0 ? 'The model vendor does not answer' : `The model vendor answered ${status}: ${vendorMessage}`,
    retryAfterSeconds: retryAfter(error),
    temperature: status === 400 && /temperature/i.test(error.message),
  };
}

/** From the header, or from the details of Google's error (google.rpc.RetryInfo). */
function retryAfter({ responseHeaders, responseBody }: APICallError): number | null {
  const delay = responseHeaders?.['retry-after'] ?? /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(responseBody ?? '')?.[1];
  const seconds = Number(delay);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** The vendor's own sentence, cut, and without anything that looks like a key. */
export function vendorReason(message: string): string {
  return message.replace(/\b(sk|key)-[\w*-]+|\bAIza[\w-]+/gi, '…').slice(0, 300);
}
