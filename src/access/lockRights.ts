/** What an operator does counts only while he may do it: asked in the transaction that does it. */
import type { About } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { lockOperatorShared, lostAmong, roleInSession } from './store/rights.ts';

/**
 * Throws the refusal of whoever has lost his session, his role, or the company that a deed is about since he was let in.
 * His row is locked until the transaction ends, and whoever takes any of these away locks it too: the deed is either refused
 * here, or over before the answer to that change is sent.
 */
export async function lockRights(
  tx: Tx,
  { id, sessionId, admin, companies: had }: Pick<Caller, 'id' | 'sessionId' | 'admin' | 'companies'>,
  about: readonly About[],
): Promise<void> {
  // Whoever changes himself has locked his row already, and may just have ended this very session.
  const others = about.filter(({ noun, rowId }) => !(noun === 'operator' && rowId === id));
  if (others.length === 0) return;
  await lockOperatorShared(tx, id);
  const role = await roleInSession(tx, id, sessionId);
  if (role === null) throw refuse(commonRefusals, 'unauthorized');
  if (role === 'admin') return;
  if (admin) throw refuse(commonRefusals, 'forbidden');
  const products = others.flatMap(({ productId }) => productId ?? []);
  const companies = others.flatMap(({ companyId }) => companyId ?? []);
  // A channel may be shared with his company: that its owner is another one was so before.
  if (await lostAmong(tx, id, { had: had ?? [], products, companies }))
    throw refuse(commonRefusals, 'not_found', { noun: 'company' });
}
