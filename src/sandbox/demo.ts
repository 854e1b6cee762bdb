/** The demo company: created once, in a sandbox without one, and connected to the emulators. */
import { sql } from 'kysely';
import { addDemoOperator } from '../access/operator.ts';
import { findOrCreateAccount } from '../channels/account.ts';
import type { ChannelVendor } from '../channels/contract.ts';
import { allowOnAccount } from '../channels/ownership.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import { normaliseAddress } from '../leads/address.ts';
import type { ContactType } from '../leads/contract.ts';
import { addCredential } from '../llm/complete.ts';
import { countStoredRuns } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { llmVendors } from '../products/contract.ts';
import { COMPANY, PRODUCTS } from './demoContent.ts';
import { seeToDialogues } from './demoInbox.ts';
import { createDemoLists } from './demoLists.ts';
import { DEMO_LOGIN, DEMO_PASSWORD } from './demoOperator.ts';
import { COMPANY_AGE, createDemoProduct, type ProductRows } from './demoProducts.ts';
import { insertLeads } from './demoRows.ts';
import { insertRow } from './demoTables.ts';
import type { ControlClient } from './emulators/control.ts';
import { keepOutOfExperiment } from './history/experimentRows.ts';
import { insertHistory } from './history/rows.ts';
import { DEMO_KEYS, MODEL_KEYS } from './sandboxKeys.ts';

/** Create the demo unless it exists, with or without the simulated history of its first product. */
export async function seedDemo(context: AppContext, { hasHistory }: { readonly hasHistory: boolean }): Promise<void> {
  await context.transact(async (tx) => {
    await sql`select pg_advisory_xact_lock(7267002)`.execute(tx);
    const { rows } = await sql`select 1 from operators where lower(login) = ${DEMO_LOGIN}`.execute(tx);
    if (rows.length > 0) return;
    await addDemoOperator(tx, { login: DEMO_LOGIN, password: DEMO_PASSWORD, companies: null });
    await createDemoCompany(context, tx, hasHistory);
    // [Without it, counting the history keeps PostgreSQL busy for 26 s instead of less than 17 s after a first start]
    await sql`select analyze_tables()`.execute(tx);
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
  const numbers = COMPANY.channels.filter(({ vendor }) => vendor === 'wazzup24');
  await control.putAccount(DEMO_KEYS.wazzup24, {
    channels: numbers.map(({ ref: channelId, type, number: plainId, name }) => {
      return { channelId, transport: type === 'telegram' ? 'tgapi' : type, plainId, name };
    }),
  });
  // Keeps the sessions as they were set on the sandbox's page.
  if (!(await control.chatpushAccounts()).some(({ token }) => token === DEMO_KEYS.chatpush))
    await control.putChatpush(DEMO_KEYS.chatpush, { customerId: COMPANY.chatpushCustomer });
  const { rows } = await context.pool.query<{ contact: string; type: ContactType; name: string }>(
    'select c.contact, c.contact_type as type, l.name from contacts c join leads l on l.id = c.lead_id order by c.id desc limit 100',
  );
  // Each is a call and a line of the journal, so only phones that the emulators do not know are registered.
  const phoneNames = new Map((await control.phones()).map((one) => [one.address, one.name]));
  for (const { contact, type, name } of rows) {
    const address = normaliseAddress(type, contact);
    if (address !== null && phoneNames.get(address) !== name) await control.putPhone(address, name);
  }
  const { rows: channels } = await context.pool.query<{ id: number }>(
    'select c.id from channels c join vendor_accounts a on a.id = c.account_id where a.key_hash = any($1)',
    [Object.entries(DEMO_KEYS).map(([vendor, key]) => context.cipher.hash(`${vendor} ${key}`))],
  );
  for (const { id } of channels) await registerChannelHook(context, id, true);
}

async function createDemoCompany(context: AppContext, tx: Tx, hasHistory: boolean): Promise<void> {
  const { rows } = await sql<{ now: string; founded: string }>`
    select domain_now() as now, domain_now() - make_interval(days => ${COMPANY_AGE}) as founded`.execute(tx);
  const { now = '', founded = '' } = rows[0] ?? {};
  const companyId = await insertRow(tx, 'companies', { name: COMPANY.name, created_at: founded });
  // Nobody signs in as a colleague: their passwords are random.
  for (const login of COMPANY.colleagues)
    await addDemoOperator(tx, { login, password: ids.secret(), companies: [companyId] });
  for (const vendor of llmVendors) await addCredential(context, tx, { companyId, vendor, apiKey: MODEL_KEYS[vendor] });
  await sql`update company_llms set created_at = ${founded} where company_id = ${companyId}`.execute(tx);
  const channels = await createChannels(context, tx, companyId, founded);
  const products: ProductRows[] = [];
  for (const content of PRODUCTS) {
    const placement = { companyId, channels: channels[content.vendor], now: Date.parse(now) };
    products.push(await createDemoProduct(tx, content, placement));
  }
  const main = products.find(({ content }) => content.isMain);
  // Before the demo's own leads, whose ids are the newest.
  if (main && hasHistory) await insertHistory(tx, main, Date.parse(now));
  const leads = await insertLeads(tx, products, Date.parse(now));
  if (main && hasHistory) await keepOutOfExperiment(tx, main.id);
  if (main) await createDemoLists(tx, { companyId, productId: main.id, now: Date.parse(now) });
  // Skip the other products' past follow-ups, which would be due at once.
  const others = products.filter(({ content }) => !content.isMain).map(({ id }) => id);
  await sql`update dialogues set skip_ping_for_msg_id = last_bot_msg_id
             where last_bot_msg_id is not null and product_id = any(${others}::bigint[])`.execute(tx);
  await countStoredRuns(tx);
  await seeToDialogues(context, tx, { leads, now: Date.parse(now) });
}

async function createChannels(context: AppContext, tx: Tx, companyId: number, founded: string) {
  const channels: Record<ChannelVendor, Record<ContactType, number>> = {
    wazzup24: { whatsapp: 0, telegram: 0 },
    chatpush: { whatsapp: 0, telegram: 0 },
  };
  for (const { vendor, name, number, type, ref } of COMPANY.channels) {
    const accountId = await findOrCreateAccount(context, tx, { vendor, apiKey: DEMO_KEYS[vendor] });
    await allowOnAccount(tx, accountId, companyId);
    await sql`update vendor_accounts set created_at = ${founded} where id = ${accountId}`.execute(tx);
    const places = { account_id: accountId, company_id: companyId, vendor, vendor_ref: ref, channel_type: type };
    const row = { ...places, name, number, is_session_active: true, state: 'active', created_at: founded };
    channels[vendor][type] = await insertRow(tx, 'channels', row);
  }
  return channels;
}
