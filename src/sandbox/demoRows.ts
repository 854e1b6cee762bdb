/** The demo's leads as rows of the database. */
import { sql } from 'kysely';
import { HISTORY, systemText } from '../chatbot/compose.ts';
import { delaySeconds, type LinkDelay, previewOf } from '../dialogues/message.ts';
import { normaliseAddress } from '../leads/address.ts';
import type { Tx } from '../platform/db.ts';
import { ids as uuids } from '../platform/ids.ts';
import type { PromptType } from '../prompts/contract.ts';
import { renderPrompt, type TemplateValues } from '../prompts/prompt.ts';
import { COMPANY } from './demoContent.ts';
import type { DemoLead } from './demoLeads/lead.ts';
import { cameIn, eventsOf, takenAt } from './demoLeads/story.ts';
import { type Instant, type Rhythm, type Spoken, timelineOf } from './demoLeads/timeline.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import type { OutreachRows } from './demoOutreach.ts';
import { opaqueChatId } from './emulators/addresses.ts';

/** What the leads hang on. */
export interface DemoProductRow {
  readonly id: number;
  readonly name: string;
  readonly prompt: {
    readonly id: number;
    readonly name: string;
    /** Oldest first. */
    readonly versions: readonly { readonly version: number; readonly since: Instant; readonly text: string }[];
  };
  /** Who judges its conversations; null: nobody. */
  readonly judging: {
    readonly configId: number;
    readonly judges: ReadonlyMap<PromptType, { readonly id: number; readonly name: string }>;
  } | null;
  /** What its first messages and follow-ups were made from; null: nothing was sent by itself. */
  readonly outreach: OutreachRows | null;
  readonly hours: Omit<Rhythm, 'typing'>;
  readonly channels: Readonly<Record<DemoLead['messenger'], number>>;
  readonly delay: Readonly<Record<DemoLead['messenger'], LinkDelay>>;
  readonly leads: readonly DemoLead[];
}

const MODEL = { vendor: 'chatgpt', name: 'gpt-4o-mini' };
/** So far back, bot messages show the prompt and the run behind them. */
const RUNS_KEPT_MS = 30 * 24 * 3600 * 1000;
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
  readonly lead_documents: Row[];
  readonly first_messages: Row[];
  readonly first_slots: Row[];
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
    lead_documents: [],
    first_messages: [],
    first_slots: [],
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
  numberSlots(rows.first_slots);
  for (const [table, some] of Object.entries(rows)) await insertAll(tx, table, some);
}

interface Told {
  readonly product: DemoProductRow;
  readonly lead: DemoLead;
  readonly spoken: readonly Spoken[];
  readonly since: Instant;
}

function tell(product: DemoProductRow, lead: DemoLead, now: Instant): Pick<Told, 'spoken' | 'since'> {
  const typing = (text: string) => delaySeconds(text, product.delay[lead.messenger]);
  const spoken = timelineOf(lead, now, { ...product.hours, typing });
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
  for (const { name, type, text, url, daysAgo } of lead.documents ?? []) {
    rows.lead_documents.push({
      lead_id: here.lead,
      product_id: product.id,
      name,
      type,
      document: { text_data: text ?? '' },
      document_url: url ?? null,
      created_at: iso(now - daysAgo * 24 * 3600 * 1000),
    });
  }
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
    skip_ping_for_msg_id: lead.skipped && lastOfUs ? idOf.get(lastOfUs) : null,
    last_msg_created_at: last ? iso(last.at) : null,
    last_message: last ? previewOf(last.text) : null,
    created_at: iso(first.writtenAt),
  });
  addVerdict(rows, told, { ...here, events, now });
  await addMessages(tx, rows, told, { ...here, channel }, idOf, now);
}

/** What classification said of the lead's last words: it moved the lead, or left it where it was. */
function addVerdict(
  rows: Rows,
  { product, lead, spoken }: Told,
  here: { lead: number; dialogue: number; events: ReturnType<typeof eventsOf>; now: Instant },
): void {
  const moved = here.events.find((one) => one.content['by'] === 'classification');
  const words = spoken.filter((one) => one.who === 'lead' && (!moved || one.at <= moved.at));
  const last = words.at(-1);
  const reason = moved ? moved.content['reason'] : lead.judged;
  if (reason === undefined || !last) return;
  const at = moved?.at ?? Math.min(last.at + 75_000, here.now);
  const { judging } = product;
  const confirming = { success: 'qualification', refused: 'refusal_qualification' } as const;
  const second = moved && (lead.stage === 'success' || lead.stage === 'refused') ? confirming[lead.stage] : null;
  rows.classification_results.push({
    product_id: product.id,
    dialogue_id: here.dialogue,
    config_id: judging?.configId ?? null,
    result: {
      stage: moved ? lead.stage : 'ongoing',
      reason,
      ...(judging && second ? { confirmed: true, confirmation: CONFIRMATIONS[second] } : {}),
    },
    turn: words.length,
    created_at: iso(at),
  });
  for (const type of ['classification', second] as const) {
    const judge = type && judging?.judges.get(type);
    if (!judge || here.now - at > RUNS_KEPT_MS) continue;
    rows.llm_runs.push({
      ...runOf(product, here, words, '', words.length),
      message_id: null,
      purpose: 'classification',
      name: judge.name,
      created_at: iso(at),
      execution_ms: 310 + reason.length * 3,
      token_output_usage: tokens(reason) + 12,
      metadata: { ...METADATA, prompt_id: judge.id, prompt_version: 1, turn: words.length },
    });
  }
}

const CONFIRMATIONS = {
  qualification: 'The lead agreed in its own words.',
  refusal_qualification: 'The lead says that it wants no kitchen from us.',
} as const;

