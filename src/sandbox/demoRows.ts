/** The demo's leads as rows of the database. */
import { sql } from 'kysely';
import { HISTORY, systemText } from '../chatbot/compose.ts';
import { delaySeconds, type LinkDelay, previewOf } from '../dialogues/message.ts';
import { normaliseAddress } from '../leads/address.ts';
import { firstName } from '../leads/firstName.ts';
import type { Tx } from '../platform/db.ts';
import { ids as uuids } from '../platform/ids.ts';
import { renderPrompt, type TemplateValues } from '../prompts/prompt.ts';
import { COMPANY } from './demoContent.ts';
import type { DemoLead } from './demoLeads/lead.ts';
import { cameIn, eventsOf, takenAt } from './demoLeads/story.ts';
import { type Instant, type Spoken, timelineOf } from './demoLeads/timeline.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { opaqueChatId } from './emulators/addresses.ts';

/** What the leads hang on. */
export interface DemoProductRow {
  readonly id: number;
  readonly name: string;
  readonly prompt: { readonly id: number; readonly name: string; readonly text: string };
  readonly channels: Readonly<Record<DemoLead['messenger'], number>>;
  readonly delay: Readonly<Record<DemoLead['messenger'], LinkDelay>>;
  readonly leads: readonly DemoLead[];
}

const MODEL = { vendor: 'chatgpt', name: 'gpt-4o-mini' };
/** So far back, bot messages show the prompt and the run behind them. */
const RUNS_KEPT_MS = 3 * 24 * 3600 * 1000;
/** Failed tries behind a 'No answer'. */
const TRIES = 3;

type Row = Record<string, unknown>;

interface Rows {
  readonly leads: Row[];
  readonly contacts: Row[];
  readonly dialogues: Row[];
  readonly messages: Row[];
  readonly lead_events: Row[];
  readonly llm_runs: Row[];
  readonly classification_results: Row[];
}

/** Inserts all leads with everything about them: a statement a table, ids rising with time. */
export async function insertLeads(tx: Tx, products: readonly DemoProductRow[], now: Instant): Promise<void> {
  const rows: Rows = {
    leads: [],
    contacts: [],
    dialogues: [],
    messages: [],
    lead_events: [],
    llm_runs: [],
    classification_results: [],
  };
  const told = products
    .flatMap((product) => product.leads.map((lead) => ({ product, lead, ...tell(product, lead, now) })))
    .toSorted((a, b) => a.since - b.since);
  const leadIds = await reserve(tx, 'leads', told.length);
  const contactIds = await reserve(tx, 'contacts', told.length);
  const dialogueIds = await reserve(tx, 'dialogues', told.length);
  const spoken = told.flatMap((one) => one.spoken).toSorted((a, b) => a.writtenAt - b.writtenAt);
  const messageIds = await reserve(tx, 'messages', spoken.length);
  const idOf = new Map(spoken.map((one, index) => [one, messageIds[index] ?? 0]));
  for (const [index, one] of told.entries()) {
    const here = { lead: leadIds[index] ?? 0, contact: contactIds[index] ?? 0, dialogue: dialogueIds[index] ?? 0 };
    await addLead(tx, rows, one, here, idOf, now);
  }
  for (const table of [rows.lead_events, rows.llm_runs])
    table.sort((a, b) => String(a['created_at']).localeCompare(String(b['created_at'])));
  rows.messages.sort((a, b) => Number(a['id']) - Number(b['id']));
  for (const [table, some] of Object.entries(rows)) await insertAll(tx, table, some);
}

interface Told {
  readonly product: DemoProductRow;
  readonly lead: DemoLead;
  readonly spoken: readonly Spoken[];
  readonly since: Instant;
}

function tell(product: DemoProductRow, lead: DemoLead, now: Instant): Pick<Told, 'spoken' | 'since'> {
  const spoken = timelineOf(lead, now, (text) => delaySeconds(text, product.delay[lead.messenger]));
  return { spoken, since: cameIn(lead, spoken, now) };
}

