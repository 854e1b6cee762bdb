/** What moves a lead: its stage, and whether it is talked to at all. Each in the caller's transaction, with its event. */
import { countAfter } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Stage } from './contract.ts';
import { isSilenced } from './lead.ts';
import { eligibleSince, insertEvent, keepEligible, type LeadFacts, lastMove, lockLead, updateLead } from './store.ts';

/** Who or what moved the lead, for the event. */
export type By = string;

/**
 * Called in the same transaction when the bot must fall silent towards a lead: its waiting messages are cancelled. `how`:
 * what operators have waiting too, or a human takes the dialogues over for this reason.
 */
export type Silence = (
  tx: Tx,
  leadId: number,
  reason: string,
  how?: { readonly everybody?: boolean; readonly handOver?: string },
) => Promise<void>;

async function mustLock(tx: Tx, id: number): Promise<LeadFacts> {
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
  by: By,
  silence: Silence,
  reason?: string,
): Promise<LeadFacts> {
  const lead = await mustLock(tx, id);
  if (lead.stage === stage) return lead;
  await updateLead(tx, id, { stage });
  await insertEvent(tx, lead, 'stage_changed', {
    from: lead.stage,
    to: stage,
    by,
    ...(reason === undefined ? {} : { reason }),
  });
  if (isSilenced(stage)) await silence(tx, id, `The lead is in stage ${stage}`);
  if (stage === 'success') await silence(tx, id, `The lead is in stage ${stage}`, { handOver: 'qualified' });
  announce(tx, 'lead', lead.product_id, [id]);
  countAfter(tx, 'stages', { stage });
  return lead;
}

/**
 * Moves a lead back into the stage from which `by` moved it, where nobody has moved it since; it counts as eligible for
 * as long as before.
 */
export async function takeStageBack(tx: Tx, id: number, by: By, reason: string, silence: Silence): Promise<void> {
  const lead = await mustLock(tx, id);
  const last = await lastMove(tx, id);
  if (last?.by !== by || last.to !== lead.stage) return;
  const since = await eligibleSince(tx, id);
  await changeStage(tx, id, last.from, by, silence, reason);
  await keepEligible(tx, id, since);
}

/** The bot writes nothing more to this lead. `optOut` records that the lead asked for it. Gives the lead as it was. */
export async function deactivate(tx: Tx, id: number, by: By, silence: Silence, optOut = false): Promise<LeadFacts> {
  const lead = await mustLock(tx, id);
  if (lead.is_active || (optOut && !lead.recognized_deactivation_request)) {
    await updateLead(tx, id, { is_active: false, ...(optOut ? { recognized_deactivation_request: true } : {}) });
  }
  if (lead.is_active) await insertEvent(tx, lead, 'deactivated', { by });
  if (optOut) await silence(tx, id, 'The lead asked to be left alone', { everybody: true });
  else await silence(tx, id, 'The lead is deactivated');
  announce(tx, 'lead', lead.product_id, [id]);
  return lead;
}

/** Records that a lead was switched on or off by an edit of its fields. */
export async function recordActivity(
  tx: Tx,
  lead: { id: number; product_id: number },
  active: boolean,
  by: By,
): Promise<void> {
  await insertEvent(tx, lead, active ? 'activated' : 'deactivated', { by });
}
