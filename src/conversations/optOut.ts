/**
 * What follows when a person wants no more messages, or may. The wish is the person's and holds for the whole company
 * (`leads/store/optOuts.ts`); the other leads of the person follow in transactions of their own (`propagateOptOut.ts`), since
 * the first one may hold dialogues, and leads are locked before dialogues.
 */

import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import { restoreMoved } from '../engine/steps/restoreMoved.ts';
import { deactivate } from '../leads/changeStage.ts';
import { optOutRefusals } from '../leads/optOutContract.ts';
import type { OptOutSource } from '../leads/personOptOut.ts';
import { findOtherLeadsOfPerson } from '../leads/store/identities.ts';
import {
  carryOptOuts,
  clearOptOutOfLeads,
  endOptOuts,
  findOptOutsWithoutIdentities,
  findUndecided,
  insertOptOut,
  markAsked,
  type NewOptOut,
  readOptOuts,
} from '../leads/store/optOuts.ts';
import { planLeads } from '../leads/store/plans.ts';
import { insertEvent, type LeadRow, lockLead, lockLeads, updateLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { cancelPending } from './ownership.ts';
import { findDialoguesOfLeads, lockDialogue } from './store/dialogues.ts';
import { requestPropagation } from './store/optOutPropagations.ts';

type Ciphered = Pick<AppContext, 'cipher'>;

interface OptOut extends Omit<NewOptOut, 'state' | 'source'> {
  readonly source: OptOutSource;
  /** Who deactivates the lead, for its event. */
  readonly by: string;
}

/** Sources by which the ledger of outcomes has always known that the lead itself has opted out. */
const KNOWN_BY_ACTOR: readonly OptOutSource[] = ['words', 'detection'];

/**
 * Record that a person wants no more messages: the lead is deactivated, and what waits for the person is cancelled. Returns
 * the id of what was recorded.
 */
export async function optOut(tx: Tx, { cipher }: Ciphered, { by, ...found }: OptOut): Promise<number | null> {
  const { leadId, source } = found;
  await deactivate(tx, {
    id: leadId,
    by,
    cancelPending,
    optOut: KNOWN_BY_ACTOR.includes(source) ? {} : { opt_out: source },
  });
  const id = await insertOptOut(tx, cipher, { ...found, state: 'certain' });
  await settlePerson(tx, { cipher }, leadId);
  return id;
}

/**
 * Record that a person may want no more messages: nothing unsolicited is sent until somebody decides. With `asksPeople`,
 * that are people, at once.
 */
export async function doubtOptOut(
  tx: Tx,
  { cipher }: Ciphered,
  { asksPeople = false, ...found }: Omit<NewOptOut, 'state'> & { readonly asksPeople?: boolean },
): Promise<number | null> {
  const id = await insertOptOut(tx, cipher, { ...found, state: 'doubtful' });
  if (id === null) return null;
  if (asksPeople) await ask(tx, { id, leadId: found.leadId });
  await settlePerson(tx, { cipher }, found.leadId);
  return id;
}

/**
 * The model or stage detection (`by`) has decided that what the lead wrote in a dialogue is no such wish. Does not decide
 * what people are asked about.
 */
export async function dropDoubts(
  tx: Tx,
  { cipher }: Ciphered,
  { leadId, dialogueId, by }: { leadId: number; dialogueId: number; by: string },
): Promise<void> {
  if ((await endOptOuts(tx, cipher, { leadId, dialogueId, as: 'kept', by })) > 0)
    await settlePerson(tx, { cipher }, leadId);
}

/** An operator decides about a doubtful wish: the person asked to stop, or may be written to. */
export async function decideOptOut(
  tx: Tx,
  context: Ciphered,
  { leadId, decision, writing }: { leadId: number; decision: 'stop' | 'keep'; writing: WriteContext },
): Promise<void> {
  const lead = await lockPerson(tx, leadId);
  const { login } = writing.caller;
  const before = (await readOptOuts(tx, context.cipher, [leadId])).get(leadId) ?? null;
  if (decision === 'stop') await optOut(tx, context, { leadId, source: 'operator', by: login, operator: login });
  else {
    if (before?.state === 'certain') throw refuse(optOutRefusals, 'lead.opted_out');
    if (before === null) throw refuse(optOutRefusals, 'lead.no_opt_out');
    await endOptOuts(tx, context.cipher, { leadId, as: 'kept', by: login });
    await settlePerson(tx, context, leadId);
  }
  await recordAuditEntry(tx, {
    ...writing,
    action: decision === 'stop' ? 'opt-out recorded' : 'opt-out dismissed',
    noun: 'lead',
    rowId: leadId,
    productId: lead.product_id,
    before: { opt_out: before?.state ?? null },
    after: { opt_out: decision === 'stop' ? 'certain' : null },
  });
}

/**
 * Lift the opt-out of a person in the company: of all its leads. What was written before does not count again. With
 * `activate`, the lead becomes active. The lead is locked by then, or is locked here.
 */
export async function liftOptOut(
  tx: Tx,
  { cipher }: Ciphered,
  { leadId, activate, writing }: { leadId: number; activate: boolean; writing: WriteContext },
): Promise<void> {
  const { caller, requestId } = writing;
  const lead = await lockPerson(tx, leadId);
  const others = await findOtherLeadsOfPerson(tx, leadId);
  const before = (await readOptOuts(tx, cipher, [leadId])).get(leadId) ?? null;
  if (before === null && !lead.recognized_deactivation_request) throw refuse(optOutRefusals, 'lead.no_opt_out');
  const by = caller.login;
  await endOptOuts(tx, cipher, { leadId, as: 'lifted', by });
  const all = [lead, ...others];
  await clearOptOutOfLeads(
    tx,
    all.map(({ id }) => id),
  );
  for (const one of all) await insertEvent(tx, { lead: one, type: 'opt_out_lifted', content: { by } });
  if (activate && !lead.is_active) {
    await updateLead(tx, leadId, { is_active: true });
    await insertEvent(tx, { lead, type: 'activated', content: { by } });
  }
  await settlePerson(tx, { cipher }, leadId);
  await recordAuditEntry(tx, {
    caller,
    requestId,
    action: 'opt-out lifted',
    noun: 'lead',
    rowId: leadId,
    productId: lead.product_id,
    before: { opt_out: before?.state ?? null, is_active: lead.is_active },
    after: { opt_out: null, is_active: lead.is_active || activate },
  });
  for (const { id, product_id: product } of others) notify(tx, { topic: 'lead', product, ids: [id] });
}

/** Lock the leads of a person, and return this one. Throws `not_found`. */
async function lockPerson(tx: Tx, leadId: number): Promise<LeadRow> {
  const others = await findOtherLeadsOfPerson(tx, leadId);
  const leads = await lockLeads(tx, [leadId, ...others.map(({ id }) => id)]);
  const lead = leads.find(({ id }) => id === leadId);
  if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  return lead;
}

/** A wish has changed: plan the lead again, and have the person's other leads follow. */
async function settlePerson(tx: Tx, { cipher }: Ciphered, leadId: number): Promise<void> {
  const optedOut = (await readOptOuts(tx, cipher, [leadId])).get(leadId);
  if (optedOut?.state !== 'doubtful') await endQuestions(tx, leadId);
  await replanLead(tx, leadId);
  const product = await readProductOfLead(tx, leadId);
  if (product !== undefined) notify(tx, { topic: 'lead', product, ids: [leadId] });
  if ((await findOtherLeadsOfPerson(tx, leadId)).length > 0) await requestPropagation(tx, leadId);
}

/** Have a lead's plan evaluated, and what waits for its hours sent when it was to be sent. */
export async function replanLead(tx: Tx, leadId: number): Promise<void> {
  await planLeads(tx, [leadId]);
  await restoreMoved(tx, { leadIds: [leadId] });
}

/** Nobody has to decide about a lead any more. */
export async function endQuestions(tx: Tx, leadId: number): Promise<void> {
  for (const { id, productId: product } of await changeDialogues(
    tx,
    { leadIds: [leadId] },
    { kind: 'opt_out_decided' },
  ))
    notify(tx, { topic: 'dialogue', product, ids: [id] });
}

export const readProductOfLead = async (tx: Tx, leadId: number): Promise<number | undefined> =>
  (await tx.selectFrom('leads').select('product_id').where('id', '=', leadId).executeTakeFirst())?.product_id;

/** Ask people about a doubtful wish: its dialogue, or the lead's main one, needs them. */
async function ask(tx: Tx, { id, leadId }: { id: number; leadId: number }): Promise<void> {
  const asked = await markAsked(tx, id);
  if (!asked) return;
  const dialogueId = asked.dialogue_id ?? (await findDialoguesOfLeads(tx, [leadId]))[0]?.id;
  const dialogue = dialogueId === undefined ? undefined : await lockDialogue(tx, dialogueId);
  if (!dialogue) return;
  await changeDialogues(tx, { dialogueIds: [dialogue.id] }, { kind: 'opt_out_asked' });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [dialogue.id] });
}

/** Most doubtful wishes of one run of the sweep. */
const LIMIT = 100;

/** Ask people about doubtful wishes that nobody has decided about in time. Returns whether more may be due. */
export async function askAboutDoubts(context: AppContext): Promise<boolean> {
  const undecided = await findUndecided(context.reader, LIMIT);
  for (const { id, lead_id: leadId } of undecided)
    await context.transact(async (tx) => {
      if (leadId === null || !(await lockLead(tx, leadId))) await markAsked(tx, id);
      else await ask(tx, { id, leadId });
    });
  return undecided.length === LIMIT;
}

/** Add the identities of people whose wishes an upgrade has recorded. Runs before anything is sent. */
export async function identifyRecordedOptOuts(
  context: Pick<AppContext, 'transact' | 'reader' | 'cipher'>,
): Promise<void> {
  for (;;) {
    const leadIds = await findOptOutsWithoutIdentities(context.reader, LIMIT);
    if (leadIds.length === 0) return;
    await context.transact((tx) => carryOptOuts(tx, context.cipher, leadIds));
  }
}
