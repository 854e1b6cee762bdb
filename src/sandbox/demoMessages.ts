/** Messages of the demo's leads as rows of the database, with the first messages' quota. */
import { buildSystemPrompt } from '../conversations/systemPrompt.ts';
import { firstName } from '../leads/firstName.ts';
import type { Tx } from '../platform/db.ts';
import { ids as uuids } from '../platform/ids.ts';
import { renderPrompt, type TemplateValues } from '../prompts/prompt.ts';
import { COMPANY } from './demoContent.ts';
import { isInHistory, isOfLead, type LeadHistory, type Rows } from './demoHistory.ts';
import type { DemoMessage, Instant } from './demoLeads/timeline.ts';
import type { ProductRows } from './demoProducts.ts';
import { failedRunRow, MODEL, RUN_RETENTION_MS, runRow } from './demoRuns.ts';
import { iso, type Row } from './demoTables.ts';

type Step = NonNullable<ProductRows['outreach']>['steps'][number];

/** What a message was made from. */
interface Source {
  /** First message or follow-up; null for all others. */
  readonly origin: 'first' | 'ping' | null;
  readonly step: Step | undefined;
  readonly prompt: { id: number; name: string; version: number; text: string } | null;
  /** The lead's message that it answers. */
  readonly asked: DemoMessage | undefined;
  readonly turn: number;
  /** The prompt as the model received it; null for a message without a prompt, or one too old to keep its run. */
  readonly system: string | null;
}

export async function addMessages(tx: Tx, rows: Rows, history: LeadHistory): Promise<void> {
  const { product, lead, messages, messageIds } = history;
  for (const [index, one] of messages.entries()) {
    const previous = messages.slice(0, index);
    const source = await sourceOf(tx, history, one, previous);
    rows.messages.push(messageRow(history, one, source));
    if (source.origin === 'first') addFirstMessage(rows, history, one);
    const { prompt, system, turn } = source;
    if (prompt === null || system === null) continue;
    const purpose = prompt.id === product.prompt.id ? 'chatbot' : 'ping';
    const rest = { message_id: messageIds.get(one), created_at: iso(one.writtenAt) };
    rows.llm_runs.push(runRow(history, { purpose, prompt, previous, system, turn, answer: one.text, rest }));
  }
  const last = messages.at(-1);
  if (lead.noAnswer === undefined || !last) return;
  const system = buildSystemPrompt(product.content.prompt, valuesOf(history, last.at));
  rows.llm_runs.push(failedRunRow(history, lead.noAnswer.replace(/^No answer: /, ''), system));
}

async function sourceOf(
  tx: Tx,
  history: LeadHistory,
  one: DemoMessage,
  previous: readonly DemoMessage[],
): Promise<Source> {
  const { product } = history;
  const asked = previous.findLast(isOfLead);
  const isAutomatic = product.outreach !== null && one.who === 'bot';
  const origin = !isAutomatic ? null : one.step !== null ? 'ping' : previous.length === 0 ? 'first' : null;
  const step = origin === 'ping' ? product.outreach?.steps[(one.step ?? 1) - 1] : undefined;
  const prompt = promptOf(product, one, asked !== undefined, step);
  const values = valuesOf(history, one.writtenAt);
  const owner = { id: product.id, company_id: 0 };
  const system =
    prompt !== null && history.now - one.at < RUN_RETENTION_MS
      ? buildSystemPrompt(
          await renderPrompt({ reader: tx, threads: null }, { product: owner, text: prompt.text, values }),
          values,
        )
      : null;
  return { origin, step, prompt, asked, turn: previous.filter(isOfLead).length, system };
}

