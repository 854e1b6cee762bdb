/** One answer of a language model, whatever happens: a value, never an exception. */

import { setTimeout as pause } from 'node:timers/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, streamText } from 'ai';
import { z } from 'zod';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { mask } from '../platform/seal.ts';
import type { LlmVendor } from '../products/contract.ts';
import { activeCredential, insertCredential } from './store.ts';

export interface Prompting {
  readonly companyId: number;
  readonly vendor: LlmVendor;
  readonly model: string;
  readonly temperature: number;
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

interface Measured {
  readonly ms: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly metadata: Record<string, unknown>;
}

export type Completion =
  | (Measured & { readonly kind: 'answered'; readonly text: string })
  /** `lasting`: another try will not help until somebody changes something. */
  | (Measured & { readonly kind: 'failed'; readonly lasting: boolean; readonly reason: string });

/** All in all, milliseconds. */
const WHOLE_MS = 120_000;
const QUICK_TRIES = 3;

const chunkSchema = z.object({ system_fingerprint: z.string().max(200) });

/** What a credential's key is sealed under. */
export const keyPlace = (id: number): string => `company_llms.api_key_sealed.${id}`;

/** Stores an active credential of a company. */
export function addCredential(
  ground: Ground,
  tx: Tx,
  credential: { companyId: number; vendor: LlmVendor; apiKey: string; baseUrl?: string },
): Promise<number> {
  const config = credential.baseUrl === undefined ? {} : { base_url: credential.baseUrl };
  const row = { companyId: credential.companyId, vendor: credential.vendor, config, keyMask: mask(credential.apiKey) };
  return insertCredential(tx, row, (id) => ground.seal.close(credential.apiKey, keyPlace(id)));
}

/** Asks the model; two quick repeats on 429, 5xx and time-outs. */
export async function complete(ground: Ground, prompting: Prompting, signal?: AbortSignal): Promise<Completion> {
  const begun = performance.now();
  const nothing = { inputTokens: null, outputTokens: null, metadata: {} };
  const ms = () => Math.round(performance.now() - begun);
  const credential = await activeCredential(ground.reader, prompting.companyId, prompting.vendor);
  if (!credential || prompting.vendor !== 'chatgpt') {
    return { ...nothing, kind: 'failed', lasting: true, reason: `No active key for ${prompting.vendor}`, ms: ms() };
  }
  const openai = createOpenAI({
    apiKey: ground.seal.open(credential.api_key_sealed, keyPlace(credential.id)),
    baseURL: credential.config.base_url ?? ground.config.llmUrls.chatgpt,
    fetch: ground.outbound.fetch,
  });
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask(openai, prompting, ground.config.modelSilenceSeconds, WHOLE_MS - ms(), signal);
    if (outcome.kind === 'answered') {
      ground.metrics.models.observe({ vendor: prompting.vendor, outcome: 'answered' }, ms() / 1000);
      return { ...outcome, ms: ms(), metadata: { ...outcome.metadata, ...(attempt > 1 ? { attempts: attempt } : {}) } };
    }
    const again = outcome.passing && attempt < QUICK_TRIES && ms() < WHOLE_MS && !signal?.aborted;
    if (!again) {
      ground.metrics.models.observe({ vendor: prompting.vendor, outcome: 'failed' }, ms() / 1000);
      return {
        ...nothing,
        kind: 'failed',
        lasting: outcome.lasting,
        reason: outcome.reason,
        ms: ms(),
        metadata: { attempts: attempt },
      };
    }
    await pause(Math.min((outcome.retryAfterSeconds ?? 0.3 * attempt) * 1000, 10_000));
  }
}

type Attempt =
  | {
      kind: 'answered';
      text: string;
      inputTokens: number | null;
      outputTokens: number | null;
      metadata: Record<string, unknown>;
    }
  | { kind: 'failed'; passing: boolean; lasting: boolean; reason: string; retryAfterSeconds: number | null };

async function ask(
  openai: ReturnType<typeof createOpenAI>,
  prompting: Prompting,
  silenceSeconds: number,
  wholeMs: number,
  signal?: AbortSignal,
): Promise<Attempt> {
  const patience = new AbortController();
  let late = `The model did not begin to answer within ${silenceSeconds} s`;
  let timer = setTimeout(() => patience.abort(), silenceSeconds * 1000);
  const whole = setTimeout(() => {
    late = 'The model did not finish within 120 s';
    patience.abort();
  }, wholeMs);
  const abortSignal = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal;
  try {
    const result = streamText({
      model: openai.chat(prompting.model),
      system: prompting.system,
      messages: prompting.messages.map((one) => ({ ...one })),
      temperature: prompting.temperature,
      maxRetries: 0,
      abortSignal,
      includeRawChunks: true,
      onError: () => undefined,
    });
    let text = '';
    let fingerprint: string | null = null;
    for await (const part of result.fullStream) {
      if (part.type === 'error') return failed(part.error);
      if (part.type === 'abort')
        return { kind: 'failed', passing: true, lasting: false, reason: late, retryAfterSeconds: null };
      if (part.type === 'raw') fingerprint ??= fingerprintOf(part.rawValue);
      if (part.type !== 'text-delta') continue;
      text += part.text;
      clearTimeout(timer);
      late = `The model stopped in the middle of its answer for ${silenceSeconds} s`;
      timer = setTimeout(() => patience.abort(), silenceSeconds * 1000);
    }
    const [usage, reason, response] = await Promise.all([result.usage, result.finishReason, result.response]);
    if (reason !== 'stop') {
      return {
        kind: 'failed',
        passing: true,
        lasting: false,
        reason: `The model broke off its answer (${reason})`,
        retryAfterSeconds: null,
      };
    }
    return {
      kind: 'answered',
      text,
      inputTokens: usage.inputTokens ?? null,
      outputTokens: usage.outputTokens ?? null,
      metadata: {
        finish: reason,
        model: response.modelId,
        ...(fingerprint === null ? {} : { system_fingerprint: fingerprint }),
      },
    };
  } catch (error) {
    if (patience.signal.aborted)
      return { kind: 'failed', passing: true, lasting: false, reason: late, retryAfterSeconds: null };
    return failed(error);
  } finally {
    clearTimeout(timer);
    clearTimeout(whole);
  }
}

/** Which installation of the model spoke, as it says itself (OpenAI API reference, `system_fingerprint`). */
function fingerprintOf(chunk: unknown): string | null {
  return chunkSchema.safeParse(chunk).data?.system_fingerprint ?? null;
}

function failed(error: unknown): Attempt {
  if (APICallError.isInstance(error)) {
    const status = error.statusCode ?? 0;
    const retryAfter = Number(error.responseHeaders?.['retry-after']);
    const passing = status === 429 || status >= 500 || status === 0;
    return {
      kind: 'failed',
      passing,
      // A wrong key, an unknown model, a refused request: somebody has to change something.
      lasting: status === 400 || status === 401 || status === 403 || status === 404,
      reason:
        status === 0
          ? 'The model vendor does not answer'
          : `The model vendor answered ${status}: ${vendorReason(error)}`,
      retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: 'failed',
    passing: true,
    lasting: false,
    reason: `The model's answer could not be read: ${reason.slice(0, 300)}`,
    retryAfterSeconds: null,
  };
}

/** The vendor's own sentence, cut, and without anything that looks like a key. */
function vendorReason(error: APICallError): string {
  return error.message.replace(/\b(sk|key)-[\w*-]+/gi, '…').slice(0, 300);
}
