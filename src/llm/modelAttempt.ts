/** One call of a model, streamed and with timeouts. Every outcome is a value, never an exception. */
import { z } from 'zod';
import { refusalReason } from '../platform/outbound.ts';
import { AnswerBuilder, INVALID_CALL, type ModelCall } from './wire/answer.ts';
import type { ModelMessage, ModelTool, ToolResultPart } from './wire/message.ts';
import { readEvents, VendorError } from './wire/readEvents.ts';
import type { ModelAccess, Wire } from './wire/wire.ts';

export interface ModelRequest {
  readonly model: { readonly wire: Wire; readonly access: ModelAccess; readonly name: string };
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Null: the model's default. */
  readonly temperature: number | null;
  readonly tools?: readonly ModelTool[] | undefined;
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

class AnswerTooLong extends Error {}
/** The request got no answer at all. */
class NoAnswer extends Error {}

export async function attemptModelCall(request: ModelRequest, timeouts: ModelTimeouts): Promise<Attempt> {
  const { idleSeconds, totalMs, signal } = timeouts;
  const timeout = new AbortController();
  let timeoutReason = `The model did not begin to answer within ${idleSeconds} s`;
  const stoppedReason = `The model stopped in the middle of its answer for ${idleSeconds} s`;
  const idleTimer = setTimeout(() => timeout.abort(), idleSeconds * 1000);
  const totalTimer = setTimeout(() => {
    timeoutReason = 'The model did not finish within 120 s';
    timeout.abort();
  }, totalMs);
  const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  try {
    return await answerInRounds(request, abortSignal, () => {
      timeoutReason = stoppedReason;
      idleTimer.refresh();
    });
  } catch (error) {
    if (!abortSignal.aborted) return toFailure(error);
    return failure(signal?.aborted ? 'The caller has gone' : timeoutReason, !signal?.aborted);
  } finally {
    clearTimeout(idleTimer);
    clearTimeout(totalTimer);
  }
}

/** Ask until the model answers without a call that is carried out here, or with one that ends the answer. */
async function answerInRounds(request: ModelRequest, signal: AbortSignal, onActivity: () => void): Promise<Attempt> {
  const { tools = [], rounds = 0 } = request;
  const toolNames = new Set(tools.map(({ name }) => name));
  const isExecuted = tools.some(({ execute }) => execute !== undefined);
  const messages = [...request.messages];
  let bytes = 0;
  let inputTokens: number | null = null;
  let outputTokens: number | null = null;
  for (let round = 0; ; round++) {
    const answer = new AnswerBuilder({
      onPiece(piece, isAnswer) {
        bytes += Buffer.byteLength(piece);
        if (bytes > MAX_ANSWER_BYTES) throw new AnswerTooLong();
        if (isAnswer) onActivity();
      },
      onText: (piece) => request.onText?.(piece),
    });
    await streamAnswer(request, { messages, signal, answer });
    if (answer.inputTokens !== null) inputTokens = (inputTokens ?? 0) + answer.inputTokens;
    if (answer.outputTokens !== null) outputTokens = (outputTokens ?? 0) + answer.outputTokens;
    // Text before a tool call is not part of the answer.
    const { text, calls, parts } = answer.result(toolNames);
    const reason = answer.finish;
    const message: ModelMessage = { role: 'assistant', content: parts };
    const answered: Attempt = {
      kind: 'answered',
      text,
      calls,
      messages: [message],
      inputTokens,
      outputTokens,
      metadata: {
        finish: reason,
        model: answer.model ?? request.model.name,
        ...(answer.fingerprint === null ? {} : { system_fingerprint: answer.fingerprint }),
      },
    };
    if (isExecuted && calls.length > 0 && (reason === 'tool-calls' || reason === 'stop')) {
      const mayContinue = round < rounds;
      const carriedOut = mayContinue ? calls : calls.filter((call) => endsAnswer(tools, call.tool));
      const results = await Promise.all(carriedOut.map((call) => execute(tools, call)));
      signal.throwIfAborted();
      onActivity();
      if (results.some((result) => result.output.type === 'text' && endsAnswer(tools, result.toolName)))
        return answered;
      if (mayContinue) {
        messages.push(message, { role: 'tool', content: results });
        continue;
      }
    }
    const wantsTools = request.returnsToolCalls === true && reason === 'tool-calls' && calls.length > 0;
    if ((reason !== 'stop' || (isExecuted && calls.length > 0)) && !wantsTools)
      return failure(`The model broke off its answer (${calls.length > 0 ? 'tool-calls' : reason})`);
    return answered;
  }
}

const endsAnswer = (tools: readonly ModelTool[], called: string): boolean =>
  tools.find(({ name }) => name === called)?.endsAnswer === true;

/** Make one request and read the answer. Throws `NoAnswer`, `VendorError`, or what reading throws. */
async function streamAnswer(
  { model: { wire, access, name }, system, temperature, tools = [], maxTokens }: ModelRequest,
  { messages, signal, answer }: { messages: readonly ModelMessage[]; signal: AbortSignal; answer: AnswerBuilder },
): Promise<void> {
  const { url, headers, body } = wire.buildCall(access, {
    model: name,
    system,
    messages,
    tools,
    temperature,
    maxTokens,
  });
  const response = await access
    .stream(url, { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body), signal })
    .catch((cause: unknown) => {
      throw new NoAnswer('No answer', { cause });
    });
  if (response.status >= 200 && response.status < 300) return readEvents(response.body, wire.createReader(answer));
  const text = await response.text();
  const retryAfter = response.headers['retry-after'];
  throw new VendorError({
    status: response.status,
    message: errorMessage(text) ?? response.statusText,
    body: text,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
  });
}

