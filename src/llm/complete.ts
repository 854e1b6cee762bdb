/** Gets one answer of a language model. Every outcome is a value, never an exception. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { mask } from '../platform/secretCipher.ts';
import type { LlmVendor } from '../products/contract.ts';
import { attemptModelCall, type ToolCallOutput } from './modelAttempt.ts';
import { budgetBlockReason } from './store/budget.ts';
import { type CredentialsWithinBudget, findCredentialsWithinBudget } from './store/withinBudget.ts';
import { insertCredential } from './store.ts';
import { temperatureFor, vendors } from './vendors.ts';
import type { ModelMessage, ModelTool } from './wire/message.ts';
import type { ModelAccess } from './wire/wire.ts';

export interface CompletionRequest {
  readonly companyId: number;
  /** Default: they are read now. */
  readonly credentials?: CredentialsWithinBudget | null;
  readonly vendor: LlmVendor;
  readonly model: string;
  readonly temperature: number;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** Maximum answers with tool calls before the last one. */
  readonly rounds?: number;
  /** Return tool calls with the answer; the caller executes them. */
  readonly returnsToolCalls?: boolean;
  /** Maximum length of the answer, tokens; by default the model decides. */
  readonly maxTokens?: number;
  /** Called with each piece of text as it arrives. After the first one the request is not retried. */
  readonly onText?: (text: string) => void;
}

interface CallStats {
  readonly ms: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly metadata: Record<string, unknown>;
}

export type Completion =
  | (CallStats & ToolCallOutput & { readonly kind: 'answered'; readonly text: string })
  /** `isPermanent`: retrying will not help until someone changes something. */
  | (CallStats & {
      readonly kind: 'failed';
      readonly isPermanent: boolean;
      readonly reason: string;
      /** The company's budget for today is spent; the vendor was not called. */
      readonly paused?: boolean;
    });

/** Limit for all attempts together, milliseconds. */
const TOTAL_TIMEOUT_MS = 120_000;
const MAX_ATTEMPTS = 3;

/** The location to which a credential's encrypted key is bound. */
export const keyLocation = (id: number): string => `company_llms.api_key_sealed.${id}`;

/** Store an active credential of a company. */
export function addCredential(
  context: AppContext,
  tx: Tx,
  credential: { companyId: number; vendor: LlmVendor; apiKey: string; baseUrl?: string },
): Promise<number> {
  const config = credential.baseUrl === undefined ? {} : { base_url: credential.baseUrl };
  const row = { companyId: credential.companyId, vendor: credential.vendor, config, keyMask: mask(credential.apiKey) };
  return insertCredential(tx, row, (id) => context.cipher.encryptSecret(credential.apiKey, keyLocation(id)));
}

/** A stored key that cannot be decrypted: encrypted under another secret key, or copied here from another row. */
export const UNREADABLE_KEY = 'The stored key cannot be read: enter it again';

/** Decrypt a stored credential; null if it cannot be decrypted. */
export function openCredential(
  context: AppContext,
  vendor: LlmVendor,
  credential: { readonly id: number; readonly api_key_sealed: string; readonly config: { readonly base_url?: string } },
): ModelAccess | null {
  let apiKey: string;
  try {
    apiKey = context.cipher.decryptSecret(credential.api_key_sealed, keyLocation(credential.id));
  } catch {
    context.log.warn({ credential: credential.id }, 'a stored key does not open');
    return null;
  }
  return {
    apiKey,
    baseUrl: (credential.config.base_url ?? context.config.llmUrls[vendor]).replace(/\/+$/, ''),
    stream: context.outbound.stream,
  };
}

/** Call the model. Retries at most twice, on 429, 5xx and timeouts. */
export async function complete(
  context: AppContext,
  request: CompletionRequest,
  signal?: AbortSignal,
): Promise<Completion> {
  const { vendor } = request;
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  const failure = () => ({ kind: 'failed', ms: ms(), inputTokens: null, outputTokens: null, metadata: {} }) as const;
  const credentials = request.credentials ?? (await findCredentialsWithinBudget(context.reader, request.companyId));
  const credential = credentials?.[vendor];
  const access = credential ? openCredential(context, vendor, credential) : null;
  if (!credential || !access) {
    const reason = credential ? UNREADABLE_KEY : `No active key for ${vendor}`;
    return { ...failure(), isPermanent: true, reason };
  }
  if (credential.spent_budget !== null) {
    const reason = budgetBlockReason(credential.spent_budget);
    return { ...failure(), isPermanent: false, paused: true, reason };
  }
  const model = { wire: vendors[vendor].wire, access, name: request.model };
  let temperature = temperatureFor(vendor, request.model, request.temperature);
  let hasStreamed = false;
  const onText = (text: string) => {
    hasStreamed = true;
    request.onText?.(text);
  };
  for (let tries = 1; ; tries++) {
    const { system, messages, tools, rounds, returnsToolCalls, maxTokens } = request;
    const outcome = await attemptModelCall(
      {
        model,
        system,
        messages,
        temperature: temperature.value,
        tools,
        rounds,
        returnsToolCalls,
        maxTokens,
        onText: request.onText ? onText : undefined,
      },
      { idleSeconds: context.config.modelIdleTimeoutSeconds, totalMs: TOTAL_TIMEOUT_MS - ms(), signal },
    );
    const notes = {
      ...(tries > 1 ? { attempts: tries } : {}),
      ...(temperature.note === null ? {} : { temperature: temperature.note }),
    };
    if (outcome.kind === 'answered') {
      context.metrics.models.observe({ vendor, outcome: 'answered' }, ms() / 1000);
      const { inputTokens, outputTokens } = outcome;
      context.metrics.modelTokens.inc({ vendor, direction: 'input' }, inputTokens ?? 0);
      context.metrics.modelTokens.inc({ vendor, direction: 'output' }, outputTokens ?? 0);
      context.log.info({ vendor, model: request.model, ms: ms(), inputTokens, outputTokens, tries }, 'model answered');
      return { ...outcome, ms: ms(), metadata: { ...outcome.metadata, ...notes } };
    }
    const mayRetry = tries < MAX_ATTEMPTS && ms() < TOTAL_TIMEOUT_MS && !signal?.aborted && !hasStreamed;
    if (outcome.temperature && temperature.value !== null && mayRetry) {
      temperature = { value: null, note: `${request.temperature} left out: the vendor refused it` };
      continue;
    }
    if (!outcome.isRetryable || !mayRetry) {
      context.metrics.models.observe({ vendor, outcome: 'failed' }, ms() / 1000);
      const { isPermanent, reason } = outcome;
      // The reason is not logged: vendors quote the content they were sent.
      context.log.info({ vendor, model: request.model, ms: ms(), tries, permanent: isPermanent }, 'model failed');
      return { ...failure(), isPermanent, reason, metadata: { attempts: tries, ...notes } };
    }
    await pause(Math.min((outcome.retryAfterSeconds ?? 0.3 * tries) * 1000, 10_000));
  }
}
