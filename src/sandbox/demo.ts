/** The demo company: created once, in a sandbox without one, and connected to the emulators. */
import { sql } from 'kysely';
import { addDemoOperator } from '../access/operator.ts';
import { findOrCreateAccount } from '../channels/account.ts';
import { allowOnAccount } from '../channels/ownership.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import type { ChannelDelay } from '../conversations/message.ts';
import { normaliseAddress } from '../leads/address.ts';
import { addCredential } from '../llm/complete.ts';
import { countStoredRuns } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { llmVendors } from '../products/contract.ts';
import type { PromptType } from '../prompts/contract.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { CHANNELS, CHATPUSH_CUSTOMER, COMPANY, type DemoProduct, PRODUCTS, sendingHoursOf } from './demoContent.ts';
import type { DemoProductRow } from './demoMessages.ts';
import { DEMO_LOGIN, DEMO_PASSWORD } from './demoOperator.ts';
import { createOutreach, createSchedule, idOf, skipPastFollowUps } from './demoOutreach.ts';
import { insertLeads } from './demoRows.ts';
import type { ControlClient } from './emulators/control.ts';
import { DEMO_KEYS, MODEL_KEYS, registerFreeAccounts } from './sandboxKeys.ts';

/** Create the demo unless it exists, and register its hooks with the emulators. */
export async function seedDemo(context: AppContext): Promise<void> {
  await context.transact(async (tx) => {
    await sql`select pg_advisory_xact_lock(7267002)`.execute(tx);
    const { rows } = await sql`select 1 from operators where lower(login) = ${DEMO_LOGIN}`.execute(tx);
    if (rows.length > 0) return;
    await addDemoOperator(tx, { login: DEMO_LOGIN, password: DEMO_PASSWORD, companies: null });
    await createDemoCompany(context, tx);
  });
}

