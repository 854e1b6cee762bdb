/** The demo company: made once, in a sandbox that has none, and connected to the emulators. */
import { sql } from 'kysely';
import { accountOfKey } from '../channels/account.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import type { LinkDelay } from '../dialogues/message.ts';
import { normaliseAddress } from '../leads/address.ts';
import { addCredential } from '../llm/complete.ts';
import { countStoredRuns } from '../llm/runs.ts';
import { addOperator } from '../operators/operator.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { llmVendors } from '../products/contract.ts';
import type { PromptType } from '../prompts/contract.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { CHANNELS, CHATPUSH_CUSTOMER, COMPANY, type DemoProduct, PRODUCTS } from './demoContent.ts';
import { DEMO_LOGIN, DEMO_PASSWORD } from './demoOperator.ts';
import { leaveThePastAlone, makeHours, makeOutreach } from './demoOutreach.ts';
import { type DemoProductRow, insertLeads } from './demoRows.ts';
import type { ControlClient } from './emulators/control.ts';
import { DEMO_KEYS, MODEL_KEYS, offerFreeAccounts } from './sandboxKeys.ts';

/** Makes the demo unless it is there, and has the emulators send their hooks here. */
export async function seedDemo(ground: Ground): Promise<void> {
  await ground.transact(async (tx) => {
    await sql`select pg_advisory_xact_lock(7267002)`.execute(tx);
    const { rows } = await sql`select 1 from operators where lower(login) = ${DEMO_LOGIN}`.execute(tx);
    if (rows.length > 0) return;
    await addOperator(tx, { login: DEMO_LOGIN, password: DEMO_PASSWORD, companies: null });
    await makeCompany(ground, tx);
  });
}

