/** One call of a model, streamed and with timeouts. Every outcome is a value, never an exception. */
import { failureReason, refusalReason } from '../platform/outbound.ts';
import { retryAfterSeconds } from '../platform/retryAfter.ts';
import { addressHint } from './addressHint.ts';
import { BudgetRefusal } from './budgetHold.ts';
import { type RequestUsage, sumUsage, type Usage } from './usage.ts';
import { AnswerBuilder, INVALID_CALL, type ModelCall } from './wire/answer.ts';
import type { ModelMessage, ModelTool, ToolResultPart } from './wire/message.ts';
import { NotAModel, OtherProtocol, readEvents } from './wire/readEvents.ts';
import { errorMessage, VendorError } from './wire/vendorError.ts';
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
  /** Called before each request with its length and what was used before it; the request waits for it. */
  readonly reserve?: ((bytes: number, done: readonly RequestUsage[], signal: AbortSignal) => Promise<void>) | undefined;
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

/** What came of an attempt, and what its requests used: a vendor bills each of them. */
export type Attempt = Outcome & Usage;

type Outcome = Answered | Failed;

interface Answered extends ToolCallOutput {
  readonly kind: 'answered';
  readonly text: string;
  readonly metadata: Record<string, unknown>;
}

interface Failed {
  readonly kind: 'failed';
  /** An immediate retry may help. */
  readonly isRetryable: boolean;
  /** No retry will help until someone changes something. */
  readonly isPermanent: boolean;
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** What the vendor said when it refused the request as it was. */
  readonly refusal?: string;
  /** The vendor was not asked: the budget is spent, or reserved for other calls. */
  readonly budget?: BudgetRefusal['outcome'];
}

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
  const startIdleTimer = () => setTimeout(() => timeout.abort(), idleSeconds * 1000);
  let idleTimer = startIdleTimer();
  const totalTimer = setTimeout(() => {
    timeoutReason = 'The model did not finish within 120 s';
    timeout.abort();
  }, totalMs);
  const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  const requests: RequestUsage[] = [];
  const onActivity = () => {
    timeoutReason = stoppedReason;
    idleTimer.refresh();
  };
  const reserve = async (bytes: number) => {
    if (!request.reserve) return;
    clearTimeout(idleTimer);
    await request.reserve(bytes, requests, abortSignal);
    idleTimer = startIdleTimer();
  };
  try {
    const outcome = await answerInRounds(request, { signal: abortSignal, requests, reserve, onActivity });
    return { ...outcome, ...sumUsage(requests) };
  } catch (error) {
    const failed = abortSignal.aborted
      ? failure(signal?.aborted ? 'The caller has gone' : timeoutReason, !signal?.aborted)
      : toFailure(error, request.model.access.baseUrl);
    return { ...failed, ...sumUsage(requests) };
  } finally {
    clearTimeout(idleTimer);
    clearTimeout(totalTimer);
  }
}

interface InProgress {
  readonly signal: AbortSignal;
  /** Receives the usage of each request. */
  readonly requests: RequestUsage[];
  /** Resolves when a request of so many bytes may be made. */
  readonly reserve: (bytes: number) => Promise<void>;
  readonly onActivity: () => void;
}

