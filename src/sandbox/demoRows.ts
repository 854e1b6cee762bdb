/** The demo's leads as rows of the database. */
import { sql } from 'kysely';
import { delaySeconds, previewOf } from '../conversations/message.ts';
import { normaliseAddress } from '../leads/address.ts';
import type { Tx } from '../platform/db.ts';
import type { DemoLead } from './demoLeads/lead.ts';
import { eventsOf, humanOwnerSince, leadCreatedAt } from './demoLeads/story.ts';
import { type DemoMessage, type Instant, timelineOf } from './demoLeads/timeline.ts';
import {
  addClassification,
  addMessages,
  type DemoProductRow,
  isInHistory,
  iso,
  type LeadHistory,
  type Row,
  type Rows,
} from './demoMessages.ts';
import { opaqueChatId } from './emulators/addresses.ts';

/** Insert all leads with their data: one statement per table, with ids in order of time. */
export async function insertLeads(tx: Tx, products: readonly DemoProductRow[], now: Instant): Promise<void> {
  const rows: Rows = {
    leads: [],
    contacts: [],
    dialogues: [],
    messages: [],
    lead_events: [],
    llm_runs: [],
    classification_results: [],
    lead_documents: [],
    first_messages: [],
    first_message_quota: [],
  };
  const histories = products
    .flatMap((product) => product.leads.map((lead) => ({ product, lead, ...historyOf(product, lead, now) })))
    .toSorted((a, b) => a.since - b.since);
  const leadIds = await reserve(tx, 'leads', histories.length);
  const contactIds = await reserve(tx, 'contacts', histories.length);
  const dialogueIds = await reserve(tx, 'dialogues', histories.length);
  const messages = histories.flatMap((one) => one.messages).toSorted((a, b) => a.writtenAt - b.writtenAt);
  const messageIds = await reserve(tx, 'messages', messages.length);
  const idOf = new Map(messages.map((one, index) => [one, messageIds[index] ?? 0]));
  for (const [index, one] of histories.entries()) {
    const rowIds = { lead: leadIds[index] ?? 0, contact: contactIds[index] ?? 0, dialogue: dialogueIds[index] ?? 0 };
    await addLead(tx, rows, one, rowIds, idOf, now);
  }
  for (const table of [rows.lead_events, rows.llm_runs])
    table.sort((a, b) => String(a['created_at']).localeCompare(String(b['created_at'])));
  rows.messages.sort((a, b) => Number(a['id']) - Number(b['id']));
  numberSlots(rows.first_message_quota);
  for (const [table, some] of Object.entries(rows)) await insertAll(tx, table, some);
}

function historyOf(product: DemoProductRow, lead: DemoLead, now: Instant): Pick<LeadHistory, 'messages' | 'since'> {
  const typing = (text: string) => delaySeconds(text, product.delay[lead.messenger]);
  const messages = timelineOf(lead, now, { ...product.hours, typing });
  return { messages, since: leadCreatedAt(lead, messages, now) };
}

async function addLead(
  tx: Tx,
  rows: Rows,
  history: LeadHistory,
  rowIds: { lead: number; contact: number; dialogue: number },
  idOf: ReadonlyMap<DemoMessage, number>,
  now: Instant,
): Promise<void> {
  const { product, lead, messages, since } = history;
  const events = eventsOf(lead, messages, since, now);
  const address = normaliseAddress(lead.messenger, lead.contact);
  if (address === null) throw new Error(`${lead.contact} is no ${lead.messenger} address`);
  rows.leads.push({
    id: rowIds.lead,
    product_id: product.id,
    name: lead.name,
    crm_fields: lead.fields ?? {},
    timezone: lead.timezone,
    stage: lead.stage,
    is_active: lead.switchedOff === undefined,
    recognized_deactivation_request: lead.switchedOff === 'lead',
    created_at: iso(since),
    updated_at: iso(events.at(-1)?.at ?? since),
  });
  for (const { at, type, content } of events) {
    rows.lead_events.push({
      lead_id: rowIds.lead,
      product_id: product.id,
      event_type: type,
      event_data: content,
      created_at: iso(at),
    });
  }
  rows.contacts.push({
    id: rowIds.contact,
    lead_id: rowIds.lead,
    product_id: product.id,
    contact: lead.contact,
    contact_type: lead.messenger,
    address,
    is_main: true,
    created_at: iso(since),
  });
  for (const { name, type, text, url, daysAgo } of lead.documents ?? []) {
    rows.lead_documents.push({
      lead_id: rowIds.lead,
      product_id: product.id,
      name,
      type,
      document: { text_data: text ?? '' },
      document_url: url ?? null,
      created_at: iso(now - daysAgo * 24 * 3600 * 1000),
    });
  }
  const [first] = messages;
  if (!first) return;
  const channel = product.channels[lead.messenger];
  const delivered = messages.filter((one) => isInHistory(one));
  const lastOfLead = delivered.findLast((one) => one.who === 'lead');
  const lastOfUs = delivered.findLast((one) => one.who !== 'lead');
  const last = delivered.at(-1);
  const ownerSince = humanOwnerSince(lead, messages, events);
  rows.dialogues.push({
    id: rowIds.dialogue,
    product_id: product.id,
    contact_id: rowIds.contact,
    channel_id: channel,
    // A messenger that hides its users' ids reveals one with the first message.
    chat_id: lead.messenger === 'whatsapp' ? address : last ? opaqueChatId(address) : null,
    address,
    owner: ownerSince === null ? 'bot' : 'human',
    owner_reason: ownerSince === null ? null : lead.human,
    owner_since: ownerSince === null ? null : iso(ownerSince),
    turn: messages.filter((one) => one.who === 'lead').length,
    classified_turn: messages.filter((one) => one.who === 'lead').length,
    no_answer: lead.noAnswer === undefined ? null : 'model',
    no_answer_detail: lead.noAnswer?.replace(/^No answer: /, '') ?? null,
    last_user_msg_id: lastOfLead ? idOf.get(lastOfLead) : null,
    last_user_msg_at: lastOfLead ? iso(lastOfLead.at) : null,
    last_bot_msg_id: lastOfUs ? idOf.get(lastOfUs) : null,
    skip_ping_for_msg_id: lead.skipped && lastOfUs ? idOf.get(lastOfUs) : null,
    last_msg_created_at: last ? iso(last.at) : null,
    last_message: last ? previewOf(last.text) : null,
    created_at: iso(first.writtenAt),
  });
  addClassification(rows, history, { ...rowIds, events, now });
  await addMessages(tx, rows, history, { ...rowIds, channel }, idOf, now);
}

/** Number a day's and messenger's quota entries in the order they were used. */
function numberSlots(slots: Row[]): void {
  slots.sort((a, b) => String(a['taken_at']).localeCompare(String(b['taken_at'])));
  const counts = new Map<string, number>();
  for (const slot of slots) {
    const key = JSON.stringify([slot['product_id'], slot['channel_type'], slot['day']]);
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    slot['number'] = number;
  }
}

/** Reserve the next ids of a table. */
async function reserve(tx: Tx, table: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`.execute(tx);
  return rows.map((row) => row.id);
}

/** Insert all rows, which must have the same columns, in one statement. */
async function insertAll(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${columns}) overriding system value
            select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`.execute(
    tx,
  );
}
