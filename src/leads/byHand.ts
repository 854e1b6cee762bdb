/** What an operator does to a lead: the same as the conversation does, and in the audit trail besides. */
import { recordDeed, type Writing } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { changeStage, deactivate, type Silence } from './changeStage.ts';
import type { Stage } from './contract.ts';
import { giveBack } from './human.ts';

/** Moves a lead, which gives one that a human had taken over back; gives whether that changed anything. Throws `not_found`. */
export async function moveByHand(
  tx: Tx,
  id: number,
  stage: Stage,
  { caller, requestId }: Writing,
  silence: Silence,
): Promise<boolean> {
  const before = await changeStage(tx, id, stage, caller.login, silence);
  await giveBack(tx, id);
  await recordDeed(tx, {
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

/** Deactivates a lead; gives whether that changed anything. Throws `not_found`. */
export async function deactivateByHand(
  tx: Tx,
  id: number,
  { caller, requestId }: Writing,
  silence: Silence,
): Promise<boolean> {
  const before = await deactivate(tx, id, caller.login, silence);
  await recordDeed(tx, {
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