/** Return the prompt behind a bot message: that of its step for a follow-up, the version of that time for an answer. */
function promptOf(product: ProductRows, one: DemoMessage, isAsked: boolean, step: Step | undefined): Source['prompt'] {
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

function messageRow({ product, lead, ids, messageIds }: LeadHistory, one: DemoMessage, source: Source): Row {
  const { outcome, text } = one;
  const { origin, step, prompt, asked } = source;
  const idOf = (message: DemoMessage | undefined) => (message && messageIds.get(message)) ?? null;
  const isSentByUs = one.who === 'bot' || one.who === 'operator';
  const isUnconfirmed = outcome.status === 'unconfirmed';
  const isAnswer = prompt?.id === product.prompt.id;
  // A first message was made from the prepared one as far as its text shows it.
  const firstId = text.includes('You asked about') ? (product.outreach?.firstId ?? null) : null;
  return {
    id: idOf(one),
    product_id: product.id,
    contact_id: ids.contact,
    dialogue_id: ids.dialogue,
    channel_id: product.channels[lead.messenger],
    message: text,
    kind: one.kind,
    side: isOfLead(one) ? 'user' : 'bot',
    author: one.who,
    operator: one.who === 'operator' ? lead.operator : null,
    status: isOfLead(one) ? 'inbound' : outcome.status,
    reason: 'reason' in outcome ? outcome.reason : null,
    error_code: 'code' in outcome ? outcome.code : null,
    created_at: iso(one.writtenAt),
    thread_at: iso(isInHistory(one) ? one.at : one.writtenAt),
    scheduled_at: isSentByUs ? iso(one.at) : null,
    sent_at: isInHistory(one) ? iso(one.at) : null,
    sent_confirmation_at: one.deliveredAt === null ? null : iso(one.deliveredAt),
    read_at: one.readAt === null ? null : iso(one.readAt),
    ext_id: isInHistory(one) ? uuids.next() : null,
    prompt_id: prompt?.id ?? null,
    prompt_name: prompt?.name ?? null,
    prompt_version: prompt?.version ?? null,
    model_vendor: prompt ? MODEL.vendor : null,
    model_name: prompt ? MODEL.name : null,
    prepared_message_id: origin === 'first' ? firstId : (step?.prepared_message_id ?? null),
    origin,
    ping_config_id: step ? product.outreach?.configId : null,
    ping_step_number: step?.step_number ?? null,
    follow_up_anchor_id: step ? (idOf(asked) ?? 0) : null,
    reply_on_msg_id: isAnswer ? idOf(asked) : null,
    rendered_prompt: source.system,
    turn: isAnswer ? source.turn : null,
    attempts: isSentByUs ? Number(outcome.status !== 'scheduled') + Number(isUnconfirmed) : 0,
    send_key_used_at: isUnconfirmed ? iso(one.at) : null,
    unconfirmed_at: isUnconfirmed ? iso(one.at + 60_000) : null,
  };
}

/** Record the lead as contacted and use up the day's quota by one, unless the messenger refused the message. */
function addFirstMessage(rows: Rows, { product, lead, address, ids, messageIds }: LeadHistory, one: DemoMessage): void {
  const refused = one.outcome.status === 'error';
  const common = { product_id: product.id, message_id: messageIds.get(one) };
  rows.first_messages.push({
    ...common,
    address,
    lead_id: ids.lead,
    contact_id: ids.contact,
    refused,
    created_at: iso(one.writtenAt),
  });
  if (refused) return;
  rows.first_message_quota.push({
    ...common,
    channel_type: lead.messenger,
    day: iso(one.at).slice(0, 10),
    number: 0,
    channel_id: product.channels[lead.messenger],
    taken_at: iso(one.at),
  });
}

function valuesOf({ product, lead }: LeadHistory, at: Instant): TemplateValues {
  return {
    lead: { name: lead.name, first_name: firstName(lead.name), stage: lead.stage, crm_fields: { ...lead.fields } },
    contact: { contact: lead.contact, type: lead.messenger },
    product: { name: product.content.name },
    company: { name: COMPANY.name },
    document: {},
    now: iso(at),
  };
}