/** Slots of a day and messenger are numbered as they were taken. */
function numberSlots(slots: Row[]): void {
  slots.sort((a, b) => String(a['taken_at']).localeCompare(String(b['taken_at'])));
  const taken = new Map<string, number>();
  for (const slot of slots) {
    const key = `${slot['product_id']} ${slot['channel_type']} ${slot['day']}`;
    const number = (taken.get(key) ?? 0) + 1;
    taken.set(key, number);
    slot['number'] = number;
  }
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
  const { prompt: own, outreach } = product;
  for (const [index, one] of spoken.entries()) {
    const { outcome } = one;
    const said = spoken.slice(0, index);
    const asked = said.findLast((earlier) => earlier.who === 'lead');
    const origin = outreach ? originOf(one, index) : null;
    const step = origin === 'ping' ? outreach?.steps[(one.step ?? 1) - 1] : undefined;
    const prompt = promptOf(product, one, asked !== undefined, step);
    const shows = prompt !== null && now - one.at < RUNS_KEPT_MS;
    const system = shows
      ? systemText(
          await renderPrompt(tx, product.id, prompt.text, valuesOf(product, lead, one.writtenAt)),
          valuesOf(product, lead, one.writtenAt),
        )
      : null;
    const turn = said.filter((earlier) => earlier.who === 'lead').length;
    const ours = one.who !== 'lead';
    const triedOut = outcome.status === 'unconfirmed';
    const answers = prompt?.id === own.id;
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
      operator: one.who === 'operator' ? (lead.operator ?? DEMO_LOGIN) : null,
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
      prompt_id: prompt?.id ?? null,
      prompt_name: prompt?.name ?? null,
      prompt_version: prompt?.version ?? null,
      model_vendor: prompt ? MODEL.vendor : null,
      model_name: prompt ? MODEL.name : null,
      prepared_message_id: origin === 'first' ? preparedFirst(outreach, one) : (step?.prepared_message_id ?? null),
      origin,
      ping_config_id: step ? outreach?.configId : null,
      ping_step_number: step?.step_number ?? null,
      ping_anchor: step ? (asked ? idOf.get(asked) : 0) : null,
      reply_on_msg_id: answers && asked ? idOf.get(asked) : null,
      rendered_prompt: system,
      turn: answers ? turn : null,
      tries:
        one.who === 'bot' || one.who === 'operator' ? Number(outcome.status !== 'scheduled') + Number(triedOut) : 0,
      send_key_used_at: triedOut ? iso(one.at) : null,
      unconfirmed_at: triedOut ? iso(one.at + 60_000) : null,
    });
    if (origin === 'first') addFirst(rows, product, lead, one, { ...here, message: idOf.get(one) ?? 0 });
    if (prompt !== null && system !== null) {
      const run = runOf(product, here, said, system, turn);
      rows.llm_runs.push({
        ...run,
        purpose: answers ? 'chatbot' : 'ping',
        name: prompt.name,
        metadata: { ...run.metadata, prompt_id: prompt.id, prompt_version: prompt.version },
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
    systemText(own.versions.at(-1)?.text ?? '', valuesOf(product, lead, unanswered.at)),
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

/** What sent a message of the bot by itself: outreach began the talk, or followed up. */
function originOf(one: Spoken, index: number): 'first' | 'ping' | null {
  if (one.who !== 'bot') return null;
  if (one.step !== null) return 'ping';
  return index === 0 ? 'first' : null;
}

/** The prepared message that a first message was made from, as far as its text shows it. */
function preparedFirst(outreach: OutreachRows | null, { text }: Spoken): number | null {
  return text.includes('You asked about') ? (outreach?.firstId ?? null) : null;
}

/** The prompt behind a message of the bot: of a follow-up its step's, of an answer the version of that time. */
function promptOf(
  product: DemoProductRow,
  one: Spoken,
  isAsked: boolean,
  step: OutreachRows['steps'][number] | undefined,
): { id: number; name: string; version: number; text: string } | null {
  if (one.who !== 'bot') return null;
  if (one.step !== null) {
    const id = step?.prompt_id ?? null;
    const made = id === null ? undefined : product.outreach?.prompts.get(id);
    return made && id !== null ? { ...made, id, version: 1 } : null;
  }
  if (!isAsked) return null;
  const { id, name, versions } = product.prompt;
  const used = versions.findLast((version) => version.since <= one.writtenAt) ?? versions[0];
  return used ? { id, name, version: used.version, text: used.text } : null;
}

/** The person counts as written to, and the day has a slot less, unless the messenger refused it. */
function addFirst(
  rows: Rows,
  product: DemoProductRow,
  lead: DemoLead,
  one: Spoken,
  here: { lead: number; contact: number; channel: number; message: number },
): void {
  const refused = one.outcome.status === 'error';
  rows.first_messages.push({
    product_id: product.id,
    address: normaliseAddress(lead.messenger, lead.contact),
    lead_id: here.lead,
    contact_id: here.contact,
    message_id: here.message,
    refused,
    created_at: iso(one.writtenAt),
  });
  if (refused) return;
  rows.first_slots.push({
    product_id: product.id,
    channel_type: lead.messenger,
    day: iso(one.at).slice(0, 10),
    number: 0,
    channel_id: here.channel,
    message_id: here.message,
    taken_at: iso(one.at),
  });
}

const METADATA = { finish: 'stop', model: MODEL.name, system_fingerprint: 'sandbox' };

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
      ...METADATA,
      prompt_id: product.prompt.id,
      prompt_version: product.prompt.versions.length,
      turn,
    },
    error: null as string | null,
  };
}

function valuesOf(product: DemoProductRow, lead: DemoLead, at: Instant): TemplateValues {
  return {
    lead: { name: lead.name, stage: lead.stage, crm_fields: { ...lead.fields } },
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
