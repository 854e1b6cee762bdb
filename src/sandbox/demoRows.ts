/** The demo's leads as rows of the database. */
import { sql } from 'kysely';
import { previewOf } from '../engine/preview.ts';
import { normaliseAddress } from '../leads/address.ts';
import type { Stage } from '../leads/contract.ts';
import { OWNER_REASONS } from '../leads/lead.ts';
import type { Tx } from '../platform/db.ts';
import type { DemoLead } from './demoContent.ts';
import { isInHistory, isOfLead, type LeadHistory, type Rows } from './demoHistory.ts';
import { addHandOver, addNotes } from './demoInbox.ts';
import { attentionOf, wasHandedOver } from './demoLeads/attention.ts';
import { eventsOf, humanOwnerSince, leadCreatedAt } from './demoLeads/story.ts';
import { type DemoMessage, type Instant, sendingHoursOf, timelineOf } from './demoLeads/timeline.ts';
import { messageRow } from './demoMessages.ts';
import type { ProductRows } from './demoProducts.ts';
import { insertFirstMessages, insertRuns } from './demoRuns.ts';
import { insertRows, iso, type Row, reserveIds } from './demoTables.ts';
import { opaqueChatId } from './emulators/addresses.ts';

const DAY_MS = 24 * 3600 * 1000;

/**
 * Insert all leads with their data: one statement per table, with ids in order of time. Returns the leads that have
 * dialogues.
 */
export async function insertLeads(tx: Tx, products: readonly ProductRows[], now: Instant) {
  const withDialogues: { lead: DemoLead; dialogueId: number }[] = [];
  // In the order in which they are inserted.
  const people = { leads: [], contacts: [], dialogues: [] };
  const rows: Rows = {
    ...people,
    messages: [],
    lead_events: [],
    classification_results: [],
    lead_documents: [],
    hand_overs: [],
    dialogue_notes: [],
  };
  const operators = await operatorIds(tx);
  const stories = products
    .flatMap((product) => product.content.leads.map((lead) => storyOf(product, lead, now)))
    .toSorted((a, b) => a.since - b.since);
  const leadIds = await reserveIds(tx, 'leads', stories.length);
  const contactIds = await reserveIds(tx, 'contacts', stories.length);
  const dialogueIds = await reserveIds(tx, 'dialogues', stories.length);
  const messages = stories.flatMap((one) => one.messages).toSorted((a, b) => a.writtenAt - b.writtenAt);
  const reserved = await reserveIds(tx, 'messages', messages.length);
  const messageIds = new Map(messages.map((one, index) => [one, reserved[index] ?? 0]));
  for (const [index, story] of stories.entries()) {
    const ids = { lead: leadIds[index] ?? 0, contact: contactIds[index] ?? 0, dialogue: dialogueIds[index] ?? 0 };
    const history = { ...story, now, ids, messageIds };
    addLead(rows, history);
    if (story.messages.length === 0) continue;
    const ownerSince = humanOwnerSince(story.lead, story.messages, story.events);
    rows.dialogues.push(dialogueRow(history, ownerSince, operators));
    if (ownerSince !== null) addHandOver(rows, history, ownerSince);
    addNotes(rows, history);
    withDialogues.push({ lead: story.lead, dialogueId: ids.dialogue });
    addClassification(rows, history);
    for (const at of story.messages.keys()) rows.messages.push(await messageRow(tx, history, at));
  }
  rows.lead_events.sort((a, b) => String(a['created_at']).localeCompare(String(b['created_at'])));
  for (const [table, all] of Object.entries(rows)) await insertRows(tx, table, all);
  await insertFirstMessages(tx);
  await insertRuns(tx);
  return withDialogues;
}

/** Return the ids of all operators by login. */
async function operatorIds(tx: Tx): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: number; login: string }>`select id, login from operators`.execute(tx);
  return new Map(rows.map(({ id, login }) => [login, id]));
}

function storyOf(product: ProductRows, lead: DemoLead, now: Instant) {
  const messages = timelineOf(lead, now, sendingHoursOf(product.content));
  const since = leadCreatedAt(lead, messages, now);
  const address = normaliseAddress(lead.messenger, lead.contact);
  if (address === null) throw new Error(`${lead.contact} is no ${lead.messenger} address`);
  const events = eventsOf(lead, messages, since, now);
  const at = wasHandedOver(lead) ? humanOwnerSince(lead, messages, events) : null;
  if (at !== null) events.push({ at, type: 'handed_over', content: { reason: lead.human ?? '' } });
  return { product, lead, address, messages, since, events };
}