/** Ask until the model answers without a call that is carried out here, or with one that ends the answer. */
async function answerInRounds(
  request: ModelRequest,
  { signal, requests, reserve, onActivity }: InProgress,
): Promise<Outcome> {
  const { tools = [], rounds = 0 } = request;
  const toolNames = new Set(tools.map(({ name }) => name));
  const isExecuted = tools.some(({ execute }) => execute !== undefined);
  const messages = [...request.messages];
  let bytes = 0;
  for (let round = 0; ; round++) {
    const answer = new AnswerBuilder({
      onPiece(piece, isAnswer) {
        bytes += Buffer.byteLength(piece);
        if (bytes > MAX_ANSWER_BYTES) throw new AnswerTooLong();
        if (isAnswer) onActivity();
      },
      onText: (piece) => request.onText?.(piece),
    });
    await streamAnswer(request, { messages, signal, answer, requests, reserve });
    // Text before a tool call is not part of the answer.
    const { text, calls, parts } = answer.result(toolNames);
    const reason = answer.finish;
    const message: ModelMessage = { role: 'assistant', content: parts };
    const answered: Outcome = {
      kind: 'answered',
      text,
      calls,
      messages: [message],
      metadata: {
        finish: reason,
        model: answer.model ?? request.model.name,
        ...(answer.isWhole ? { whole: true } : {}),
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
    if (reason === 'content-filter')
      return {
        kind: 'failed',
        isRetryable: false,
        isPermanent: true,
        reason: 'The filter of the model vendor stopped the answer',
        retryAfterSeconds: null,
      };
    if (calls.length === 0 && text.trim() === '') {
      // After calls that were returned before, there may be nothing left to say.
      if (reason === 'stop' && answer.hasThoughts && !request.returnsToolCalls)
        return failure('The model has only thought, and not answered', false);
      if (reason === 'interrupted' && !answer.hasThoughts)
        return failure(answer.hasData ? 'There is no answer in what the server sent' : 'The model answered nothing');
    }
    const wantsTools = request.returnsToolCalls === true && reason === 'tool-calls' && calls.length > 0;
    if ((reason !== 'stop' || (isExecuted && calls.length > 0)) && !wantsTools)
      return failure(`The model broke off its answer (${calls.length > 0 ? 'tool-calls' : reason})`);
    return answered;
  }
}

const endsAnswer = (tools: readonly ModelTool[], called: string): boolean =>
  tools.find(({ name }) => name === called)?.endsAnswer === true;

/** Make one request and read the answer; its usage is counted whatever happens. Throws `NoAnswer`, `VendorError`, or what reading throws. */
async function streamAnswer(
  { model: { wire, access, name }, system, temperature, tools = [], maxTokens }: ModelRequest,
  {
    messages,
    signal,
    answer,
    requests,
    reserve,
  }: Omit<InProgress, 'onActivity'> & {
    readonly messages: readonly ModelMessage[];
    readonly answer: AnswerBuilder;
  },
): Promise<void> {
  const { url, headers, body } = wire.buildCall(access, {
    model: name,
    system,
    messages,
    tools,
    temperature,
    maxTokens,
  });
  const text = JSON.stringify(body);
  await reserve(Buffer.byteLength(text));
  let isRead = false;
  try {
    const response = await access
      .stream(url, { headers: { 'content-type': 'application/json', ...headers }, body: text, signal })
      .catch((cause: unknown) => {
        throw new NoAnswer('No answer', { cause });
      });
    if (response.status < 200 || response.status >= 300) throw await vendorError(response);
    answer.hasData = await readEvents(response.body, wire.createReader(answer));
    isRead = true;
  } finally {
    const { inputTokens, outputTokens, finish } = answer;
    requests.push({ inputTokens, outputTokens, end: isRead ? finish : 'failed' });
  }
}

async function vendorError(response: Awaited<ReturnType<ModelAccess['stream']>>): Promise<VendorError> {
  const text = await response.text();
  return new VendorError({
    status: response.status,
    message: errorMessage(text) ?? response.statusText,
    body: text,
    retryAfterSeconds: retryAfterSeconds(response.headers),
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

const failure = (reason: string, isRetryable = true): Failed => ({
  kind: 'failed',
  isRetryable,
  isPermanent: false,
  reason,
  retryAfterSeconds: null,
});

function toFailure(error: unknown, baseUrl: string): Failed {
  if (error instanceof BudgetRefusal) return { ...failure(error.message, false), budget: error.outcome };
  if (error instanceof AnswerTooLong) return failure('The answer of the model is longer than 256 KB', false);
  if (error instanceof NoAnswer) {
    const refusal = refusalReason(error);
    const reason = `The model vendor does not answer: ${failureReason(error.cause)}`;
    return {
      kind: 'failed',
      isRetryable: refusal === null,
      isPermanent: refusal === 'rule',
      reason,
      retryAfterSeconds: null,
    };
  }
  if (error instanceof NotAModel) {
    const reason = `The address answers with ${error.message}, not with a model. ${addressHint(baseUrl) ?? 'Check the address.'}`;
    return { kind: 'failed', isRetryable: false, isPermanent: true, reason, retryAfterSeconds: null };
  }
  if (error instanceof OtherProtocol) {
    const reason = `The server speaks another protocol: that of ${error.message}. Enter it there.`;
    return { kind: 'failed', isRetryable: false, isPermanent: true, reason, retryAfterSeconds: null };
  }
  if (!(error instanceof VendorError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return failure(`The model's answer could not be read: ${reason.slice(0, 300)}`);
  }
  const { status, message, body } = error;
  // Only the body tells them apart: OpenAI answers a spent quota with the status of a rate limit (error codes, 429).
  const isSpent = body.includes('insufficient_quota');
  const isWrongPath = (status === 404 || status === 405) && !/model/i.test(message);
  const hint = isWrongPath ? addressHint(baseUrl) : null;
  const detail = vendorReason(message) || 'no reason given';
  return {
    kind: 'failed',
    isRetryable: (status === 429 && !isSpent) || MAY_PASS.has(status) || (status >= 500 && status !== 501),
    // A wrong key, an unknown model, an empty account or an invalid request: someone has to change something.
    isPermanent: (status < 500 && status !== 429 && !MAY_PASS.has(status)) || status === 501,
    reason: `The model vendor answered ${status}: ${detail}${hint === null ? '' : `. ${hint}`}`,
    retryAfterSeconds: delayOf(error),
    // llama.cpp refuses tools with 500.
    ...(NOT_ABOUT_REQUEST.has(status) ? {} : { refusal: [message, ...namedIn(body)].join(' ') }),
  };
}

/** Return the parameter that OpenAI names beside the message, and the code of its refusal. */
const namedIn = (body: string): string[] =>
  [...body.slice(0, 5000).matchAll(/"(?:param|code)":\s*"([\w.]+)"/g)].map(([, name = '']) => name);

/** Statuses that say nothing about the parameters of a request. */
const NOT_ABOUT_REQUEST: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 413, 425, 429, 502, 503, 504, 529]);
/** Statuses below 500 that may pass without a change: timeout, conflict, too early. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 409, 425]);

/** Read the delay from the header, or from the details of Google's error (google.rpc.RetryInfo). */
function delayOf({ retryAfterSeconds: named, body }: VendorError): number | null {
  const seconds = named ?? Number(/"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]);
  return seconds > 0 ? seconds : null;
}

/** Return the vendor's own error text, truncated, with anything that looks like a key removed. */
export function vendorReason(message: string): string {
  return message.replace(/\b(sk|key|gsk|xai|pk|hf)[-_][\w*-]+|\bAIza[\w-]+/gi, '…').slice(0, 300);
}
