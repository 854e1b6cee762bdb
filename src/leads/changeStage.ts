/** What moves a lead: its stage, and whether it is talked to at all. Each in the caller's transaction, with its event. */
import { countAfterCommit } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Stage } from './contract.ts';
import { isBotStopped } from './lead.ts';
import {
  insertEvent,
  type LeadRow,
  lastStageChange,
  lockLead,
  readEligibleSince,
  setEligibleSince,
  updateLead,
} from './store.ts';

/** Who or what moved the lead, for the event. */
export type Actor = string;

/**
 * Called in the same transaction when the bot must fall silent towards a lead: its waiting messages are cancelled. `how`:
 * what operators have waiting too, or a human takes the dialogues over for this reason.
 */
export type CancelPending = (
  tx: Tx,
  leadId: number,
  reason: string,
  options?: { readonly includeOperators?: boolean; readonly handOverReason?: string },
) => Promise<void>;

async function lockOrRefuse(tx: Tx, id: number): Promise<LeadRow> {
  const lead = await lockLead(tx, id);
  if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  return lead;
}

/**
 * Moves a lead to `stage`; the same stage again changes nothing. `reason`, where somebody gave one, goes with the event.
 * Gives the lead as it was.
 */
export async function changeStage(
  tx: Tx,
  id: number,
  stage: Stage,
  by: Actor,
  cancelPending: CancelPending,
  reason?: string,
): Promise<LeadRow> {
  const lead = await lockOrRefuse(tx, id);
  if (lead.stage === stage) return lead;
  await updateLead(tx, id, { stage });
  await insertEvent(tx, lead, 'stage_changed', {
    from: lead.stage,
    to: stage,
    by,
    ...(reason === undefined ? {} : { reason }),
  });
  if (isBotStopped(stage)) await cancelPending(tx, id, `The lead is in stage ${stage}`);
  if (stage === 'success')
    await cancelPending(tx, id, `The lead is in stage ${stage}`, { handOverReason: 'qualified' });
  notify(tx, 'lead', lead.product_id, [id]);
  countAfterCommit(tx, 'stages', { stage });
  return lead;
}

/**
 * Moves a lead back into the stage from which `by` moved it, where nobody has moved it since; it counts as eligible for
 * as long as before.
 */
export async function revertStage(
  tx: Tx,
  id: number,
  by: Actor,
  reason: string,
  cancelPending: CancelPending,
): Promise<void> {
  const lead = await lockOrRefuse(tx, id);
  const last = await lastStageChange(tx, id);
  if (last?.by !== by || last.to !== lead.stage) return;
  const since = await readEligibleSince(tx, id);
  await changeStage(tx, id, last.from, by, cancelPending, reason);
  await setEligibleSince(tx, id, since);
}

/** The bot writes nothing more to this lead. `optOut` records that the lead asked for it. Gives the lead as it was. */
export async function deactivate(
  tx: Tx,
  id: number,
  by: Actor,
  cancelPending: CancelPending,
  optOut = false,
): Promise<LeadRow> {
  const lead = await lockOrRefuse(tx, id);
  if (lead.is_active || (optOut && !lead.recognized_deactivation_request)) {
    await updateLead(tx, id, { is_active: false, ...(optOut ? { recognized_deactivation_request: true } : {}) });
  }
  if (lead.is_active) await insertEvent(tx, lead, 'deactivated', { by });
  if (optOut) await cancelPending(tx, id, 'The lead asked to be left alone', { includeOperators: true });
  else await cancelPending(tx, id, 'The lead is deactivated');
  notify(tx, 'lead', lead.product_id, [id]);
  return lead;
}

/** Records that a lead was switched on or off by an edit of its fields. */
export async function recordActiveChange(
  tx: Tx,
  lead: { id: number; product_id: number },
  active: boolean,
  by: Actor,
): Promise<void> {
  await insertEvent(tx, lead, active ? 'activated' : 'deactivated', { by });
}
