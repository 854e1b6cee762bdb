/** Makes a version of a prompt live: what leads get, and what decides about them. */
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readGate } from '../products/product.ts';
import { requireConfirmedErrors } from './confirmedErrors.ts';
import { type Prompt, type PromptChecks, promptRefusals } from './contract.ts';
import { findRollbackTarget, insertPublication, insertRollback, setLive } from './store/publications.ts';
import { findPromptVersion } from './store.ts';

/** What identifies a prompt for its checks. */
export type CheckedPrompt = Pick<Prompt, 'id' | 'product_id' | 'type'>;

/** Say what the cases of a prompt find in a version of it. Injected by the app: cases are the studio's. */
export type CheckGate = (
  tx: Tx,
  candidate: { readonly prompt: CheckedPrompt; readonly version: number },
) => Promise<PromptChecks>;

export interface Publication {
  /** The locked prompt. */
  readonly prompt: CheckedPrompt & Pick<Prompt, 'live_version'>;
  readonly version: number;
  readonly author: string;
  readonly overrideReason: string | null;
  /** Errors of the text that the operator confirms. */
  readonly confirmed: readonly string[] | undefined;
}

/** What is recorded of a publication. */
interface Published {
  /** Null if the product has no gate, or the version was live already. */
  readonly checks: PromptChecks | null;
  /** The reason, if it was needed. */
  readonly override_reason: string | null;
}

/**
 * Make a version live; one that is live already is left as it is. Refuses (404) a version that does not exist, (422) one
 * whose errors were not confirmed, and (409) one whose checks are red or missing, if the product's gate blocks and no
 * reason is given. The prompt must be locked.
 */
export async function publishVersion(
  tx: Tx,
  { prompt, version, author, overrideReason, confirmed }: Publication,
  checkGate: CheckGate,
): Promise<Published> {
  const { id, product_id: productId } = prompt;
  if (version === prompt.live_version) return { checks: null, override_reason: null };
  const found = await findPromptVersion(tx, { promptId: id, version, productId });
  if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'version of this prompt' });
  await requireConfirmedErrors(tx, { productId, texts: [found.text], confirmed, loc: ['version'] });
  const gate = await readGate(tx, productId);
  const checks = gate === 'off' ? null : await checkGate(tx, { prompt, version });
  const problem = checks === null ? null : problemOf(checks);
  if (checks !== null && problem !== null && gate === 'block' && overrideReason === null)
    throw refuse(promptRefusals, 'prompt.gate', { version, why: problem }).withFacts({ checks });
  await setLive(tx, { promptId: id, version });
  const published = { checks, override_reason: problem === null ? null : overrideReason };
  await insertPublication(tx, { promptId: id, version, kind: 'published', author, ...published });
  notify(tx, { topic: 'prompt', product: productId, ids: [id] });
  return published;
}

/** Return why checks do not let a version pass. Missing evidence never counts as a pass. */
function problemOf({ state, red }: PromptChecks): string | null {
  switch (state) {
    case 'green':
    case 'none':
      return null;
    case 'missing':
      return 'it was not checked with all of its cases';
    case 'red':
      return red.length === 1 ? `the case “${red[0]?.name}” fails` : `${red.length} cases fail`;
    default:
      return state satisfies never;
  }
}

/**
 * Make the version live that was live before, without checks: what has gone wrong ends at once. A second rollback goes further back. Refuses (409) if
 * nothing was live before. The prompt must be locked.
 */
export async function rollBack(
  tx: Tx,
  prompt: CheckedPrompt,
  author: string,
): Promise<{ readonly rolled_back_from: number }> {
  const target = await findRollbackTarget(tx, prompt.id);
  if (!target) throw refuse(promptRefusals, 'prompt.no_earlier_version');
  await setLive(tx, { promptId: prompt.id, version: target.version });
  await insertRollback(tx, { promptId: prompt.id, author, target });
  notify(tx, { topic: 'prompt', product: prompt.product_id, ids: [prompt.id] });
  return { rolled_back_from: target.previous_version };
}

/** Read whether what is saved in a product is live at once. */
export async function goesLiveWhenSaved(tx: Tx, productId: number): Promise<boolean> {
  return (await readGate(tx, productId)) === 'off';
}