function addLead(rows: Rows, { product, lead, address, events, since, now, ids }: LeadHistory): void {
  const { name, timezone, stage, contact, messenger: contact_type, switchedOff } = lead;
  const common = { lead_id: ids.lead, product_id: product.id };
  const created_at = iso(since);
  rows.leads.push({
    id: ids.lead,
    product_id: product.id,
    name,
    timezone,
    stage,
    created_at,
    crm_fields: lead.fields,
    is_active: switchedOff === undefined,
    recognized_deactivation_request: switchedOff === 'lead',
    updated_at: iso(events.at(-1)?.at ?? since),
  });
  for (const { at, type, content } of events)
    rows.lead_events.push({ ...common, event_type: type, event_data: content, created_at: iso(at) });
  rows.contacts.push({ ...common, id: ids.contact, contact, contact_type, address, is_main: true, created_at });
  for (const { text = '', url = null, daysAgo, ...document } of lead.documents) {
    const written = { document: { text_data: text }, document_url: url, created_at: iso(now - daysAgo * DAY_MS) };
    rows.lead_documents.push({ ...common, ...document, ...written });
  }
}

function dialogueRow(history: LeadHistory, ownerSince: Instant | null, operators: ReadonlyMap<string, number>): Row {
  const { product, lead, address, messages, since, ids, messageIds } = history;
  const delivered = messages.filter((one) => isInHistory(one));
  const last = delivered.at(-1);
  const lastOfLead = delivered.findLast(isOfLead);
  const lastOfUs = delivered.findLast((one) => !isOfLead(one));
  const idOf = (one: DemoMessage | undefined) => (one && messageIds.get(one)) ?? null;
  const attention = attentionOf(lead, messages, ownerSince);
  const timeOf = (at: Instant | null) => (at === null ? null : iso(at));
  const turn = messages.filter(isOfLead).length;
  const isCode = lead.human !== undefined && Object.hasOwn(OWNER_REASONS, lead.human);
  return {
    id: ids.dialogue,
    product_id: product.id,
    contact_id: ids.contact,
    channel_id: product.channels[lead.messenger],
    // A messenger that hides its users' ids reveals one with the first message.
    chat_id: lead.messenger === 'whatsapp' ? address : last ? opaqueChatId(address) : null,
    address,
    owner: ownerSince === null ? 'bot' : 'human',
    owner_reason: ownerSince === null ? null : isCode ? lead.human : 'operator',
    owner_reason_detail: ownerSince === null || isCode ? null : lead.human,
    owner_since: timeOf(ownerSince),
    waiting_since: timeOf(attention.waitingSince),
    human_at: timeOf(attention.humanAt),
    hand_over_open: attention.isHandOverOpen,
    failed_since: timeOf(attention.failedSince),
    unconfirmed_since: timeOf(attention.unconfirmedSince),
    assignee_id: (attention.writer !== null && operators.get(attention.writer)) || null,
    turn,
    classified_turn: turn,
    no_answer: lead.noAnswer === undefined ? null : 'model',
    no_answer_detail: lead.noAnswer?.replace(/^No answer: /, '') ?? null,
    last_user_msg_id: idOf(lastOfLead),
    last_user_msg_at: lastOfLead ? iso(lastOfLead.at) : null,
    last_bot_msg_id: idOf(lastOfUs),
    skip_ping_for_msg_id: lead.skipped ? idOf(lastOfUs) : null,
    last_msg_created_at: last ? iso(last.at) : null,
    last_message: last ? previewOf(last.text) : null,
    created_at: iso(messages[0]?.writtenAt ?? since),
  };
}

const CONFIRMATIONS: Partial<Record<Stage, string>> = {
  success: 'The lead agreed in its own words.',
  refused: 'The lead says that it wants no kitchen from us.',
};

/** Add a classification of the lead's last message, whether it moved the lead or not. */
function addClassification(rows: Rows, { product, lead, messages, events, ids, now }: LeadHistory): void {
  const moved = events.find((one) => one.content['by'] === 'classification');
  const words = messages.filter((one) => isOfLead(one) && (!moved || one.at <= moved.at));
  const reason = moved ? moved.content['reason'] : lead.judged;
  const last = words.at(-1);
  if (reason === undefined || !last) return;
  const stage = moved ? lead.stage : 'ongoing';
  const confirmation = product.classificationId === null ? undefined : CONFIRMATIONS[stage];
  rows.classification_results.push({
    product_id: product.id,
    dialogue_id: ids.dialogue,
    config_id: product.classificationId,
    result: { stage, reason, ...(confirmation ? { confirmed: true, confirmation } : {}) },
    turn: words.length,
    created_at: iso(moved?.at ?? Math.min(last.at + 75_000, now)),
  });
}
