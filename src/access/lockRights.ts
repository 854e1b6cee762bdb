/** Rights of an operator, checked again in the transaction that makes the change. */
import type { About } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { lockOperatorShared, lostAmong, roleInSession } from './store/rights.ts';

/**
 * Throw a refusal if the operator has lost the session, the role, or the company of the change since the request was
 * let in. Locks the operator's row until the transaction ends. Every change that takes these rights away locks the same
 * row, so the operator's change is either refused here, or committed before that other change is answered.
 */
export async function lockRights(
  tx: Tx,
  { id, sessionId, admin, companies: had }: Pick<Caller, 'id' | 'sessionId' | 'admin' | 'companies'>,
  about: readonly About[],
): Promise<void> {
  // Operators who change themselves have locked their row already, and may just have ended this very session.
  const others = about.filter(({ noun, rowId }) => !(noun === 'operator' && rowId === id));
  if (others.length === 0) return;
  await lockOperatorShared(tx, id);
  const role = await roleInSession(tx, id, sessionId);
  if (role === null) throw refuse(commonRefusals, 'unauthorized');
  if (role === 'admin') return;
  if (admin) throw refuse(commonRefusals, 'forbidden');
  const products = others.flatMap(({ productId }) => productId ?? []);
  const companies = others.flatMap(({ companyId }) => companyId ?? []);
  // Only companies that the operator had count: a channel of another company may be shared with theirs.
  if (await lostAmong(tx, id, { had: had ?? [], products, companies }))
    throw refuse(commonRefusals, 'not_found', { noun: 'company' });
}