/** Whether another living server takes the account's hooks already. */
async function isServedElsewhere(ground: Ground, control: ControlClient): Promise<boolean> {
  const account = (await control.accounts()).find((one) => one.key === DEMO_KEYS.wazzup24);
  if (!account?.webhooksUri) return false;
  const { origin } = new URL(account.webhooksUri);
  if (origin === ground.config.publicUrl) return false;
  return ground.outbound.request(`${origin}/healthz`, { method: 'GET', timeoutMs: 1000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Tells the emulators of the demo's account and has them send hooks here, unless another server of it lives. */
export async function connectDemo(ground: Ground, control: ControlClient): Promise<void> {
  if (await isServedElsewhere(ground, control)) return;
  await control.putAccount(DEMO_KEYS.wazzup24, {
    channels: CHANNELS.filter(({ vendor }) => vendor === 'wazzup24').map((one) => ({
      channelId: one.ref,
      transport: one.transport,
      plainId: one.number,
      name: one.name,
    })),
  });
  const bare = { customerId: CHATPUSH_CUSTOMER };
  // How its sessions stand is left as somebody made it on the sandbox's page.
  if (!(await control.chatpushAccounts()).some(({ token }) => token === DEMO_KEYS.chatpush))
    await control.putChatpush(DEMO_KEYS.chatpush, bare);
  await offerFreeAccounts(control);
  const { rows } = await ground.pool.query<{
    id: number;
    contact: string;
    contact_type: 'whatsapp' | 'telegram';
    name: string;
  }>(
    'select c.id, c.contact, c.contact_type, l.name from contacts c join leads l on l.id = c.lead_id order by c.id limit 200',
  );
  // Each is a call and a line of the journal: only those that the emulators do not know yet.
  const known = new Map((await control.phones()).map((one) => [one.address, one.name]));
  for (const one of rows) {
    const address = normaliseAddress(one.contact_type, one.contact);
    if (address !== null && known.get(address) !== one.name) await control.putPhone(address, one.name);
  }
  const { rows: channels } = await ground.pool.query<{ id: number }>(
    'select c.id from channels c join vendor_accounts a on a.id = c.account_id where a.key_hash = any($1)',
    [Object.entries(DEMO_KEYS).map(([vendor, key]) => ground.seal.hash(`${vendor} ${key}`))],
  );
  for (const { id } of channels) await registerChannelHook(ground, id, true);
}

/** The company is older than all that was said in its name. */
const FOUNDED = sql`domain_now() - interval '60 days'`;

async function makeCompany(ground: Ground, tx: Tx): Promise<void> {
  const company = await one(
    tx,
    sql`insert into companies (name, created_at) values (${COMPANY}, ${FOUNDED}) returning id`,
  );
  for (const vendor of llmVendors)
    await addCredential(ground, tx, { companyId: company, vendor, apiKey: MODEL_KEYS[vendor] });
  const accounts = {
    wazzup24: await accountOfKey(ground, tx, 'wazzup24', DEMO_KEYS.wazzup24),
    chatpush: await accountOfKey(ground, tx, 'chatpush', DEMO_KEYS.chatpush),
  };
  const channels = { wazzup24: { whatsapp: 0, telegram: 0 }, chatpush: { whatsapp: 0, telegram: 0 } };
  for (const { vendor, name, number, type, ref } of CHANNELS) {
    channels[vendor][type] = await one(
      tx,
      sql`insert into channels (account_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state, created_at)
          values (${accounts[vendor]}, ${name}, ${number}, ${vendor}, ${type}, ${ref}, true, 'active', ${FOUNDED}) returning id`,
    );
  }
  const products: DemoProductRow[] = [];
  for (const product of PRODUCTS)
    products.push(
      await makeProduct(tx, company, product, channels[product.vendor ?? 'wazzup24'], products.length === 0),
    );
  await sql`update company_llms set created_at = ${FOUNDED} where company_id = ${company}`.execute(tx);
  await sql`update vendor_accounts set created_at = ${FOUNDED} where id = any(${Object.values(accounts)}::bigint[])`.execute(
    tx,
  );
  const { rows } = await sql<{ now: string }>`select domain_now() as now`.execute(tx);
  await insertLeads(tx, products, Date.parse(rows[0]?.now ?? ''));
  const [, wardrobes, offices] = products;
  for (const product of [wardrobes, offices]) if (product) await makeHours(tx, product.id);
  if (wardrobes) await makeOutreach(tx, wardrobes.id);
  await leaveThePastAlone(tx);
  await countStoredRuns(tx);
}

/** The first product of a vendor's channels takes what strangers write; the very first answers without delay, the others type like people. */
async function makeProduct(
  tx: Tx,
  company: number,
  product: DemoProduct,
  channels: DemoProductRow['channels'],
  first: boolean,
): Promise<DemoProductRow> {
  const id = await one(
    tx,
    sql`insert into products (company_id, name, created_at) values (${company}, ${product.name}, ${FOUNDED}) returning id`,
  );
  const prompt = { name: product.promptName, text: product.prompt };
  const promptId = await makePrompt(tx, id, { ...prompt, type: 'prompt' });
  for (const one of product.judging?.prompts ?? []) {
    const judge = await makePrompt(tx, id, one);
    // Made now: what was said before is left alone.
    if (one.type === 'classification')
      await sql`insert into classification_configs (product_id, config)
                values (${id}, ${JSON.stringify({ interval_minutes: product.judging?.minutes, prompt_id: judge })}::jsonb)`.execute(
        tx,
      );
  }
  const delayOf = (seconds: number): LinkDelay => ({
    delay_messages_symbols_per_second: first ? null : 20,
    delay_messages_seconds: first ? null : seconds,
  });
  const delay = { whatsapp: delayOf(1), telegram: delayOf(2) };
  for (const messenger of ['whatsapp', 'telegram'] as const) {
    const { delay_messages_symbols_per_second: speed, delay_messages_seconds: seconds } = delay[messenger];
    await sql`insert into product_channels (product_id, channel_id, inbound_enabled, delay_messages_symbols_per_second, delay_messages_seconds)
              values (${id}, ${channels[messenger]}, ${first || product.vendor !== undefined}, ${speed}, ${seconds})`.execute(
      tx,
    );
  }
  return { id, name: product.name, prompt: { ...prompt, id: promptId }, channels, delay, leads: product.leads };
}

async function makePrompt(
  tx: Tx,
  productId: number,
  prompt: { name: string; type: PromptType; text: string },
): Promise<number> {
  const id = await createPrompt(tx, { ...prompt, productId, author: DEMO_LOGIN });
  await sql`update prompts set created_at = ${FOUNDED}, saved_at = ${FOUNDED} where id = ${id}`.execute(tx);
  await sql`update prompt_versions set created_at = ${FOUNDED} where prompt_id = ${id}`.execute(tx);
  return id;
}

async function one(tx: Tx, statement: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await (statement as ReturnType<typeof sql<{ id: number }>>).execute(tx);
  const [row] = rows;
  if (!row) throw new Error('No row');
  return row.id;
}
