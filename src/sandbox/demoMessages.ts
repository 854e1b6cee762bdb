/** Messages of the demo's leads as rows of the database. */
import { buildSystemPrompt } from '../conversations/systemPrompt.ts';
import { firstName } from '../leads/firstName.ts';
import type { Tx } from '../platform/db.ts';
import { ids as uuids } from '../platform/ids.ts';
import { renderPrompt, type TemplateValues } from '../prompts/prompt.ts';
import { COMPANY } from './demoContent.ts';
import { isInHistory, isOfLead, type LeadHistory } from './demoHistory.ts';
import type { DemoMessage, Instant } from './demoLeads/timeline.ts';
import { HAND_OVER_TEXT, type ProductRows } from './demoProducts.ts';
import { MODEL } from './demoRuns.ts';
import { iso, type Row } from './demoTables.ts';

/** How far back messages keep the prompt that the model received. */
const RUN_RETENTION_MS = 30 * 24 * 3600 * 1000;

/** A version of a prompt. */
interface UsedPrompt {
  readonly id: number;
  readonly name: string;
  readonly version: number;
  readonly text: string;
}

/** Return the prompt behind a bot message: that of its step for a follow-up, the version of that time for an answer. */
function promptOf({ outreach, content, prompt }: ProductRows, one: DemoMessage, isAsked: boolean): UsedPrompt | null {
  if (one.step !== null) {
    const id = outreach?.steps[one.step - 1]?.prompt_id ?? null;
    const { prompt: name = '', text = '' } = content.outreach?.followUps[one.step - 1] ?? {};
    return id === null ? null : { id, name, text, version: 1 };
  }
  const used = prompt.versions.findLast(({ since }) => since <= one.writtenAt) ?? prompt.versions[0];
  return isAsked && used ? { id: prompt.id, name: prompt.name, version: used.version, text: used.text } : null;
}

/** Build the row of one message of the history. */
export async function messageRow(tx: Tx, history: LeadHistory, index: number): Promise<Row> {
  const { product, lead, ids, messageIds } = history;
  const previous = history.messages.slice(0, index);
  const [one] = history.messages.slice(index);
  if (!one) throw new Error('There is such a message');
  const { status, text } = one;
  const asked = previous.findLast(isOfLead);
  const isAutomatic = product.outreach !== null && one.who === 'bot';
  const isHandOver = one.who === 'bot' && text === HAND_OVER_TEXT;
  const origin = isHandOver
    ? 'hand_over'
    : !isAutomatic
      ? null
      : one.step !== null
        ? 'ping'
        : index === 0
          ? 'first'
          : null;
  const step = origin === 'ping' ? product.outreach?.steps[(one.step ?? 1) - 1] : undefined;
  const prompt = one.who === 'bot' && !isHandOver ? promptOf(product, one, asked !== undefined) : null;
  const isRecent = history.now - one.at < RUN_RETENTION_MS;
  const rendered = prompt !== null && isRecent ? await renderSystem(tx, history, prompt.text, one.writtenAt) : null;
  const idOf = (message: DemoMessage | undefined) => (message && messageIds.get(message)) ?? null;
  const isSentByUs = one.who === 'bot' || one.who === 'operator';
  const isUnconfirmed = status === 'unconfirmed';
  const isAnswer = isHandOver || prompt?.id === product.prompt.id;
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
    status: isOfLead(one) ? 'inbound' : status,
    reason: one.reason ?? null,
    error_code: one.code ?? null,
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
    rendered_prompt: rendered,
    turn: isAnswer ? previous.filter(isOfLead).length : null,
    attempts: isSentByUs ? Number(status !== 'scheduled') + Number(isUnconfirmed) : 0,
    send_key_used_at: isUnconfirmed ? iso(one.at) : null,
    unconfirmed_at: isUnconfirmed ? iso(one.at + 60_000) : null,
  };
}

/** Render a prompt as the model receives it, with the values of that time. */
async function renderSystem(tx: Tx, { product, lead }: LeadHistory, text: string, at: Instant): Promise<string> {
  const values: TemplateValues = {
    lead: { name: lead.name, first_name: firstName(lead.name), stage: lead.stage, crm_fields: { ...lead.fields } },
    contact: { contact: lead.contact, type: lead.messenger },
    product: { name: product.content.name },
    company: { name: COMPANY.name },
    document: {},
    now: iso(at),
  };
  const owner = { id: product.id, company_id: 0 };
  const rendered = await renderPrompt({ reader: tx, threads: null }, { product: owner, text, values });
  return buildSystemPrompt(rendered, values);
}
