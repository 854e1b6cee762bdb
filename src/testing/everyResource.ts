/** Creates a company with one row of every resource, and fingerprints all tables. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { ids } from '../platform/ids.ts';

export type CompanyRowIds = Readonly<Record<string, number>>;

/** Create the company `name`, with `name` in every text of its rows. Returns the id of each resource's row. */
export async function createCompanyWithEveryResource(pool: pg.Pool, name: string): Promise<CompanyRowIds> {
  const insert = async (text: string, ...values: unknown[]): Promise<number> => {
    const { rows } = await pool.query<{ id: string }>(`insert into ${text} returning id`, values);
    return Number(rows[0]?.id);
  };
  const company = await insert('companies (name) values ($1)', name);
  const product = await insert('products (company_id, name) values ($1, $2)', company, `${name} product`);
  const prompt = await insert(
    "prompts (product_id, name, type, text) values ($1, $2, 'prompt', $2)",
    product,
    `${name} prompt`,
  );
  // One account, shared by all companies created here.
  await pool.query(
    'insert into vendor_account_companies (account_id, company_id) select id, $1 from vendor_accounts order by id limit 1',
    [company],
  );
  const channel = await insert(
    `channels (account_id, company_id, name, vendor, channel_type, vendor_ref)
       select id, $1, $2, vendor, 'whatsapp', $3 from vendor_accounts order by id limit 1`,
    company,
    `${name} channel`,
    ids.next(),
  );
  await pool.query('insert into product_channels (product_id, company_id, channel_id) values ($1, $2, $3)', [
    product,
    company,
    channel,
  ]);
  const lead = await insert(
    "leads (product_id, name, crm_fields) values ($1, $2, jsonb_build_object('note', $2::text))",
    product,
    `${name} lead`,
  );
  const event = await insert(
    "lead_events (lead_id, product_id, event_type, event_data) values ($1, $2, 'activated', jsonb_build_object('by', $3::text))",
    lead,
    product,
    name,
  );
  const address = `7${String(9_000_000_000 + company)}`;
  const contact = await insert(
    "contacts (lead_id, product_id, contact, contact_type, address, is_main) values ($1, $2, $3, 'whatsapp', $4, true)",
    lead,
    product,
    `${name} ${address}`,
    address,
  );
  const dialogue = await insert(
    `dialogues (product_id, contact_id, channel_id, chat_id, address, no_answer, no_answer_detail)
       values ($1, $2, $3, $4, $4, 'model', $5)`,
    product,
    contact,
    channel,
    address,
    name,
  );
  const message = await insert(
    `messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, sent_at)
       values ($1, $2, $3, $4, $5, 'bot', 'bot', 'unconfirmed', domain_now())`,
    product,
    contact,
    dialogue,
    channel,
    `${name} message`,
  );
  const run = await insert(
    `llm_runs (product_id, dialogue_id, message_id, purpose, name, model_vendor, model_name, execution_ms)
       values ($1, $2, $3, 'chatbot', $4, 'chatgpt', 'gpt-4o-mini', 5)`,
    product,
    dialogue,
    message,
    `${name} run`,
  );
  const insertForProduct = (text: string, ...values: unknown[]) => insert(text, product, ...values);
  const group = await insertForProduct('prompt_groups (product_id, name) values ($1, $2)', `${name} group`);
  const prepared = await insertForProduct(
    "prepared_messages (product_id, name, type, message) values ($1, $2, 'initial', $2)",
    `${name} prepared`,
  );
  const documentPrompt = await insertForProduct(
    "document_prompts (product_id, prompt_id, document_type, name) values ($1, $2, 'offer', $3)",
    prompt,
    `${name} offer`,
  );
  const document = await insertForProduct(
    "lead_documents (product_id, lead_id, name, type) values ($1, $2, $3, 'offer')",
    lead,
    `${name} document`,
  );
  const integration = await insert('crm_integrations (company_id, name) values ($1, $2)', company, `${name} CRM`);
  const credential = await insert(
    "company_llms (company_id, vendor, api_key_sealed, is_active) values ($1, 'gemini', $2, false)",
    company,
    `${name} sealed`,
  );
  // Settings that exist once per product belong to a second product, so that tests can still create them for the first.
  const configuredProduct = await insert('products (company_id, name) values ($1, $2)', company, `${name} settled`);
  const productIntegration = await insert(
    `product_integrations (product_id, crm_integration_id, company_id, config) values ($1, $2, $3,
       '{"import_enabled": true, "tg_contact_custom_field_name": "telegram",
         "whatsapp_contact_custom_field_name": "whatsapp", "pipelines": []}')`,
    configuredProduct,
    integration,
    company,
  );
  const classification = await insert(
    `classification_configs (product_id, config)
       values ($1, jsonb_build_object('interval_minutes', 5, 'prompt_id', $2::bigint))`,
    product,
    prompt,
  );
  const result = await insertForProduct(
    `classification_results (product_id, dialogue_id, config_id, result)
       values ($1, $2, $3, jsonb_build_object('stage', 'ongoing', 'reason', $4::text))`,
    dialogue,
    classification,
    `${name} reason`,
  );
  const ping = await insert(
    `ping_configs (product_id, config) values ($1, '{"steps": [], "use_on_no_init_msg_reply": true}')`,
    configuredProduct,
  );
  const hours = await insert(
    `schedules (product_id, timezone, config) values ($1, 'UTC', '{"days": {}}')`,
    configuredProduct,
  );
  const operator = await insert(
    "operators (login, password_hash, role) values ($1, 'none', 'member')",
    `${name} operator ${ids.next()}`,
  );
  await pool.query('insert into operator_companies (operator_id, company_id) values ($1, $2)', [operator, company]);
  const entry = await insert(
    "audit (operator, action, noun, row_id, company_id, after) values ($1, 'changed', 'company', $2, $2, jsonb_build_object('name', $1::text))",
    name,
    company,
  );
  const { rows: jobs } = await pool.query<{ id: string }>(
    "select (graphile_worker.add_job('deliver', '{\"dialogue\": 0}', run_at := now() + interval '1 day')).id",
  );
  const others = {
    operator,
    llm_run: run,
    product_integration: productIntegration,
    audit_entry: entry,
    job: Number(jobs[0]?.id),
    prompt_group: group,
    prepared_message: prepared,
    document_prompt: documentPrompt,
    lead_document: document,
    crm_integration: integration,
    company_llm: credential,
    classification_config: classification,
    classification_result: result,
    ping_config: ping,
    schedule: hours,
  };
  return { ...others, company, product, prompt, channel, lead, lead_event: event, contact, dialogue, message };
}

/**
 * Tables that change on their own: heartbeats, rate limits, the last use of sessions, and when and on which node a
 * product is planned.
 */
const VOLATILE_TABLES = ['nodes', 'rate_limits', 'sessions', 'login_failures', 'outreach_products'];

/** Return a fingerprint of each table's rows. Equal fingerprints mean that nothing changed in between. */
export async function tableFingerprints(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    if (VOLATILE_TABLES.includes(name)) continue;
    const { rows } = await pool.query<{ all: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text) as all from ${name} t`,
    );
    found[name] = createHash('sha256')
      .update(rows[0]?.all ?? '')
      .digest('hex');
  }
  return found;
}
