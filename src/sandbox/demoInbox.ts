/** What the demo's operators did in the inbox: by the product's own verbs, at the time at which the demo is made. */
import { sql } from 'kysely';
import { assignDialogues, markDialoguesDone, setReturn, snoozeDialogues } from '../desk/changeDesk.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import type { DemoLead } from './demoContent.ts';
import { isOfLead, type LeadHistory, type Rows } from './demoHistory.ts';
import { wasHandedOver } from './demoLeads/attention.ts';
import type { Instant } from './demoLeads/timeline.ts';
import { iso } from './demoTables.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Minutes in which a person has to answer after a hand-over: the default of products. */
const TARGET_MINUTES = 15;

/**
 * Add the hand-over of a dialogue that people have had since `since`. The product itself makes the summary, and what
 * belongs on a card, once it runs.
 */
export function addHandOver(rows: Rows, { product, lead, messages, ids: row }: LeadHistory, since: Instant): void {
  if (!wasHandedOver(lead)) return;
  rows.hand_overs.push({
    product_id: product.id,
    dialogue_id: row.dialogue,
    lead_id: row.lead,
    turn: messages.filter(isOfLead).length,
    reason: lead.human,
    created_at: iso(since),
    due_at: iso(since + TARGET_MINUTES * MINUTE_MS),
  });
}

export function addNotes(rows: Rows, { product, lead, messages, ids: row, now }: LeadHistory): void {
  const last = messages.findLast(({ status }) => status !== 'scheduled')?.at ?? now;
  for (const { by: operator, minutesLater, text } of lead.inbox.notes) {
    const at = iso(Math.min(last + minutesLater * MINUTE_MS, now));
    rows.dialogue_notes.push({ product_id: product.id, dialogue_id: row.dialogue, operator, text, created_at: at });
  }
}

/** A lead whose dialogue operators have seen to. */
interface SeenTo {
  readonly lead: DemoLead;
  readonly dialogueId: number;
}

/** Assign, snooze and end what the operators of the demo have assigned, snoozed and ended. */
export async function seeToDialogues(
  context: AppContext,
  tx: Tx,
  { leads, now }: { leads: readonly SeenTo[]; now: Instant },
): Promise<void> {
  // The demo is made in one transaction, or not at all.
  const inside: AppContext = { ...context, transact: (work) => work(tx) };
  const { rows } = await sql<{ id: number; login: string }>`select id, login from operators`.execute(tx);
  const operators = new Map(rows.map((one) => [one.login, one]));
  const findOperator = (login: string) => {
    const found = operators.get(login);
    if (!found) throw new Error(`There is no operator ${login}`);
    return found;
  };
  const writingOf = (login: string): WriteContext => ({ caller: findOperator(login), requestId: ids.next() });
  for (const { lead, dialogueId: id } of leads) {
    const { assigned, snoozed, done, returns } = lead.inbox;
    if (assigned) {
      const { id: operatorId } = findOperator(assigned.to);
      await assignDialogues(inside, { ids: [id], operatorId }, writingOf(assigned.by));
    }
    if (snoozed) {
      const until = snoozed.days === undefined ? null : iso(now + snoozed.days * DAY_MS);
      await snoozeDialogues(inside, { ids: [id], until, untilReply: true }, writingOf(snoozed.by));
    }
    if (done !== undefined) await markDialoguesDone(inside, { ids: [id] }, writingOf(done));
    if (returns) await setReturn(inside, { id, hours: returns.hours }, writingOf(returns.by));
  }
}
