/** Gets one answer of a language model. Every outcome is a value, never an exception. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { mask } from '../platform/secretCipher.ts';
import type { LlmVendor } from '../products/contract.ts';
import { AdaptedModel } from './adaptedModel.ts';
import { BudgetHold } from './budgetHold.ts';
import type { Attempt, ToolCallOutput } from './modelAttempt.ts';
import { type CredentialsWithinBudget, findCredentialsWithinBudget } from './store/withinBudget.ts';
import { insertCredential, type Refused, saveRefused } from './store.ts';
import { type RequestUsage, sumUsage, type Usage } from './usage.ts';
import { temperatureFor, vendors } from './vendors.ts';
import type { ModelMessage, ModelTool } from './wire/message.ts';
import type { ModelAccess } from './wire/wire.ts';

export interface CompletionRequest {
  readonly companyId: number;
  readonly productId: number;
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

/** Of all attempts together, failed ones too. */
interface CallStats extends Usage {
  readonly ms: number;
  readonly metadata: Record<string, unknown>;
  /** The budget that the call has reserved; whoever stores its run settles it. */
  readonly reservations: readonly number[];
}

export type Completion =
  | (CallStats & ToolCallOutput & { readonly kind: 'answered'; readonly text: string })
  /** `isPermanent`: retrying will not help until someone changes something. */
  | (CallStats & {
      readonly kind: 'failed';
      readonly isPermanent: boolean;
      readonly reason: string;
      /** The company's budget for today is spent. */
      readonly paused?: boolean;
      /** The budget, not the vendor, is the reason. */
      readonly isRefusedByBudget?: boolean;
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
    stream: context.modelOutbound.stream,
  };
}

/** Return a model of a credential, which is asked without what its server has refused. */
export const adaptedModel = (
  context: AppContext,
  { id, refused }: { readonly id: number; readonly refused: Refused },
  model: string,
): AdaptedModel =>
  new AdaptedModel(refused[model], (parameters) =>
    retryWhileDatabaseUnavailable(context, () => saveRefused(context.reader, { id, model, refused: parameters })),
  );

/**
 * Call the model. Retries at most twice, on 429, 5xx and timeouts, and at once without what the server refuses by name.
 * Each request is reserved from the company's budget before it is made, if there is one.
 */
export async function complete(
  context: AppContext,
  request: CompletionRequest,
  signal?: AbortSignal,
): Promise<Completion> {
  const { vendor, companyId, productId, maxTokens } = request;
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  const credentials = request.credentials ?? (await findCredentialsWithinBudget(context.reader, companyId));
  const credential = credentials?.[vendor];
  const access = credential ? openCredential(context, vendor, credential) : null;
  if (!credential || !access) {
    const reason = credential ? UNREADABLE_KEY : `No active key for ${vendor}`;
    const stats = { ms: ms(), ...sumUsage([]), metadata: {}, reservations: [] };
    return { ...stats, kind: 'failed', isPermanent: true, reason };
  }
  const hold = credential.has_budget
    ? new BudgetHold(context, { companyId, productId, vendor, model: request.model, maxTokens })
    : null;
  const adapted = adaptedModel(context, credential, request.model);
  try {
    const { outcome, requests, notes } = await attemptRepeatedly(context, request, {
      access,
      adapted,
      hold,
      signal,
      ms,
    });
    const usage = sumUsage(requests);
    const stats = { ms: ms(), ...usage, reservations: hold?.ids ?? [] };
    const { inputTokens, outputTokens } = usage;
    context.metrics.models.observe({ vendor, outcome: outcome.kind }, ms() / 1000);
    context.metrics.modelTokens.inc({ vendor, direction: 'input' }, inputTokens ?? 0);
    context.metrics.modelTokens.inc({ vendor, direction: 'output' }, outputTokens ?? 0);
    const seen = { vendor, model: request.model, ms: ms(), inputTokens, outputTokens, requests: requests.length };
    if (outcome.kind === 'answered') {
      context.log.info(seen, 'model answered');
      return { ...outcome, ...stats, metadata: { ...outcome.metadata, ...notes } };
    }
    const { isPermanent, reason, budget } = outcome;
    // The reason is not logged: vendors quote the content they were sent.
    context.log.info({ ...seen, permanent: isPermanent }, 'model failed');
    const refusal = budget === undefined ? {} : { isRefusedByBudget: true, paused: budget === 'spent' };
    return { ...stats, kind: 'failed', isPermanent, reason, metadata: notes, ...refusal };
  } finally {
    hold?.end();
  }
}

interface Attempts {
  readonly access: ModelAccess;
  readonly adapted: AdaptedModel;
  readonly hold: BudgetHold | null;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds since the start of the call. */
  readonly ms: () => number;
}

/** Attempt the call until an attempt is final. Returns its outcome, and what all of them used. */
async function attemptRepeatedly(
  context: AppContext,
  request: CompletionRequest,
  { access, adapted, hold, signal, ms }: Attempts,
): Promise<{ outcome: Attempt; requests: RequestUsage[]; notes: Record<string, unknown> }> {
  const { vendor, system, messages, tools, rounds, returnsToolCalls, maxTokens } = request;
  const model = { wire: vendors[vendor].wire, access, name: request.model };
  const temperature = temperatureFor(vendor, request.model, request.temperature);
  let hasStreamed = false;
  const onText = (text: string) => {
    hasStreamed = true;
    request.onText?.(text);
  };
  const before: RequestUsage[] = [];
  for (let tries = 1; ; tries++) {
    const outcome = await adapted.attempt(
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
        reserve: hold ? (bytes, done, aborted) => hold.reserve(bytes, [...before, ...done], aborted) : undefined,
      },
      { idleSeconds: context.config.modelIdleTimeoutSeconds, totalMs: TOTAL_TIMEOUT_MS - ms(), signal },
    );
    before.push(...outcome.requests);
    const mayRetry = tries < MAX_ATTEMPTS && ms() < TOTAL_TIMEOUT_MS && !signal?.aborted && !hasStreamed;
    if (outcome.kind === 'failed' && outcome.isRetryable && mayRetry) {
      await pause(Math.min((outcome.retryAfterSeconds ?? 0.3 * tries) * 1000, 10_000));
      continue;
    }
    const notes = {
      ...(tries > 1 || outcome.kind === 'failed' ? { attempts: tries } : {}),
      ...(temperature.note === null ? {} : { temperature: temperature.note }),
      ...(adapted.leftOut.length === 0 ? {} : { left_out: adapted.leftOut }),
      ...(before.length > 1 ? { usage: before } : {}),
    };
    return { outcome, requests: before, notes };
  }
}
