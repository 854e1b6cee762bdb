/** The demo company: made once, in a sandbox that has none, and connected to the emulators. */
import { sql } from 'kysely';
import { accountOfKey } from '../channels/account.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import { normaliseAddress } from '../leads/address.ts';
import { addCredential } from '../llm/complete.ts';
import { addOperator } from '../operators/operator.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { createPrompt } from '../prompts/prompt.ts';
import { CHANNELS, COMPANY, LEADS, PRODUCTS } from './demoContent.ts';
import { DEMO_LOGIN, DEMO_PASSWORD } from './demoOperator.ts';
import type { ControlClient } from './emulators/control.ts';

/** Keys that the emulators take. */
const WAZZUP_KEY = 'sandbox-wazzup24-key-0001';
const MODEL_KEY = 'sk-sandbox-0001';

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
  const account = (await control.accounts()).find((one) => one.key === WAZZUP_KEY);
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
  await control.putAccount(WAZZUP_KEY, {
    channels: CHANNELS.map((one) => ({
      channelId: one.ref,
      transport: one.transport,
      plainId: one.number,
      name: one.name,
    })),
  });
  const { rows } = await ground.pool.query<{
    id: number;
    contact: string;
    contact_type: 'whatsapp' | 'telegram';
    name: string;
  }>(
    'select c.id, c.contact, c.contact_type, l.name from contacts c join leads l on l.id = c.lead_id order by c.id limit 200',
  );
  for (const one of rows) {
    const address = normaliseAddress(one.contact_type, one.contact);
    if (address !== null) await control.putPhone(address, one.name);
  }
  const { rows: channels } = await ground.pool.query<{ id: number }>(
    'select c.id from channels c join vendor_accounts a on a.id = c.account_id where a.key_hash = $1',
    [ground.seal.hash(`wazzup24 ${WAZZUP_KEY}`)],
  );
  for (const { id } of channels) await registerChannelHook(ground, id, true);
}

async function makeCompany(ground: Ground, tx: Tx): Promise<void> {
  const company = await one(tx, sql`insert into companies (name) values (${COMPANY}) returning id`);
  await addCredential(ground, tx, { companyId: company, vendor: 'chatgpt', apiKey: MODEL_KEY });
  const accountId = await accountOfKey(ground, tx, 'wazzup24', WAZZUP_KEY);
  const channels: number[] = [];
  for (const channel of CHANNELS) {
    channels.push(
      await one(
        tx,
        sql`insert into channels (account_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state)
            values (${accountId}, ${channel.name}, ${channel.number}, 'wazzup24', ${channel.type}, ${channel.ref}, true, 'active') returning id`,
      ),
    );
  }
  const products: number[] = [];
  for (const [index, product] of PRODUCTS.entries()) {
    const id = await one(
      tx,
      sql`insert into products (company_id, name) values (${company}, ${product.name}) returning id`,
    );
    products.push(id);
    await createPrompt(tx, {
      productId: id,
      name: product.promptName,
      type: 'prompt',
      text: product.prompt,
      author: DEMO_LOGIN,
    });
    for (const [at, channel] of channels.entries()) {
      await sql`insert into product_channels (product_id, channel_id, inbound_enabled, delay_messages_symbols_per_second, delay_messages_seconds)
                values (${id}, ${channel}, ${index === 0}, ${index === 0 ? null : 20}, ${index === 0 ? null : at + 1})`.execute(
        tx,
      );
    }
  }
  for (const lead of LEADS) await makeLead(tx, lead, products, channels);
}

async function makeLead(
  tx: Tx,
  lead: (typeof LEADS)[number],
  products: readonly number[],
  channels: readonly number[],
): Promise<void> {
  const product = products[lead.product];
  if (product === undefined) throw new Error(`No product ${lead.product}`);
  const active = lead.active ?? true;
  const leadId = await one(
    tx,
    sql`insert into leads (product_id, name, stage, timezone, crm_fields, is_active, recognized_deactivation_request, created_at)
        values (${product}, ${lead.name}, ${lead.stage}, ${lead.timezone}, ${JSON.stringify(lead.fields ?? {})}, ${active}, ${lead.optOut ?? false},
                domain_now() - make_interval(hours => ${lead.hoursAgo})) returning id`,
  );
  const address = normaliseAddress(lead.messenger, lead.contact);
  if (address === null) throw new Error(`${lead.contact} is no ${lead.messenger} address`);
  const contactId = await one(
    tx,
    sql`insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
        values (${leadId}, ${product}, ${lead.contact}, ${lead.messenger}, ${address}, true) returning id`,
  );
  const said = lead.said ?? [];
  if (said.length === 0) return;
  const channel = channels[lead.messenger === 'whatsapp' ? 0 : 1];
  const dialogueId = await one(
    tx,
    sql`insert into dialogues (product_id, contact_id, channel_id, chat_id, address, owner, owner_reason, owner_since, created_at)
        values (${product}, ${contactId}, ${channel}, ${lead.messenger === 'whatsapp' ? address : null}, ${address}, ${lead.human ? 'human' : 'bot'}, ${lead.human ?? null},
                ${lead.human ? sql`domain_now() - interval '1 hour'` : null}, domain_now() - make_interval(hours => ${lead.hoursAgo})) returning id`,
  );
  for (const [index, [who, text]] of said.entries()) {
    // The last word fell at `hoursAgo`; each earlier one some minutes before it.
    const minutes = lead.hoursAgo * 60 + (said.length - 1 - index) * 7;
    const side = who === 'lead' ? 'user' : 'bot';
    const id = await one(
      tx,
      sql`insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, thread_at, created_at, sent_at,
                                sent_confirmation_at, read_at, ext_id, prompt_name, prompt_version, model_vendor, model_name)
          select ${product}, ${contactId}, ${dialogueId}, ${channel}, ${text}, ${side}, ${who}, ${who === 'operator' ? DEMO_LOGIN : null},
                 ${side === 'user' ? 'inbound' : 'read'}, at, at, at, case when ${side}::text = 'bot' then at + interval '2 seconds' end,
                 case when ${side}::text = 'bot' then at + interval '40 seconds' end, gen_random_uuid()::text,
                 ${who === 'bot' ? PRODUCTS[lead.product]?.promptName : null}, ${who === 'bot' ? 1 : null}::int,
                 ${who === 'bot' ? 'chatgpt' : null}, ${who === 'bot' ? 'gpt-4o-mini' : null}
            from (select domain_now() - make_interval(mins => ${minutes}) as at) as moment returning id`,
    );
    if (side === 'user') {
      await sql`update dialogues set last_user_msg_id = ${id}, last_user_msg_at = (select thread_at from messages where id = ${id}), turn = turn + 1 where id = ${dialogueId}`.execute(
        tx,
      );
    } else {
      await sql`update dialogues set last_bot_msg_id = ${id} where id = ${dialogueId}`.execute(tx);
    }
    await sql`update dialogues set last_msg_created_at = (select thread_at from messages where id = ${id}), last_message = left(${text}, 140) where id = ${dialogueId}`.execute(
      tx,
    );
  }
}

async function one(tx: Tx, statement: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await (statement as ReturnType<typeof sql<{ id: number }>>).execute(tx);
  const [row] = rows;
  if (!row) throw new Error('No row');
  return row.id;
}
