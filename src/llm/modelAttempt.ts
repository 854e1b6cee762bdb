/** One streamed call of a model, with timeouts. Every outcome is a value, never an exception. */
import { APICallError, type LanguageModel, type ModelMessage, stepCountIs, streamText, type ToolSet } from 'ai';
import { refusalReason } from '../platform/outbound.ts';

export interface ModelRequest {
  readonly model: LanguageModel;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Null: the model's default. */
  readonly temperature: number | null;
  readonly tools?: ToolSet | undefined;
  /** Maximum answers with tool calls before the last one. */
  readonly rounds?: number | undefined;
  /** Return tool calls with the answer; otherwise an answer that ends in a tool call counts as broken off. */
  readonly returnsToolCalls?: boolean | undefined;
  /** Maximum length of the answer, tokens. */
  readonly maxTokens?: number | undefined;
  /** Called with each piece of text as it arrives. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface ModelTimeouts {
  /** Maximum seconds of silence, before the first token and between tokens. */
  readonly idleSeconds: number;
  /** Maximum milliseconds for the whole call. */
  readonly totalMs: number;
  readonly signal: AbortSignal | undefined;
}

/** A tool call by the model that is not executed here. */
export interface ModelCall {
  /** The model's id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** Why the call is invalid: no such tool, or arguments that are not JSON. */
  readonly fault: string | null;
}

/** Returned with an answer that may contain tool calls. */
export interface ToolCallOutput {
  /** In the model's order; empty: the answer is complete. */
  readonly calls: readonly ModelCall[];
  /** The answer as the model must receive it in the next request; JSON. */
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
      /** An immediate retry may help. */
      readonly isRetryable: boolean;
      /** No retry will help until someone changes something. */
      readonly isPermanent: boolean;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      /** The vendor rejected the temperature. */
      readonly temperature?: boolean;
    };

/** Maximum bytes of text, reasoning and arguments in one answer: more than a person reads, and it is kept in memory. */
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
      // Text before a tool call is not part of the answer.
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
    // If reading stops at an unreadable piece, the rest of the stream stays open, and a vendor may never end it.
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
  // Only the body tells them apart: OpenAI answers a spent quota with the status of a rate limit (error codes, 429).
  const isSpent = /insufficient_quota/.test(error.responseBody ?? '');
  return {
    kind: 'failed',
    isRetryable: (status === 429 && !isSpent) || status >= 500 || status === 0,
    // A wrong key, an unknown model or an invalid request: someone has to change something.
    isPermanent: [400, 401, 403, 404].includes(status),
    reason: status === 0 ? 'The model vendor does not answer' : `The model vendor answered ${status}: ${vendorMessage}`,
    retryAfterSeconds: retryAfter(error),
    temperature: status === 400 && /temperature/i.test(error.message),
  };
}

/** Read the delay from the header, or from the details of Google's error (google.rpc.RetryInfo). */
function retryAfter({ responseHeaders, responseBody }: APICallError): number | null {
  const delay = responseHeaders?.['retry-after'] ?? /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(responseBody ?? '')?.[1];
  const seconds = Number(delay);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** Return the vendor's own error text, truncated, with anything that looks like a key removed. */
export function vendorReason(message: string): string {
  return message.replace(/\b(sk|key)-[\w*-]+|\bAIza[\w-]+/gi, '…').slice(0, 300);
}
