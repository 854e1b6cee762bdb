/** Tests a key with one cheap call; returns the vendor's own error text if it fails. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { LlmVendor } from '../products/contract.ts';
import { openCredential, UNREADABLE_KEY } from './complete.ts';
import { attemptModelCall } from './modelAttempt.ts';
import { credentialById, markCredentialWorking } from './store.ts';
import { vendors } from './vendors.ts';

/** The cheapest model of each vendor that has a price in the list. */
const CHEAPEST_MODELS: Readonly<Record<LlmVendor, string>> = {
  chatgpt: 'gpt-4o-mini',
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
};

const TOTAL_TIMEOUT_MS = 15_000;

export async function checkCredential(
  context: AppContext,
  id: number,
  writeContext: WriteContext,
): Promise<{ ok: boolean; reason: string | null; model: string; ms: number }> {
  const credential = await credentialById(context.reader, id);
  if (!credential) throw refuse(commonRefusals, 'not_found', { noun: 'company llm' });
  const { vendor, company_id: companyId } = credential;
  const model = CHEAPEST_MODELS[vendor];
  const startedAt = performance.now();
  const access = openCredential(context, vendor, credential);
  const outcome =
    access &&
    (await attemptModelCall(
      {
        model: { wire: vendors[vendor].wire, access, name: model },
        system: 'Answer with one word.',
        messages: [{ role: 'user', content: 'Say ok.' }],
        temperature: null,
      },
      {
        idleSeconds: Math.min(10, context.config.modelIdleTimeoutSeconds),
        totalMs: TOTAL_TIMEOUT_MS,
        signal: undefined,
      },
    ));
  const ok = outcome?.kind === 'answered';
  const reason = outcome === null ? UNREADABLE_KEY : outcome.kind === 'failed' ? outcome.reason : null;
  await context.transact(async (tx) => {
    if (ok) await markCredentialWorking(tx, id);
    await recordAuditEntry(tx, {
      ...writeContext,
      action: 'tested',
      noun: 'company_llm',
      rowId: id,
      companyId,
      after: { ok, reason },
    });
  });
  return { ok, reason, model, ms: Math.round(performance.now() - startedAt) };
}