async function addLead(
  tx: Tx,
  rows: Rows,
  told: Told,
  here: { lead: number; contact: number; dialogue: number },
  idOf: ReadonlyMap<Spoken, number>,
  now: Instant,
): Promise<void> {
  const { product, lead, spoken, since } = told;
  const events = eventsOf(lead, spoken, since, now);
  const address = normaliseAddress(lead.messenger, lead.contact);
  if (address === null) throw new Error(`${lead.contact} is no ${lead.messenger} address`);
  rows.leads.push({
    id: here.lead,
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
      lead_id: here.lead,
      product_id: product.id,
      event_type: type,
      event_data: content,
      created_at: iso(at),
    });
  }
  rows.contacts.push({
    id: here.contact,
    lead_id: here.lead,
    product_id: product.id,
    contact: lead.contact,
    contact_type: lead.messenger,
    address,
    is_main: true,
    created_at: iso(since),
  });
  const [first] = spoken;
  if (!first) return;
  const channel = product.channels[lead.messenger];
  const went = spoken.filter((one) => hasGone(one));
  const lastOfLead = went.findLast((one) => one.who === 'lead');
  const lastOfUs = went.findLast((one) => one.who !== 'lead');
  const last = went.at(-1);
  const taken = takenAt(lead, spoken, events);
  rows.dialogues.push({
    id: here.dialogue,
    product_id: product.id,
    contact_id: here.contact,
    channel_id: channel,
    // A messenger that hides its users' ids tells one with the first message.
    chat_id: lead.messenger === 'whatsapp' ? address : last ? opaqueChatId(address) : null,
    address,
    owner: taken === null ? 'bot' : 'human',
    owner_reason: taken === null ? null : lead.human,
    owner_since: taken === null ? null : iso(taken),
    turn: spoken.filter((one) => one.who === 'lead').length,
    classified_turn: spoken.filter((one) => one.who === 'lead').length,
    no_answer: lead.noAnswer ?? null,
    last_user_msg_id: lastOfLead ? idOf.get(lastOfLead) : null,
    last_user_msg_at: lastOfLead ? iso(lastOfLead.at) : null,
    last_bot_msg_id: lastOfUs ? idOf.get(lastOfUs) : null,
    last_msg_created_at: last ? iso(last.at) : null,
    last_message: last ? previewOf(last.text) : null,
    created_at: iso(first.writtenAt),
  });
  for (const { at, content } of events) {
    if (content['by'] !== 'classification') continue;
    rows.classification_results.push({
      product_id: product.id,
      dialogue_id: here.dialogue,
      result: { stage: content['to'], reason: content['reason'] },
      created_at: iso(at),
    });
  }
  await addMessages(tx, rows, told, { ...here, channel }, idOf, now);
}

/** Whether both sides' history holds it: what the lead wrote, what was accepted. */
function hasGone({ outcome: { status } }: Spoken): boolean {
  return status === 'sent' || status === 'delivered' || status === 'read';
}

