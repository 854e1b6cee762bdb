/** Messages of the demo's leads as rows of the database, with the model runs behind them. */

import type { ChannelDelay } from '../conversations/message.ts';
import { buildSystemPrompt, HISTORY_LIMIT } from '../conversations/systemPrompt.ts';
import { normaliseAddress } from '../leads/address.ts';
import { firstName } from '../leads/firstName.ts';
import type { Tx } from '../platform/db.ts';
import { ids as uuids } from '../platform/ids.ts';
import type { PromptType } from '../prompts/contract.ts';
import { renderPrompt, type TemplateValues } from '../prompts/prompt.ts';
import { COMPANY } from './demoContent.ts';
import type { DemoLead } from './demoLeads/lead.ts';
import type { eventsOf } from './demoLeads/story.ts';
import type { DemoMessage, Instant, SendingHours } from './demoLeads/timeline.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import type { OutreachRows } from './demoOutreach.ts';

/** Product that the leads belong to. */
export interface DemoProductRow {
  readonly id: number;
  readonly name: string;
  readonly prompt: {
    readonly id: number;
    readonly name: string;
    /** Oldest first. */
    readonly versions: readonly { readonly version: number; readonly since: Instant; readonly text: string }[];
  };
  /** Configuration that classifies its conversations; null if there is none. */
  readonly judging: {
    readonly configId: number;
    readonly judges: ReadonlyMap<PromptType, { readonly id: number; readonly name: string }>;
  } | null;
  /** Rows that its first messages and follow-ups were made from; null if nothing was sent automatically. */
  readonly outreach: OutreachRows | null;
  readonly hours: Omit<SendingHours, 'typing'>;
  readonly channels: Readonly<Record<DemoLead['messenger'], number>>;
  readonly delay: Readonly<Record<DemoLead['messenger'], ChannelDelay>>;
  readonly leads: readonly DemoLead[];
}

const MODEL = { vendor: 'chatgpt', name: 'gpt-4o-mini' };
/** How far back bot messages keep their prompt and run. */
const RUN_RETENTION_MS = 30 * 24 * 3600 * 1000;
/** Failed attempts behind a 'No answer'. */
const TRIES = 3;

export type Row = Record<string, unknown>;

export interface Rows {
  readonly leads: Row[];
  readonly contacts: Row[];
  readonly dialogues: Row[];
  readonly messages: Row[];
  readonly lead_events: Row[];
  readonly llm_runs: Row[];
  readonly classification_results: Row[];
  readonly lead_documents: Row[];
  readonly first_messages: Row[];
  readonly first_message_quota: Row[];
}

export interface LeadHistory {
  readonly product: DemoProductRow;
  readonly lead: DemoLead;
  readonly messages: readonly DemoMessage[];
  readonly since: Instant;
}