/** Carry out a call of the model. Whatever goes wrong is a result for the model. */
async function execute(tools: readonly ModelTool[], { id, tool, input, fault }: ModelCall): Promise<ToolResultPart> {
  const result = (type: 'text' | 'error-text', value: string): ToolResultPart => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: tool,
    output: { type, value },
  });
  const found = tools.find(({ name }) => name === tool);
  if (fault !== null || !found?.execute) return result('error-text', fault ?? INVALID_CALL);
  try {
    return result('text', await found.execute(input));
  } catch (error) {
    return result('error-text', error instanceof Error ? error.message : String(error));
  }
}

const errorBody = z.object({ error: z.object({ message: z.string() }) });

/** Return the vendor's message in the body of an error, which all vendors send in the same place. */
function errorMessage(body: string): string | null {
  try {
    return errorBody.parse(JSON.parse(body)).error.message;
  } catch {
    return null;
  }
}

const failure = (reason: string, isRetryable = true): Attempt => ({
  kind: 'failed',
  isRetryable,
  isPermanent: false,
  reason,
  retryAfterSeconds: null,
});

function toFailure(error: unknown): Attempt {
  if (error instanceof AnswerTooLong) return failure('The answer of the model is longer than 256 KB', false);
  if (error instanceof NoAnswer) {
    const refusal = refusalReason(error);
    if (refusal === null) return failure('The model vendor does not answer');
    const reason = 'The address of the model vendor cannot be reached from here';
    return { kind: 'failed', isRetryable: false, isPermanent: refusal === 'rule', reason, retryAfterSeconds: null };
  }
  if (!(error instanceof VendorError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return failure(`The model's answer could not be read: ${reason.slice(0, 300)}`);
  }
  const { status, message, body } = error;
  // Only the body tells them apart: OpenAI answers a spent quota with the status of a rate limit (error codes, 429).
  const isSpent = body.includes('insufficient_quota');
  return {
    kind: 'failed',
    isRetryable: (status === 429 && !isSpent) || status >= 500,
    // A wrong key, an unknown model or an invalid request: someone has to change something.
    isPermanent: [400, 401, 403, 404].includes(status),
    reason: `The model vendor answered ${status}: ${vendorReason(message)}`,
    retryAfterSeconds: retryAfter(error),
    temperature: status === 400 && /temperature/i.test(message),
  };
}

/** Read the delay from the header, or from the details of Google's error (google.rpc.RetryInfo). */
function retryAfter({ retryAfter: header, body }: VendorError): number | null {
  const delay = header ?? /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  const seconds = Number(delay);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** Return the vendor's own error text, truncated, with anything that looks like a key removed. */
export function vendorReason(message: string): string {
  return message.replace(/\b(sk|key)-[\w*-]+|\bAIza[\w-]+/gi, '…').slice(0, 300);
}
