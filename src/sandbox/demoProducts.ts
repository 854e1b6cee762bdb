/** Creates the demo's products with their prompts, hours, channels and outreach. */
import { sql } from 'kysely';
import type { ChannelDelay } from '../conversations/message.ts';
import type { ContactType } from '../leads/contract.ts';
import type { SequenceStep } from '../outreach/sequence.ts';
import type { Tx } from '../platform/db.ts';
import { messagingConfig } from '../products/contract.ts';
import type { PromptType } from '../prompts/contract.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { COMPANY, type DemoProduct, type Outreach } from './demoContent.ts';
import type { Instant } from './demoLeads/timeline.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { insertRow, insertRows, iso } from './demoTables.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Age of the company, in days: it is older than all of its messages. */
export const COMPANY_AGE = 90;
const OUTREACH_AGE = 60;

/** A demo product with its rows. */
export interface ProductRows {
  readonly id: number;
  readonly content: DemoProduct;
  readonly prompt: {
    readonly id: number;
    readonly name: string;
    /** Oldest first. */
    readonly versions: readonly { readonly version: number; readonly since: Instant; readonly text: string }[];
  };
  /** Configuration that classifies its conversations; null if there is none. */
  readonly classification: {
    readonly configId: number;
    readonly prompts: ReadonlyMap<PromptType, { readonly id: number; readonly name: string }>;
  } | null;
  /** Rows that its first messages and follow-ups were made from; null if nothing was sent automatically. */
  readonly outreach: OutreachRows | null;
  readonly channels: Readonly<Record<ContactType, number>>;
  readonly delay: Readonly<Record<ContactType, ChannelDelay>>;
}

interface OutreachRows {
  readonly firstId: number;
  readonly configId: number;
  readonly steps: readonly SequenceStep[];
  /** Prompts of steps, by id. */
  readonly prompts: ReadonlyMap<number, { readonly name: string; readonly text: string }>;
}

interface Placement {
  readonly companyId: number;
  readonly channels: ProductRows['channels'];
  readonly now: Instant;
}

export async function createDemoProduct(tx: Tx, content: DemoProduct, placement: Placement): Promise<ProductRows> {
  const { companyId, channels, now } = placement;
  const { isMain } = content;
  const founded = iso(now - COMPANY_AGE * DAY_MS);
  const id = await insertRow(tx, 'products', {
    company_id: companyId,
    name: content.name,
    reply_hours: isMain ? 'any' : 'working',
    created_at: founded,
  });
  const seeding = { tx, productId: id, content, now, founded };
  const prompt = await createPromptVersions(seeding);
  const classification = await createClassification(seeding);
  const delayOf = (seconds: number): ChannelDelay => ({
    delay_messages_symbols_per_second: isMain ? null : 20,
    delay_messages_seconds: isMain ? null : seconds,
  });
  const delay = { whatsapp: delayOf(1), telegram: delayOf(2) };
  for (const messenger of ['whatsapp', 'telegram'] as const)
    await insertRows(tx, 'product_channels', [
      {
        product_id: id,
        company_id: companyId,
        channel_id: channels[messenger],
        inbound_enabled: isMain || content.vendor === 'chatpush',
        ...delay[messenger],
        created_at: founded,
      },
    ]);
  await insertRow(tx, 'schedules', { product_id: id, timezone: COMPANY.timezone, config: { days: content.days } });
  const outreach = content.outreach ? await createOutreach(seeding, content.outreach) : null;
  await createLookupPrompts(seeding);
  return { id, content, prompt, classification, outreach: isMain ? outreach : null, channels, delay };
}

/** A product whose other rows are being created. */
interface Seeding {
  readonly tx: Tx;
  readonly productId: number;
  readonly content: DemoProduct;
  readonly now: Instant;
  /** When the company was founded. */
  readonly founded: string;
}

interface DatedPrompt {
  readonly productId: number;
  readonly name: string;
  readonly type: PromptType;
  readonly text: string;
  readonly at: string;
}

async function createDatedPrompt(tx: Tx, { at, ...prompt }: DatedPrompt): Promise<number> {
  const id = await createPrompt(tx, { ...prompt, author: DEMO_LOGIN });
  await sql`update prompts set created_at = ${at}, saved_at = ${at} where id = ${id}`.execute(tx);
  await sql`update prompt_versions set created_at = ${at} where prompt_id = ${id}`.execute(tx);
  return id;
}

