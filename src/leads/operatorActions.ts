/** Changes to leads made by operators: the same as the conversation's, plus an entry in the audit log. */
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { type CancelPending, changeStage, deactivate } from './changeStage.ts';
import type { Stage } from './contract.ts';
import { returnToBot } from './store/humanOwner.ts';

/**
 * Move a lead to a stage and return it to the bot if a human had taken it over. Returns whether the stage changed.
 * Throws `not_found`.
 */
export async function changeStageAsOperator(
  tx: Tx,
  {
    id,
    stage,
    writing: { caller, requestId },
    cancelPending,
  }: { id: number; stage: Stage; writing: WriteContext; cancelPending: CancelPending },
): Promise<boolean> {
  const before = await changeStage(tx, { id, stage, by: caller.login, cancelPending });
  await returnToBot(tx, id);
  await recordAuditEntry(tx, {
    caller,
    action: 'stage changed',
    noun: 'lead',
    rowId: id,
    productId: before.product_id,
    before: { stage: before.stage },
    after: { stage },
    requestId,
  });
  return before.stage !== stage;
}

/** Deactivate a lead and return whether that changed anything. Throws `not_found`. */
export async function deactivateAsOperator(
  tx: Tx,
  {
    id,
    writing: { caller, requestId },
    cancelPending,
  }: { id: number; writing: WriteContext; cancelPending: CancelPending },
): Promise<boolean> {
  const before = await deactivate(tx, { id, by: caller.login, cancelPending });
  await recordAuditEntry(tx, {
    caller,
    action: 'deactivated',
    noun: 'lead',
    rowId: id,
    productId: before.product_id,
    before: { is_active: before.is_active },
    after: { is_active: false },
    requestId,
  });
  return before.is_active;
}