async function addMessages(
  tx: Tx,
  rows: Rows,
  { product, lead, spoken }: Told,
  here: { lead: number; contact: number; dialogue: number; channel: number },
  idOf: ReadonlyMap<Spoken, number>,
  now: Instant,
): Promise<void> {
  const prompt = await renderPrompt(tx, product.id, product.prompt.text, valuesOf(product, lead, now));
  for (const [index, one] of spoken.entries()) {
    const { outcome } = one;
    const said = spoken.slice(0, index);
    const asked = said.findLast((earlier) => earlier.who === 'lead');
    // What the bot wrote of its own accord was no model's answer.
    const answers = one.who === 'bot' && asked !== undefined;
    const shows = answers && now - one.at < RUNS_KEPT_MS;
    const system = shows ? systemText(prompt, valuesOf(product, lead, one.writtenAt)) : null;
    const turn = said.filter((earlier) => earlier.who === 'lead').length;
    const ours = one.who !== 'lead';
    const triedOut = outcome.status === 'unconfirmed';
    rows.messages.push({
      id: idOf.get(one),
      product_id: product.id,
      contact_id: here.contact,
      dialogue_id: here.dialogue,
      channel_id: here.channel,
      message: one.text,
      kind: one.kind,
      side: ours ? 'bot' : 'user',
      author: one.who,
      operator: one.who === 'operator' ? DEMO_LOGIN : null,
      status: ours ? outcome.status : 'inbound',
      reason: 'reason' in outcome ? outcome.reason : null,
      error_code: 'code' in outcome ? outcome.code : null,
      created_at: iso(one.writtenAt),
      thread_at: iso(hasGone(one) ? one.at : one.writtenAt),
      scheduled_at: one.who === 'bot' || one.who === 'operator' ? iso(one.at) : null,
      sent_at: hasGone(one) ? iso(one.at) : null,
      sent_confirmation_at: one.deliveredAt === null ? null : iso(one.deliveredAt),
      read_at: one.readAt === null ? null : iso(one.readAt),
      ext_id: hasGone(one) ? uuids.next() : null,
      prompt_id: answers ? product.prompt.id : null,
      prompt_name: answers ? product.prompt.name : null,
      prompt_version: answers ? 1 : null,
      model_vendor: answers ? MODEL.vendor : null,
      model_name: answers ? MODEL.name : null,
      reply_on_msg_id: answers ? idOf.get(asked) : null,
      rendered_prompt: system,
      turn: answers ? turn : null,
      tries:
        one.who === 'bot' || one.who === 'operator' ? Number(outcome.status !== 'scheduled') + Number(triedOut) : 0,
      send_key_used_at: triedOut ? iso(one.at) : null,
      unconfirmed_at: triedOut ? iso(one.at + 60_000) : null,
    });
    if (system !== null) {
      rows.llm_runs.push({
        ...runOf(product, here, said, system, turn),
        message_id: idOf.get(one),
        created_at: iso(one.writtenAt),
        execution_ms: 240 + one.text.length * 4,
        token_output_usage: tokens(one.text),
      });
    }
  }
  const unanswered = spoken.at(-1);
  if (lead.noAnswer === undefined || !unanswered) return;
  const run = runOf(
    product,
    here,
    spoken,
    systemText(prompt, valuesOf(product, lead, unanswered.at)),
    spoken.filter((one) => one.who === 'lead').length,
  );
  rows.llm_runs.push({
    ...run,
    message_id: null,
    created_at: iso(unanswered.at + 7000),
    execution_ms: 1350,
    token_input_usage: null,
    token_output_usage: null,
    metadata: { ...run.metadata, attempts: TRIES },
    error: lead.noAnswer.replace(/^No answer: /, ''),
  });
}

function runOf(
  product: DemoProductRow,
  here: { readonly lead: number; readonly dialogue: number },
  said: readonly Spoken[],
  system: string,
  turn: number,
) {
  const heard = said.filter(hasGone).slice(-HISTORY);
  return {
    product_id: product.id,
    dialogue_id: here.dialogue,
    lead_id: here.lead,
    purpose: 'chatbot',
    name: product.prompt.name,
    model_vendor: MODEL.vendor,
    model_name: MODEL.name,
    token_input_usage: tokens(system) + heard.reduce((sum, one) => sum + tokens(one.text) + 4, 0),
    metadata: {
      finish: 'stop',
      model: MODEL.name,
      system_fingerprint: 'sandbox',
      prompt_id: product.prompt.id,
      prompt_version: 1,
      turn,
    },
    error: null as string | null,
  };
}

function valuesOf(product: DemoProductRow, lead: DemoLead, at: Instant): TemplateValues {
  return {
    lead: {
      name: lead.name,
      first_name: firstName(lead.name),
      stage: lead.stage,
      crm_fields: { ...lead.fields },
    },
    contact: { contact: lead.contact, type: lead.messenger },
    product: { name: product.name },
    company: { name: COMPANY },
    document: {},
    now: iso(at),
  };
}

/** About as many as a model would count. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

const iso = (at: Instant): string => new Date(at).toISOString();

/** The next ids of a table. */
async function reserve(tx: Tx, table: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`.execute(tx);
  return rows.map((row) => row.id);
}

/** One statement for all rows, which have the same columns. */
async function insertAll(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${columns}) overriding system value
            select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`.execute(
    tx,
  );
}
