/** Whether a key works: one cheap call, and the vendor's own words when it does not. */
import { recordDeed, type Writing } from '../platform/audit.ts';
import type { Ground } from '../platform/ground.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { LlmVendor } from '../products/contract.ts';
import { attempt } from './attempt.ts';
import { accessBy, UNREADABLE } from './complete.ts';
import { credentialById, noteWorks } from './store.ts';
import { vendors } from './vendors.ts';

/** The cheapest of each vendor that has a price in the list. */
const CHEAP: Readonly<Record<LlmVendor, string>> = {
  chatgpt: 'gpt-4o-mini',
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
};

const WHOLE_MS = 15_000;

export async function tryCredential(
  ground: Ground,
  id: number,
  writing: Writing,
): Promise<{ ok: boolean; reason: string | null; model: string; ms: number }> {
  const credential = await credentialById(ground.reader, id);
  if (!credential) throw refuse(commonRefusals, 'not_found', { noun: 'company llm' });
  const { vendor, company_id: companyId } = credential;
  const model = CHEAP[vendor];
  const begun = performance.now();
  const access = accessBy(ground, vendor, credential);
  const outcome =
    access &&
    (await attempt(
      {
        model: vendors[vendor].model(access, model),
        system: 'Answer with one word.',
        messages: [{ role: 'user', content: 'Say ok.' }],
        temperature: null,
      },
      { silenceSeconds: Math.min(10, ground.config.modelSilenceSeconds), wholeMs: WHOLE_MS, signal: undefined },
    ));
  const ok = outcome?.kind === 'answered';
  const reason = outcome === null ? UNREADABLE : outcome.kind === 'failed' ? outcome.reason : null;
  await ground.transact(async (tx) => {
    if (ok) await noteWorks(tx, id);
    await recordDeed(tx, {
      ...writing,
      action: 'tested',
      noun: 'company_llm',
      rowId: id,
      companyId,
      after: { ok, reason },
    });
  });
  return { ok, reason, model, ms: Math.round(performance.now() - begun) };
}