/** Add a classification of the lead's last message, whether it moved the lead or not. */
export function addClassification(
  rows: Rows,
  { product, lead, messages }: LeadHistory,
  rowIds: { lead: number; dialogue: number; events: ReturnType<typeof eventsOf>; now: Instant },
): void {
  const moved = rowIds.events.find((one) => one.content['by'] === 'classification');
  const words = messages.filter((one) => one.who === 'lead' && (!moved || one.at <= moved.at));
  const last = words.at(-1);
  const reason = moved ? moved.content['reason'] : lead.judged;
  if (reason === undefined || !last) return;
  const at = moved?.at ?? Math.min(last.at + 75_000, rowIds.now);
  const { judging } = product;
  const confirming = { success: 'qualification', refused: 'refusal_qualification' } as const;
  const second = moved && (lead.stage === 'success' || lead.stage === 'refused') ? confirming[lead.stage] : null;
  rows.classification_results.push({
    product_id: product.id,
    dialogue_id: rowIds.dialogue,
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
    if (!judge || rowIds.now - at > RUN_RETENTION_MS) continue;
    rows.llm_runs.push({
      ...runOf(product, rowIds, words, '', words.length),
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

/** Return whether the message is part of the history: the lead's messages, and ours that were accepted. */
export function isInHistory({ outcome: { status } }: DemoMessage): boolean {
  return status === 'sent' || status === 'delivered' || status === 'read';
}

export async function addMessages(
  tx: Tx,
  rows: Rows,
  { product, lead, messages }: LeadHistory,
  rowIds: { lead: number; contact: number; dialogue: number; channel: number },
  idOf: ReadonlyMap<DemoMessage, number>,
  now: Instant,
): Promise<void> {
  const { prompt: own, outreach } = product;
  const renderer = { reader: tx, threads: null };
  for (const [index, one] of messages.entries()) {
    const { outcome } = one;
    const previous = messages.slice(0, index);
    const asked = previous.findLast((earlier) => earlier.who === 'lead');
    const origin = outreach ? originOf(one, index) : null;
    const step = origin === 'ping' ? outreach?.steps[(one.step ?? 1) - 1] : undefined;
    const prompt = promptOf(product, one, asked !== undefined, step);
    const shows = prompt !== null && now - one.at < RUN_RETENTION_MS;
    const values = valuesOf(product, lead, one.writtenAt);
    const system = shows
      ? buildSystemPrompt(await renderPrompt(renderer, { ...product, company_id: 0 }, prompt.text, values), values)
      : null;
    const turn = previous.filter((earlier) => earlier.who === 'lead').length;
    const ours = one.who !== 'lead';
    const triedOut = outcome.status === 'unconfirmed';
    const answers = prompt?.id === own.id;
    rows.messages.push({
      id: idOf.get(one),
      product_id: product.id,
      contact_id: rowIds.contact,
      dialogue_id: rowIds.dialogue,
      channel_id: rowIds.channel,
      message: one.text,
      kind: one.kind,
      side: ours ? 'bot' : 'user',
      author: one.who,
      operator: one.who === 'operator' ? (lead.operator ?? DEMO_LOGIN) : null,
      status: ours ? outcome.status : 'inbound',
      reason: 'reason' in outcome ? outcome.reason : null,
      error_code: 'code' in outcome ? outcome.code : null,
      created_at: iso(one.writtenAt),
      thread_at: iso(isInHistory(one) ? one.at : one.writtenAt),
      scheduled_at: one.who === 'bot' || one.who === 'operator' ? iso(one.at) : null,
      sent_at: isInHistory(one) ? iso(one.at) : null,
      sent_confirmation_at: one.deliveredAt === null ? null : iso(one.deliveredAt),
      read_at: one.readAt === null ? null : iso(one.readAt),
      ext_id: isInHistory(one) ? uuids.next() : null,
      prompt_id: prompt?.id ?? null,
      prompt_name: prompt?.name ?? null,
      prompt_version: prompt?.version ?? null,
      model_vendor: prompt ? MODEL.vendor : null,
      model_name: prompt ? MODEL.name : null,
      prepared_message_id: origin === 'first' ? preparedFirst(outreach, one) : (step?.prepared_message_id ?? null),
      origin,
      ping_config_id: step ? outreach?.configId : null,
      ping_step_number: step?.step_number ?? null,
      follow_up_anchor_id: step ? (asked ? idOf.get(asked) : 0) : null,
      reply_on_msg_id: answers && asked ? idOf.get(asked) : null,
      rendered_prompt: system,
      turn: answers ? turn : null,
      attempts:
        one.who === 'bot' || one.who === 'operator' ? Number(outcome.status !== 'scheduled') + Number(triedOut) : 0,
      send_key_used_at: triedOut ? iso(one.at) : null,
      unconfirmed_at: triedOut ? iso(one.at + 60_000) : null,
    });
    if (origin === 'first') addFirstMessage(rows, product, lead, one, { ...rowIds, message: idOf.get(one) ?? 0 });
    if (prompt !== null && system !== null) {
      const run = runOf(product, rowIds, previous, system, turn);
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
  const unanswered = messages.at(-1);
  if (lead.noAnswer === undefined || !unanswered) return;
  const run = runOf(
    product,
    rowIds,
    messages,
    buildSystemPrompt(own.versions.at(-1)?.text ?? '', valuesOf(product, lead, unanswered.at)),
    messages.filter((one) => one.who === 'lead').length,
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

/** Return the origin of a bot message that was sent automatically: a first message or a follow-up. */
function originOf(one: DemoMessage, index: number): 'first' | 'ping' | null {
  if (one.who !== 'bot') return null;
  if (one.step !== null) return 'ping';
  return index === 0 ? 'first' : null;
}

/** Return the prepared message that a first message was made from, as far as its text shows it. */
function preparedFirst(outreach: OutreachRows | null, { text }: DemoMessage): number | null {
  return text.includes('You asked about') ? (outreach?.firstId ?? null) : null;
}

/** Return the prompt behind a bot message: that of its step for a follow-up, the version of that time for an answer. */
function promptOf(
  product: DemoProductRow,
  one: DemoMessage,
  isAsked: boolean,
  step: OutreachRows['steps'][number] | undefined,
): { id: number; name: string; version: number; text: string } | null {
  if (one.who !== 'bot') return null;
  if (one.step !== null) {
    const id = step?.prompt_id ?? null;
    const stepPrompt = id === null ? undefined : product.outreach?.prompts.get(id);
    return stepPrompt && id !== null ? { ...stepPrompt, id, version: 1 } : null;
  }
  if (!isAsked) return null;
  const { id, name, versions } = product.prompt;
  const used = versions.findLast((version) => version.since <= one.writtenAt) ?? versions[0];
  return used ? { id, name, version: used.version, text: used.text } : null;
}

/** Record the lead as contacted and use up the day's quota by one, unless the messenger refused the message. */
function addFirstMessage(
  rows: Rows,
  product: DemoProductRow,
  lead: DemoLead,
  one: DemoMessage,
  rowIds: { lead: number; contact: number; channel: number; message: number },
): void {
  const refused = one.outcome.status === 'error';
  rows.first_messages.push({
    product_id: product.id,
    address: normaliseAddress(lead.messenger, lead.contact),
    lead_id: rowIds.lead,
    contact_id: rowIds.contact,
    message_id: rowIds.message,
    refused,
    created_at: iso(one.writtenAt),
  });
  if (refused) return;
  rows.first_message_quota.push({
    product_id: product.id,
    channel_type: lead.messenger,
    day: iso(one.at).slice(0, 10),
    number: 0,
    channel_id: rowIds.channel,
    message_id: rowIds.message,
    taken_at: iso(one.at),
  });
}

const METADATA = { finish: 'stop', model: MODEL.name, system_fingerprint: 'sandbox' };

function runOf(
  product: DemoProductRow,
  rowIds: { readonly lead: number; readonly dialogue: number },
  previous: readonly DemoMessage[],
  system: string,
  turn: number,
) {
  const history = previous.filter(isInHistory).slice(-HISTORY_LIMIT);
  return {
    product_id: product.id,
    dialogue_id: rowIds.dialogue,
    lead_id: rowIds.lead,
    purpose: 'chatbot',
    name: product.prompt.name,
    model_vendor: MODEL.vendor,
    model_name: MODEL.name,
    token_input_usage: tokens(system) + history.reduce((sum, one) => sum + tokens(one.text) + 4, 0),
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

/** Estimate about as many tokens as a model would count. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

export const iso = (at: Instant): string => new Date(at).toISOString();