/** Return whether another running server already receives the account's hooks. */
async function isServedElsewhere(context: AppContext, control: ControlClient): Promise<boolean> {
  const account = (await control.accounts()).find((one) => one.key === DEMO_KEYS.wazzup24);
  if (!account?.webhooksUri) return false;
  const { origin } = new URL(account.webhooksUri);
  if (origin === context.config.publicUrl) return false;
  return context.outbound.request(`${origin}/healthz`, { method: 'GET', timeoutMs: 1000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Register the demo's account with the emulators and its hooks here, unless another running server receives them. */
export async function connectDemo(context: AppContext, control: ControlClient): Promise<void> {
  if (await isServedElsewhere(context, control)) return;
  await control.putAccount(DEMO_KEYS.wazzup24, {
    channels: CHANNELS.filter(({ vendor }) => vendor === 'wazzup24').map((one) => ({
      channelId: one.ref,
      transport: one.transport,
      plainId: one.number,
      name: one.name,
    })),
  });
  const bare = { customerId: CHATPUSH_CUSTOMER };
  // Keeps the sessions as they were set on the sandbox's page.
  if (!(await control.chatpushAccounts()).some(({ token }) => token === DEMO_KEYS.chatpush))
    await control.putChatpush(DEMO_KEYS.chatpush, bare);
  await registerFreeAccounts(control);
  const { rows } = await context.pool.query<{
    id: number;
    contact: string;
    contact_type: 'whatsapp' | 'telegram';
    name: string;
  }>(
    'select c.id, c.contact, c.contact_type, l.name from contacts c join leads l on l.id = c.lead_id order by c.id limit 200',
  );
  // Each is a call and a line of the journal, so only phones that the emulators do not know are registered.
  const phoneNames = new Map((await control.phones()).map((one) => [one.address, one.name]));
  for (const one of rows) {
    const address = normaliseAddress(one.contact_type, one.contact);
    if (address !== null && phoneNames.get(address) !== one.name) await control.putPhone(address, one.name);
  }
  const { rows: channels } = await context.pool.query<{ id: number }>(
    'select c.id from channels c join vendor_accounts a on a.id = c.account_id where a.key_hash = any($1)',
    [Object.entries(DEMO_KEYS).map(([vendor, key]) => context.cipher.hash(`${vendor} ${key}`))],
  );
  for (const { id } of channels) await registerChannelHook(context, id, true);
}

/** The company is older than all of its messages. */
const FOUNDED = sql`domain_now() - interval '90 days'`;

/** Operators who write prompts and take dialogues over beside the demo operator. Their passwords are random. */
const COLLEAGUES = ['nora', 'felix'];

async function createDemoCompany(context: AppContext, tx: Tx): Promise<void> {
  const company = await idOf(
    tx,
    sql`insert into companies (name, created_at) values (${COMPANY}, ${FOUNDED}) returning id`,
  );
  for (const login of COLLEAGUES) await addDemoOperator(tx, { login, password: ids.secret(), companies: [company] });
  for (const vendor of llmVendors)
    await addCredential(context, tx, { companyId: company, vendor, apiKey: MODEL_KEYS[vendor] });
  const accounts = {
    wazzup24: await findOrCreateAccount(context, tx, 'wazzup24', DEMO_KEYS.wazzup24),
    chatpush: await findOrCreateAccount(context, tx, 'chatpush', DEMO_KEYS.chatpush),
  };
  for (const account of Object.values(accounts)) await allowOnAccount(tx, account, company);
  const channels = { wazzup24: { whatsapp: 0, telegram: 0 }, chatpush: { whatsapp: 0, telegram: 0 } };
  for (const { vendor, name, number, type, ref } of CHANNELS) {
    channels[vendor][type] = await idOf(
      tx,
      sql`insert into channels (account_id, company_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state, created_at)
          values (${accounts[vendor]}, ${company}, ${name}, ${number}, ${vendor}, ${type}, ${ref}, true, 'active', ${FOUNDED}) returning id`,
    );
  }
  const { rows } = await sql<{ now: string }>`select domain_now() as now`.execute(tx);
  const now = Date.parse(rows[0]?.now ?? '');
  const products: DemoProductRow[] = [];
  for (const product of PRODUCTS) {
    const placement = { company, channels: channels[product.vendor ?? 'wazzup24'], first: products.length === 0, now };
    products.push(await createDemoProduct(tx, product, placement));
  }
  await sql`update company_llms set created_at = ${FOUNDED} where company_id = ${company}`.execute(tx);
  await sql`update vendor_accounts set created_at = ${FOUNDED} where id = any(${Object.values(accounts)}::bigint[])`.execute(
    tx,
  );
  await insertLeads(tx, products, now);
  // Skips the other products' past follow-ups, which would be due at once.
  await skipPastFollowUps(
    tx,
    products.slice(1).map((one) => one.id),
  );
  await countStoredRuns(tx);
}

interface ProductPlacement {
  readonly company: number;
  readonly channels: DemoProductRow['channels'];
  /**
   * Whether this is the first product. It receives messages of unknown senders and answers at any hour and without
   * delay; the others keep hours and type as fast as people.
   */
  readonly first: boolean;
  readonly now: number;
}

async function createDemoProduct(
  tx: Tx,
  product: DemoProduct,
  { company, channels, first, now }: ProductPlacement,
): Promise<DemoProductRow> {
  const { hours } = product;
  const id = await idOf(
    tx,
    sql`insert into products (company_id, name, reply_hours, created_at)
        values (${company}, ${product.name}, ${first ? 'any' : 'working'}, ${FOUNDED}) returning id`,
  );
  const prompt = await createPromptVersions(tx, id, product, now);
  const judges = new Map<PromptType, { id: number; name: string }>();
  for (const { name, type, text } of product.classification?.prompts ?? [])
    judges.set(type, { id: await createDatedPrompt(tx, id, { name, type, text }), name });
  const classification = judges.get('classification');
  // Created now, so that earlier messages are not classified.
  const classificationId = classification
    ? await idOf(
        tx,
        sql`insert into classification_configs (product_id, config)
            values (${id}, ${JSON.stringify({ interval_minutes: product.classification?.minutes, prompt_id: classification.id })}::jsonb) returning id`,
      )
    : null;
  const delayOf = (seconds: number): ChannelDelay => ({
    delay_messages_symbols_per_second: first ? null : 20,
    delay_messages_seconds: first ? null : seconds,
  });
  const delay = { whatsapp: delayOf(1), telegram: delayOf(2) };
  for (const messenger of ['whatsapp', 'telegram'] as const) {
    const { delay_messages_symbols_per_second: speed, delay_messages_seconds: seconds } = delay[messenger];
    await sql`insert into product_channels (product_id, company_id, channel_id, inbound_enabled, delay_messages_symbols_per_second, delay_messages_seconds, created_at)
              values (${id}, ${company}, ${channels[messenger]}, ${first || product.vendor !== undefined}, ${speed}, ${seconds}, ${FOUNDED})`.execute(
      tx,
    );
  }
  await createSchedule(tx, id, hours);
  const outreach = product.outreach ? await createOutreach(tx, id, product.outreach) : null;
  if (product.lookupPrompts) await createLookupPrompts(tx, id, product.lookupPrompts);
  if (product.offerPrompt) await createOfferPrompt(tx, id, product.offerPrompt);
  return {
    id,
    name: product.name,
    prompt,
    judging: classificationId === null ? null : { configId: classificationId, judges },
    outreach: first ? outreach : null,
    channels,
    delay,
    hours: sendingHoursOf(product),
    leads: product.leads,
  };
}

/** Create the chatbot's prompt with all its versions, each saved by its author at its time. */
async function createPromptVersions(
  tx: Tx,
  productId: number,
  { promptName: name, prompt: text, versions }: DemoProduct,
  now: number,
): Promise<DemoProductRow['prompt']> {
  const all = versions ?? [{ author: DEMO_LOGIN, daysAgo: 90, text }];
  const id = await createDatedPrompt(tx, productId, { name, type: 'prompt', text: all[0]?.text ?? text });
  const savedVersions = [];
  for (const [index, { author, daysAgo, text }] of all.entries()) {
    const since = now - daysAgo * 24 * 3600 * 1000;
    const at = new Date(since).toISOString();
    const version = index + 1;
    await sql`insert into prompt_versions (prompt_id, version, text, author, created_at)
              values (${id}, ${version}, ${text}, ${author}, ${at})
              on conflict (prompt_id, version) do update set created_at = excluded.created_at`.execute(tx);
    await sql`update prompts set text = ${text}, version = ${version}, author = ${author}, saved_at = ${at} where id = ${id}`.execute(
      tx,
    );
    savedVersions.push({ version, since, text });
  }
  return { id, name, versions: savedVersions };
}

async function createDatedPrompt(
  tx: Tx,
  productId: number,
  prompt: { name: string; type: PromptType; text: string },
): Promise<number> {
  const id = await createPrompt(tx, { ...prompt, productId, author: DEMO_LOGIN });
  await sql`update prompts set created_at = ${FOUNDED}, saved_at = ${FOUNDED} where id = ${id}`.execute(tx);
  await sql`update prompt_versions set created_at = ${FOUNDED} where prompt_id = ${id}`.execute(tx);
  return id;
}

/** Create prompts that the model looks up, in a group. */
async function createLookupPrompts(
  tx: Tx,
  productId: number,
  group: NonNullable<DemoProduct['lookupPrompts']>,
): Promise<void> {
  const groupId = await idOf(
    tx,
    sql`insert into prompt_groups (product_id, name, description, created_at)
        values (${productId}, ${group.name}, ${group.description}, ${FOUNDED}) returning id`,
  );
  for (const { name, about, text } of group.prompts) {
    const id = await createDatedPrompt(tx, productId, { name, type: 'subprompt', text });
    await sql`update prompts set group_id = ${groupId}, rag_description = ${about} where id = ${id}`.execute(tx);
  }
}

/** Create the prompt of a document that a model writes for a lead. */
async function createOfferPrompt(
  tx: Tx,
  productId: number,
  offerPrompt: NonNullable<DemoProduct['offerPrompt']>,
): Promise<void> {
  const promptId = await createDatedPrompt(tx, productId, {
    name: offerPrompt.name,
    type: 'document',
    text: offerPrompt.text,
  });
  await sql`insert into document_prompts (product_id, prompt_id, document_type, name, created_at)
            values (${productId}, ${promptId}, ${offerPrompt.documentType}, ${offerPrompt.name}, ${FOUNDED})`.execute(
    tx,
  );
}
