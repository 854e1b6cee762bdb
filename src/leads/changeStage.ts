/** Changes a lead's stage and active state. Each function runs in the caller's transaction and inserts its event. */
import { countAfterCommit } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Stage } from './contract.ts';
import { type BlockReason, effectOfStage, type HandOver } from './lead.ts';
import {
  insertEvent,
  type LeadRow,
  lastStageChange,
  lockLead,
  readEligibleSince,
  setEligibleSince,
  storeStageChanges,
  updateLead,
} from './store.ts';

/** Who or what changed the lead, for the event. */
export type Actor = string;

/**
 * Cancels a lead's waiting messages, in the same transaction, when the bot must stop writing to it. `includeOperators`
 * also cancels messages of operators; `handOverReason` hands the dialogues over to a human for this reason.
 */
export type CancelPending = (
  tx: Tx,
  lead: {
    readonly leadId: number;
    readonly reason: BlockReason;
    readonly includeOperators?: boolean;
    readonly handOverReason?: HandOver;
  },
) => Promise<void>;

async function lockOrRefuse(tx: Tx, id: number): Promise<LeadRow> {
  const lead = await lockLead(tx, id);
  if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  return lead;
}

interface StageChangeCause {
  readonly by: Actor;
  readonly cancelPending: CancelPending;
  readonly reason?: string | undefined;
  /** Whether a model changes it: if the lead is qualified, somebody has to be found who sees to it. */
  readonly isDetected?: boolean;
}

/**
 * Move a lead to `stage` and return the lead as it was. If the lead already has this stage, nothing changes. A `reason`
 * is added to the event.
 */
export async function changeStage(
  tx: Tx,
  { id, stage, ...rest }: { id: number; stage: Stage } & StageChangeCause,
): Promise<LeadRow> {
  const lead = await lockOrRefuse(tx, id);
  await changeStages(tx, { changes: [{ id, stage }], ...rest });
  return lead;
}

/** Move leads to stages. A lead that already has its stage does not change. */
export async function changeStages(
  tx: Tx,
  {
    changes,
    by,
    cancelPending,
    reason,
    isDetected = false,
  }: { changes: readonly { readonly id: number; readonly stage: Stage }[] } & StageChangeCause,
): Promise<void> {
  if (changes.length === 0) return;
  const cause = { by, ...(reason === undefined ? {} : { reason }) };
  for (const { id, product_id: product, stage } of await storeStageChanges(tx, changes, cause)) {
    const effect = effectOfStage(stage);
    if (effect === 'silence') await cancelPending(tx, { leadId: id, reason: { code: 'stage', stage } });
    if (effect === 'hand_over')
      await cancelPending(tx, {
        leadId: id,
        reason: { code: 'stage', stage },
        handOverReason: { code: 'qualified', ...(isDetected ? { isOpen: true } : {}) },
      });
    notify(tx, { topic: 'lead', product, ids: [id] });
    countAfterCommit(tx, 'stages', { stage });
  }
}

/**
 * Move a lead back to the stage from which `by` moved it, unless it was moved again since. Its eligibility date stays
 * as it was.
 */
export async function revertStage(
  tx: Tx,
  { id, by, reason, cancelPending }: { id: number; by: Actor; reason: string; cancelPending: CancelPending },
): Promise<void> {
  const lead = await lockOrRefuse(tx, id);
  const last = await lastStageChange(tx, id);
  if (last?.by !== by || last.to !== lead.stage) return;
  const since = await readEligibleSince(tx, id);
  await changeStage(tx, { id, stage: last.from, by, cancelPending, reason });
  await setEligibleSince(tx, id, since);
}

/**
 * Stop the bot from writing to this lead and return the lead as it was. `optOut` records that the lead asked for it, also
 * of a lead that was deactivated before; it becomes part of the event. By that and by the actor the ledger of outcomes
 * tells opt-outs from what the team deactivates (function `is_opt_out`).
 */
export async function deactivate(
  tx: Tx,
  {
    id,
    by,
    cancelPending,
    optOut,
  }: { id: number; by: Actor; cancelPending: CancelPending; optOut?: { readonly opt_out?: string } },
): Promise<LeadRow> {
  const lead = await lockOrRefuse(tx, id);
  if (lead.is_active || (optOut && !lead.recognized_deactivation_request)) {
    await updateLead(tx, id, { is_active: false, ...(optOut ? { recognized_deactivation_request: true } : {}) });
    await insertEvent(tx, { lead, type: 'deactivated', content: { by, ...optOut } });
  }
  if (optOut) await cancelPending(tx, { leadId: id, reason: { code: 'opted_out' }, includeOperators: true });
  else await cancelPending(tx, { leadId: id, reason: { code: 'inactive' } });
  notify(tx, { topic: 'lead', product: lead.product_id, ids: [id] });
  return lead;
}

/** Record that an edit of its fields activated or deactivated a lead. */
export async function recordActiveChange(
  tx: Tx,
  { lead, active, by }: { lead: { id: number; product_id: number }; active: boolean; by: Actor },
): Promise<void> {
  await insertEvent(tx, { lead, type: active ? 'activated' : 'deactivated', content: { by } });
}
