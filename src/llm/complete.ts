/** One answer of a language model, whatever happens: a value, never an exception. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ModelMessage, ToolSet } from 'ai';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { mask } from '../platform/seal.ts';
import type { LlmVendor } from '../products/contract.ts';
import { attempt, type HandedOver } from './attempt.ts';
import { overhearing } from './fingerprint.ts';
import { moneyObstacle } from './money.ts';
import { activeCredential, insertCredential } from './store.ts';
import { type Access, temperatureFor, vendors } from './vendors.ts';

export interface Prompting {
  readonly companyId: number;
  readonly vendor: LlmVendor;
  readonly model: string;
  readonly temperature: number;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: ToolSet;
  /** How many answers with calls of tools may come before the last one. */
  readonly rounds?: number;
  /** Calls of tools are handed over with the answer, carried out by somebody else. */
  readonly handsOver?: boolean;
  /** The longest answer, tokens; by default as long as the model likes. */
  readonly mostTokens?: number;
  /** Told each piece of text as it comes. After the first one nothing is tried again. */
  readonly onText?: (text: string) => void;
}

interface Measured {
  readonly ms: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly metadata: Record<string, unknown>;
}

export type Completion =
  | (Measured & HandedOver & { readonly kind: 'answered'; readonly text: string })
  /** `lasting`: another try will not help until somebody changes something. */
  | (Measured & {
      readonly kind: 'failed';
      readonly lasting: boolean;
      readonly reason: string;
      /** The company may spend nothing more today; the vendor was not asked. */
      readonly paused?: boolean;
    });

/** All in all, milliseconds. */
const WHOLE_MS = 120_000;
const QUICK_TRIES = 3;

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

/** A stored key that does not open: sealed under another secret key, or moved here from another row. */
export const UNREADABLE = 'The stored key cannot be read: enter it again';

/** Opens a stored credential; null when it does not open. */
export function accessBy(
  ground: Ground,
  vendor: LlmVendor,
  credential: { id: number; api_key_sealed: string; config: { base_url?: string } },
): Access | null {
  let apiKey: string;
  try {
    apiKey = ground.seal.open(credential.api_key_sealed, keyPlace(credential.id));
  } catch {
    ground.log.warn({ credential: credential.id }, 'a stored key does not open');
    return null;
  }
  return {
    apiKey,
    baseUrl: (credential.config.base_url ?? ground.config.llmUrls[vendor]).replace(/\/+$/, ''),
    fetch: ground.outbound.fetch,
  };
}

/** Asks the model; two quick repeats on 429, 5xx and time-outs. */
export async function complete(ground: Ground, prompting: Prompting, signal?: AbortSignal): Promise<Completion> {
  const { vendor } = prompting;
  const begun = performance.now();
  const nothing = { inputTokens: null, outputTokens: null };
  const ms = () => Math.round(performance.now() - begun);
  const credential = await activeCredential(ground.reader, prompting.companyId, vendor);
  const access = credential ? accessBy(ground, vendor, credential) : null;
  if (!access) {
    const reason = credential ? UNREADABLE : `No active key for ${vendor}`;
    return { ...nothing, kind: 'failed', lasting: true, reason, ms: ms(), metadata: {} };
  }
  const obstacle = await moneyObstacle(ground.reader, prompting.companyId);
  if (obstacle !== null) {
    return { ...nothing, kind: 'failed', lasting: false, paused: true, reason: obstacle, ms: ms(), metadata: {} };
  }
  let fingerprint: string | null = null;
  const fetch = overhearing(access.fetch, (said) => {
    fingerprint = said;
  });
  const model = vendors[vendor].model({ ...access, fetch }, prompting.model);
  let temperature = temperatureFor(vendor, prompting.model, prompting.temperature);
  let spoke = false;
  const onText = (text: string) => {
    spoke = true;
    prompting.onText?.(text);
  };
  for (let tries = 1; ; tries++) {
    const { system, messages, tools, rounds, handsOver, mostTokens } = prompting;
    const outcome = await attempt(
      {
        model,
        system,
        messages,
        temperature: temperature.value,
        tools,
        rounds,
        handsOver,
        mostTokens,
        onText: prompting.onText ? onText : undefined,
      },
      { silenceSeconds: ground.config.modelSilenceSeconds, wholeMs: WHOLE_MS - ms(), signal },
    );
    const notes = {
      ...(tries > 1 ? { attempts: tries } : {}),
      ...(temperature.note === null ? {} : { temperature: temperature.note }),
      ...(fingerprint === null ? {} : { system_fingerprint: fingerprint }),
    };
    if (outcome.kind === 'answered') {
      ground.metrics.models.observe({ vendor, outcome: 'answered' }, ms() / 1000);
      const { inputTokens, outputTokens } = outcome;
      ground.metrics.modelTokens.inc({ vendor, direction: 'input' }, inputTokens ?? 0);
      ground.metrics.modelTokens.inc({ vendor, direction: 'output' }, outputTokens ?? 0);
      ground.log.info({ vendor, model: prompting.model, ms: ms(), inputTokens, outputTokens, tries }, 'model answered');
      return { ...outcome, ms: ms(), metadata: { ...outcome.metadata, ...notes } };
    }
    const inTime = tries < QUICK_TRIES && ms() < WHOLE_MS && !signal?.aborted && !spoke;
    if (outcome.temperature && temperature.value !== null && inTime) {
      temperature = { value: null, note: `${prompting.temperature} left out: the vendor refused it` };
      continue;
    }
    if (!outcome.passing || !inTime) {
      ground.metrics.models.observe({ vendor, outcome: 'failed' }, ms() / 1000);
      const { lasting, reason } = outcome;
      // Not the reason: vendors quote what they were shown.
      ground.log.info({ vendor, model: prompting.model, ms: ms(), tries, lasting }, 'model failed');
      return { ...nothing, kind: 'failed', lasting, reason, ms: ms(), metadata: { attempts: tries, ...notes } };
    }
    await pause(Math.min((outcome.retryAfterSeconds ?? 0.3 * tries) * 1000, 10_000));
  }
}