/** Create the chatbot's prompt with all its versions, each saved by its author at its time. */
async function createPromptVersions(seeding: Seeding): Promise<ProductRows['prompt']> {
  const { tx, productId, now, founded } = seeding;
  const { promptName: name, versions } = seeding.content;
  const id = await createDatedPrompt(tx, {
    productId,
    name,
    type: 'prompt',
    text: versions[0]?.text ?? '',
    at: founded,
  });
  const savedVersions = versions.map(({ author, daysAgo, text }, index) => {
    return { version: index + 1, since: now - daysAgo * DAY_MS, author, text };
  });
  for (const { version, since, author, text } of savedVersions) {
    const at = iso(since);
    await sql`insert into prompt_versions (prompt_id, version, text, author, created_at)
              values (${id}, ${version}, ${text}, ${author}, ${at})
              on conflict (prompt_id, version) do update set created_at = excluded.created_at`.execute(tx);
    await sql`update prompts set text = ${text}, version = ${version}, author = ${author}, saved_at = ${at} where id = ${id}`.execute(
      tx,
    );
  }
  return { id, name, versions: savedVersions };
}

/** Create the classification as of now, so that earlier messages are not classified. */
async function createClassification(seeding: Seeding): Promise<ProductRows['classification']> {
  const { tx, productId, founded: at } = seeding;
  const { classification } = seeding.content;
  if (!classification) return null;
  const prompts = new Map<PromptType, { id: number; name: string }>();
  for (const { name, type, text } of classification.prompts)
    prompts.set(type, { id: await createDatedPrompt(tx, { productId, name, type, text, at }), name });
  const config = { interval_minutes: classification.minutes, prompt_id: prompts.get('classification')?.id };
  return { configId: await insertRow(tx, 'classification_configs', { product_id: productId, config }), prompts };
}

/** Create the limits, the first message and the follow-ups of a product. */
async function createOutreach({ tx, productId, now }: Seeding, outreach: Outreach): Promise<OutreachRows> {
  const at = iso(now - OUTREACH_AGE * DAY_MS);
  const prepare = (type: 'initial' | 'ping', name: string, message: string) =>
    insertRow(tx, 'prepared_messages', { product_id: productId, name, type, message, created_at: at });
  const firstId = await prepare('initial', outreach.first.name, outreach.first.text);
  if (outreach.spare) await prepare('initial', outreach.spare.name, outreach.spare.text);
  const config = {
    lead_expires_in_hours: outreach.expiresHours,
    models_config: null,
    messaging_config: messagingConfig.parse({
      ...outreach.messaging,
      initial_message_prepared_message_id: firstId,
    }),
  };
  await sql`update products set config = ${JSON.stringify(config)}::jsonb where id = ${productId}`.execute(tx);
  const steps: SequenceStep[] = [];
  const prompts = new Map<number, { name: string; text: string }>();
  for (const [index, { afterMinutes, name, prompt, text }] of outreach.followUps.entries()) {
    const promptId = prompt ? await createDatedPrompt(tx, { productId, name: prompt, type: 'ping', text, at }) : null;
    if (prompt && promptId !== null) prompts.set(promptId, { name: prompt, text });
    steps.push({
      step_number: index + 1,
      after_minutes: afterMinutes,
      document_type: null,
      prepared_message_id: name ? await prepare('ping', name, text) : null,
      prompt_id: promptId,
    });
  }
  const configId = await insertRow(tx, 'ping_configs', {
    product_id: productId,
    is_enabled: true,
    config: { steps, use_on_no_init_msg_reply: true },
  });
  return { firstId, configId, steps, prompts };
}

/** Create the prompts that the model looks up, in a group, and the prompt of a document that it writes. */
async function createLookupPrompts({ tx, productId, content, founded: at }: Seeding): Promise<void> {
  const { lookupPrompts: group, offerPrompt: offer } = content;
  const common = { product_id: productId, created_at: at };
  if (group) {
    const { name, description } = group;
    const groupId = await insertRow(tx, 'prompt_groups', { ...common, name, description });
    for (const { name, about, text } of group.prompts) {
      const id = await createDatedPrompt(tx, { productId, name, type: 'subprompt', text, at });
      await sql`update prompts set group_id = ${groupId}, rag_description = ${about} where id = ${id}`.execute(tx);
    }
  }
  if (!offer) return;
  const { name, text, documentType } = offer;
  const promptId = await createDatedPrompt(tx, { productId, name, type: 'document', text, at });
  await insertRow(tx, 'document_prompts', { ...common, prompt_id: promptId, document_type: documentType, name });
}
