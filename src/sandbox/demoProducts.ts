/** Creates the demo's products with their prompts, hours, channels and outreach. */
import { sql } from 'kysely';
import type { ContactType } from '../leads/contract.ts';
import type { SequenceStep } from '../outreach/sequence.ts';
import type { Tx } from '../platform/db.ts';
import { DEFAULT_PRODUCT_CONFIG, messagingConfig } from '../products/contract.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { COMPANY, type DemoProduct, type Outreach } from './demoContent.ts';
import type { Instant } from './demoLeads/timeline.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { insertRow, insertRows, iso } from './demoTables.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Age of the company, in days: it is older than all of its messages. */
export const COMPANY_AGE = 200;
const OUTREACH_AGE = 190;

/** A demo product with its rows. */
export type ProductRows = Awaited<ReturnType<typeof createDemoProduct>>;

interface Placement {
  readonly companyId: number;
  readonly channels: Readonly<Record<ContactType, number>>;
  readonly now: Instant;
}

/** What a lead gets when the bot hands the dialogue over. */
export const HAND_OVER_TEXT = 'One moment please, a colleague will answer you here.';

export async function createDemoProduct(tx: Tx, content: DemoProduct, { companyId, channels, now }: Placement) {
  const { isMain, name } = content;
  const founded = iso(now - COMPANY_AGE * DAY_MS);
  const common = { company_id: companyId, created_at: founded };
  const id = await insertRow(tx, 'products', {
    ...common,
    name,
    reply_hours: isMain ? 'any' : 'working',
    hand_over_text: HAND_OVER_TEXT,
    timezone: COMPANY.timezone,
  });
  const seeding = { tx, productId: id, content, now, founded };
  const prompt = await createPromptVersions(seeding);
  const classificationId = await createClassification(seeding);
  const links = (['whatsapp', 'telegram'] as const).map((messenger, index) => ({
    ...common,
    product_id: id,
    channel_id: channels[messenger],
    inbound_enabled: isMain || content.vendor === 'chatpush',
    delay_messages_symbols_per_second: isMain ? null : 20,
    delay_messages_seconds: isMain ? null : 1 + index,
  }));
  await insertRows(tx, 'product_channels', links);
  await insertRow(tx, 'schedules', { product_id: id, timezone: COMPANY.timezone, config: { days: content.days } });
  const outreach = content.outreach ? await createOutreach(seeding, content.outreach) : null;
  await createLookupPrompts(seeding);
  // Of the others nothing was sent automatically.
  return { id, content, prompt, classificationId, outreach: isMain ? outreach : null, channels };
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

type DatedPrompt = Omit<Parameters<typeof createPrompt>[1], 'author'> & { readonly at: string };

async function createDatedPrompt(tx: Tx, { at, ...prompt }: DatedPrompt): Promise<number> {
  const id = await createPrompt(tx, { ...prompt, author: DEMO_LOGIN });
  await sql`update prompts set created_at = ${at}, saved_at = ${at}, live_since = ${at} where id = ${id}`.execute(tx);
  await sql`update prompt_versions set created_at = ${at} where prompt_id = ${id}`.execute(tx);
  await sql`update prompt_publications set created_at = ${at} where prompt_id = ${id}`.execute(tx);
  return id;
}

/** Create the chatbot's prompt with all its versions, each saved by its author at its time. */
async function createPromptVersions({ tx, productId, now, founded: at, content }: Seeding) {
  const name = content.promptName;
  const id = await createDatedPrompt(tx, { productId, name, type: 'prompt', text: '', at });
  const versions = content.versions.map(({ author, daysAgo, text }, index) => {
    return { version: index + 1, since: now - daysAgo * DAY_MS, author, text };
  });
  await sql`delete from prompt_versions where prompt_id = ${id}`.execute(tx);
  let before: number | null = null;
  for (const { version, since, author, text } of versions) {
    const saved = iso(since);
    const common = { prompt_id: id, version, author, created_at: saved };
    await insertRows(tx, 'prompt_versions', [{ ...common, text }]);
    const previous = version === 1 ? {} : { previous_version: version - 1, returns_to: before };
    before = await insertRow(tx, 'prompt_publications', { ...common, kind: 'saved', ...previous });
    await sql`
      update prompts set text = ${text}, version = ${version}, author = ${author}, saved_at = ${saved},
             live_text = ${text}, live_version = ${version}, live_since = ${saved} where id = ${id}`.execute(tx);
  }
  return { id, name, versions };
}

/** Create the classification as of now, so that earlier messages are not classified. Returns its configuration. */
async function createClassification({ tx, productId, founded: at, content }: Seeding): Promise<number | null> {
  if (!content.classification) return null;
  const { minutes, prompts } = content.classification;
  let promptId: number | undefined;
  for (const prompt of prompts) {
    const id = await createDatedPrompt(tx, { ...prompt, productId, at });
    if (prompt.type === 'classification') promptId = id;
  }
  const config = { interval_minutes: minutes, prompt_id: promptId };
  return insertRow(tx, 'classification_configs', { product_id: productId, config });
}

/** Create the limits, the first message and the follow-ups of a product. */
async function createOutreach({ tx, productId, now }: Seeding, outreach: Outreach) {
  const at = iso(now - OUTREACH_AGE * DAY_MS);
  const prepare = (type: 'initial' | 'ping', name: string, message: string) =>
    insertRow(tx, 'prepared_messages', { product_id: productId, name, type, message, created_at: at });
  const firstId = await prepare('initial', outreach.first.name, outreach.first.text);
  const formerId = outreach.former ? await prepare('initial', outreach.former.name, outreach.former.text) : null;
  const spareId = outreach.spare ? await prepare('initial', outreach.spare.name, outreach.spare.text) : null;
  const messaging = { ...outreach.messaging, initial_message_prepared_message_id: firstId };
  const config = {
    ...DEFAULT_PRODUCT_CONFIG,
    lead_expires_in_hours: outreach.expiresHours,
    messaging_config: messagingConfig.parse(messaging),
  };
  await sql`update products set config = ${JSON.stringify(config)}::jsonb where id = ${productId}`.execute(tx);
  const steps: SequenceStep[] = [];
  for (const [index, { afterMinutes, name, prompt, text }] of outreach.followUps.entries()) {
    steps.push({
      step_number: index + 1,
      after_minutes: afterMinutes,
      document_type: null,
      prepared_message_id: name ? await prepare('ping', name, text) : null,
      prompt_id: prompt ? await createDatedPrompt(tx, { productId, name: prompt, type: 'ping', text, at }) : null,
    });
  }
  const sequence = { steps, use_on_no_init_msg_reply: true };
  const configId = await insertRow(tx, 'ping_configs', { product_id: productId, is_enabled: true, config: sequence });
  return { firstId, formerId, spareId, configId, steps };
}

/** Create the prompts that the model looks up, in a group, and the prompt of a document that it writes. */
async function createLookupPrompts({ tx, productId, content, founded: at }: Seeding): Promise<void> {
  const { lookupPrompts: group, offerPrompt: offer } = content;
  const common = { product_id: productId, created_at: at };
  if (group) {
    const { name, description, prompts } = group;
    const groupId = await insertRow(tx, 'prompt_groups', { ...common, name, description });
    for (const { about, ...prompt } of prompts) {
      const id = await createDatedPrompt(tx, { ...prompt, productId, type: 'subprompt', at });
      await sql`update prompts set group_id = ${groupId}, rag_description = ${about} where id = ${id}`.execute(tx);
    }
  }
  if (!offer) return;
  const { name, text, documentType } = offer;
  const promptId = await createDatedPrompt(tx, { productId, name, type: 'document', text, at });
  await insertRow(tx, 'document_prompts', { ...common, prompt_id: promptId, document_type: documentType, name });
}
