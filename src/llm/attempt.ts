/** One call of a model: streamed, with patience that ends. A value, never an exception. */
import { APICallError, type LanguageModel, type ModelMessage, stepCountIs, streamText, type ToolSet } from 'ai';
import { refusedHere } from '../platform/outbound.ts';

export interface Asked {
  readonly model: LanguageModel;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Null: the model's own. */
  readonly temperature: number | null;
  readonly tools?: ToolSet | undefined;
  /** How many answers with calls of tools may come before the last one. */
  readonly rounds?: number | undefined;
  /** Calls of tools are handed over with the answer; otherwise an answer that ends in one is broken off. */
  readonly handsOver?: boolean | undefined;
  /** The longest answer, tokens. */
  readonly mostTokens?: number | undefined;
  /** Told each piece of text as it comes. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface Patience {
  /** Seconds of silence: before the first token and between two. */
  readonly silenceSeconds: number;
  /** Milliseconds for all of it. */
  readonly wholeMs: number;
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
export interface HandedOver {
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
    } & HandedOver)
  | {
      readonly kind: 'failed';
      /** Another try at once may help. */
      readonly passing: boolean;
      /** No try will help until somebody changes something. */
      readonly lasting: boolean;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      /** The vendor named the temperature as what is wrong. */
      readonly temperature?: boolean;
    };

/** Bytes of text, thoughts and arguments in one answer; no person reads so much, and it is kept in memory. */
const LONGEST_ANSWER = 256 * 1024;

export async function attempt(asked: Asked, { silenceSeconds, wholeMs, signal }: Patience): Promise<Attempt> {
  const patience = new AbortController();
  let late = `The model did not begin to answer within ${silenceSeconds} s`;
  let timer = setTimeout(() => patience.abort(), silenceSeconds * 1000);
  const whole = setTimeout(() => {
    late = 'The model did not finish within 120 s';
    patience.abort();
  }, wholeMs);
  const abortSignal = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal;
  const gone = (): Attempt => failing(signal?.aborted ? 'The caller has gone' : late, !signal?.aborted);
  try {
    const result = streamText({
      model: asked.model,
      system: asked.system,
      messages: [...asked.messages],
      ...(asked.temperature === null ? {} : { temperature: asked.temperature }),
      ...(asked.mostTokens ? { maxOutputTokens: asked.mostTokens } : {}),
      ...(asked.tools ? { tools: asked.tools, stopWhen: stepCountIs((asked.rounds ?? 0) + 1) } : {}),
      maxRetries: 0,
      abortSignal,
      onError: () => undefined,
    });
    let text = '';
    let calls: ModelCall[] = [];
    let bytes = 0;
    const hear = () => {
      clearTimeout(timer);
      late = `The model stopped in the middle of its answer for ${silenceSeconds} s`;
      timer = setTimeout(() => patience.abort(), silenceSeconds * 1000);
    };
    for await (const part of result.fullStream) {
      if (part.type === 'error') return failed(part.error);
      if (part.type === 'abort') return gone();
      // What was said before a tool was called is not the answer.
      if (part.type === 'start-step') {
        text = '';
        calls = [];
      }
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') bytes += Buffer.byteLength(part.text);
      if (part.type === 'tool-input-delta') bytes += Buffer.byteLength(part.delta);
      if (bytes > LONGEST_ANSWER) return failing('The answer of the model is longer than 256 KB', false);
      if (part.type === 'tool-call') calls.push(handedOver(part));
      if (part.type === 'tool-result') calls = calls.filter(({ id }) => id !== part.toolCallId);
      if (part.type === 'tool-input-delta' || part.type === 'tool-result') hear();
      if (part.type !== 'text-delta') continue;
      text += part.text;
      asked.onText?.(part.text);
      hear();
    }
    const [usage, reason, response] = await Promise.all([result.totalUsage, result.finishReason, result.response]);
    const asksOthers = asked.handsOver === true && reason === 'tool-calls' && calls.length > 0;
    if (reason !== 'stop' && !asksOthers) return failing(`The model broke off its answer (${reason})`);
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
    return abortSignal.aborted ? gone() : failed(error);
  } finally {
    clearTimeout(timer);
    clearTimeout(whole);
    // Whoever stops reading at an unreadable piece leaves the rest of the stream open, and a vendor may never end it.
    patience.abort();
  }
}

function handedOver(part: {
  toolCallId: string;
  toolName: string;
  input: unknown;
  invalid?: boolean | undefined;
}): ModelCall {
  const fault = part.invalid === true ? 'There is no such tool, or its arguments are not JSON' : null;
  return { id: part.toolCallId, tool: part.toolName, input: part.input, fault };
}

const failing = (reason: string, passing = true): Attempt => ({
  kind: 'failed',
  passing,
  lasting: false,
  reason,
  retryAfterSeconds: null,
});

function failed(error: unknown): Attempt {
  if (!APICallError.isInstance(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return failing(`The model's answer could not be read: ${reason.slice(0, 300)}`);
  }
  const refused = refusedHere(error);
  if (refused !== null) {
    const reason = 'The address of the model vendor cannot be reached from here';
    return { kind: 'failed', passing: false, lasting: refused === 'rule', reason, retryAfterSeconds: null };
  }
  const status = error.statusCode ?? 0;
  const said = vendorReason(error.message);
  // The word for it stands in the body: OpenAI answers a spent quota like a rate limit (error codes, 429).
  const isSpent = /insufficient_quota/.test(error.responseBody ?? '');
  return {
    kind: 'failed',
    passing: (status === 429 && !isSpent) || status >= 500 || status === 0,
    // A wrong key, an unknown model, a refused request: somebody has to change something.
    lasting: [400, 401, 403, 404].includes(status),
    reason: status === 0 ? 'The model vendor does not answer' : `The model vendor answered ${status}: ${said}`,
    retryAfterSeconds: retryAfter(error),
    temperature: status === 400 && /temperature/i.test(error.message),
  };
}

/** From the header, or from the details of Google's error (google.rpc.RetryInfo). */
function retryAfter({ responseHeaders, responseBody }: APICallError): number | null {
  const given = responseHeaders?.['retry-after'] ?? /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(responseBody ?? '')?.[1];
  const seconds = Number(given);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** The vendor's own sentence, cut, and without anything that looks like a key. */
export function vendorReason(message: string): string {
  return message.replace(/\b(sk|key)-[\w*-]+|\bAIza[\w-]+/gi, '…').slice(0, 300);
}
