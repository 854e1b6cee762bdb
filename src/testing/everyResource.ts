/** Creates a company with one row of every resource, and fingerprints all tables. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { ids } from '../platform/ids.ts';
import { type Insert, insertStudio } from './studioResources.ts';

export type CompanyRowIds = Readonly<Record<string, number>>;

/** Create the company `name`, with `name` in every text of its rows. Returns the id of each resource's row. */
export async function createCompanyWithEveryResource(pool: pg.Pool, name: string): Promise<CompanyRowIds> {
  const insert: Insert = async (table, row) => {
    const places = Object.keys(row).map((_column, index) => `$${index + 1}`);
    const { rows } = await pool.query<{ id: string }>(
      `insert into ${table} (${Object.keys(row).join()}) values (${places.join()}) returning *`,
      Object.values(row),
    );
    return Number(rows[0]?.id);
  };
  const company = await insert('companies', { name });
  const product = await insert('products', { company_id: company, name: `${name} product` });
  const channel = await insertChannel(pool, insert, { name, company, product });
  const prompts = await insertPrompts(pool, insert, { name, product });
  const leads = await insertLead(insert, { name, company, product });
  const conversation = await insertConversation(pool, insert, { name, product, channel, ...prompts, ...leads });
  const experiment = await insertExperiment(insert, { name, product });
  const studio = await insertStudio(insert, { name, product, ...prompts, ...leads, ...conversation });
  const settings = await insertSettings(insert, { name, company });
  const operations = await insertOperations(pool, insert, { name, company });
  return {
    company,
    product,
    channel,
    ...prompts,
    ...leads,
    ...conversation,
    experiment,
    ...studio,
    ...settings,
    ...operations,
  };
}

interface Owner {
  readonly name: string;
  readonly company: number;
  readonly product: number;
}

/** Insert a channel of the one account that all companies created here share. */
async function insertChannel(pool: pg.Pool, insert: Insert, { name, company, product }: Owner): Promise<number> {
  const { rows } = await pool.query<{ id: string; vendor: string }>(
    'select id, vendor from vendor_accounts order by id limit 1',
  );
  const account_id = rows[0]?.id;
  await insert('vendor_account_companies', { account_id, company_id: company });
  const channel = await insert('channels', {
    account_id,
    company_id: company,
    name: `${name} channel`,
    vendor: rows[0]?.vendor,
    channel_type: 'whatsapp',
    vendor_ref: ids.next(),
  });
  await insert('product_channels', { product_id: product, company_id: company, channel_id: channel });
  return channel;
}

async function insertPrompts(pool: pg.Pool, insert: Insert, { name, product }: Omit<Owner, 'company'>) {
  const own = { product_id: product };
  const text = `${name} prompt`;
  const live = { live_version: 1, live_text: text, live_since: new Date() };
  const prompt = await insert('prompts', { ...own, name: text, type: 'prompt', text, ...live });
  await pool.query('insert into prompt_versions (prompt_id, version, text) values ($1, 1, $2)', [prompt, text]);
  await insert('prompt_publications', { prompt_id: prompt, version: 1, kind: 'saved', author: name });
  const prepared = `${name} prepared`;
  return {
    prompt,
    prompt_group: await insert('prompt_groups', { ...own, name: `${name} group` }),
    prepared_message: await insert('prepared_messages', { ...own, name: prepared, type: 'initial', message: prepared }),
    document_prompt: await insert('document_prompts', {
      ...own,
      prompt_id: prompt,
      document_type: 'offer',
      name: `${name} offer`,
    }),
  };
}

async function insertLead(insert: Insert, { name, company, product }: Owner) {
  const own = { product_id: product };
  const lead_import = await insert('lead_imports', { ...own, import_key: ids.next(), name: `${name} import` });
  const lead = await insert('leads', { ...own, name: `${name} lead`, crm_fields: { note: `${name} lead` } });
  const address = `7${String(9_000_000_000 + company)}`;
  return {
    lead,
    lead_import,
    lead_event: await insert('lead_events', {
      ...own,
      lead_id: lead,
      event_type: 'activated',
      event_data: { by: name },
    }),
    lead_document: await insert('lead_documents', { ...own, lead_id: lead, name: `${name} document`, type: 'offer' }),
    contact: await insert('contacts', {
      ...own,
      lead_id: lead,
      contact: `${name} ${address}`,
      contact_type: 'whatsapp',
      address,
      is_main: true,
    }),
  };
}

interface Parties extends Omit<Owner, 'company'> {
  readonly channel: number;
  readonly prompt: number;
  readonly contact: number;
}

/** Insert a dialogue with a message, the model's run behind it, and its classification. */
async function insertConversation(pool: pg.Pool, insert: Insert, { name, product, channel, prompt, contact }: Parties) {
  const own = { product_id: product };
  const { rows } = await pool.query<{ address: string; now: Date }>(
    'select address, domain_now() as now from contacts where id = $1',
    [contact],
  );
  const { address, now } = rows[0] ?? {};
  const { rows: accounts } = await pool.query<{ id: string }>('select account_id as id from channels where id = $1', [
    channel,
  ]);
  const parties = { ...own, contact_id: contact, channel_id: channel };
  const dialogue = await insert('dialogues', {
    ...parties,
    chat_id: address,
    address,
    no_answer: 'model',
    no_answer_detail: name,
  });
  const message = await insert('messages', {
    ...parties,
    dialogue_id: dialogue,
    message: `${name} message`,
    side: 'bot',
    author: 'bot',
    status: 'unconfirmed',
    sent_at: now,
  });
  const classification = await insert('classification_configs', {
    ...own,
    config: { interval_minutes: 5, prompt_id: prompt },
  });
  return {
    dialogue_link: await insert('dialogue_links', {
      ...own,
      dialogue_id: dialogue,
      kind: 'mixed_chats',
      evidence: 'upgrade',
      detail: `${name} chat`,
    }),
    ignored_item: await insert('inbox', {
      account_id: Number(accounts[0]?.id),
      channel_id: channel,
      kind: 'message',
      ext_id: ids.next(),
      status: 'inbound',
      chat_id: `${name} unknown chat`,
      item: { text: `${name} ignored`, mediaKind: 'text', notPerson: 'unknown_chat' },
      state: 'done',
      note: 'unknown_chat',
      ignored_at: now,
    }),
    dialogue,
    message,
    llm_run: await insert('llm_runs', {
      ...own,
      dialogue_id: dialogue,
      message_id: message,
      purpose: 'chatbot',
      name: `${name} run`,
      model_vendor: 'chatgpt',
      model_name: 'gpt-4o-mini',
      execution_ms: 5,
    }),
    classification_config: classification,
    classification_result: await insert('classification_results', {
      ...own,
      dialogue_id: dialogue,
      config_id: classification,
      result: { stage: 'ongoing', reason: `${name} reason` },
    }),
  };
}

/** Insert a draft of an experiment with models. */
function insertExperiment(insert: Insert, { name, product }: Omit<Owner, 'company'>): Promise<number> {
  const arm = (model: string) => ({
    name: `${name} ${model}`,
    weight: 1,
    content: { source: 'model', vendor: 'chatgpt', model, temperature: 0.7 },
  });
  return insert('experiments', {
    product_id: product,
    name: `${name} experiment`,
    kind: 'model',
    metric: 'qualified',
    days: 7,
    part: 1,
    base_rate: 0.2,
    difference: 0.1,
    guards: JSON.stringify({ opt_outs: 0.02, refusals: null, cost: null }),
    arms: JSON.stringify([arm('gpt-4o'), arm('gpt-5')]),
    analyses: 5,
    per_arm: 300,
  });
}

/** Insert settings. Those that exist once per product are a second product's, so that tests can create the first's. */
async function insertSettings(insert: Insert, { name, company }: Omit<Owner, 'product'>) {
  const integration = await insert('crm_integrations', { company_id: company, name: `${name} CRM` });
  const product_id = await insert('products', { company_id: company, name: `${name} settled` });
  const fields = { tg_contact_custom_field_name: 'telegram', whatsapp_contact_custom_field_name: 'whatsapp' };
  return {
    crm_integration: integration,
    product_integration: await insert('product_integrations', {
      product_id,
      crm_integration_id: integration,
      company_id: company,
      config: { import_enabled: true, ...fields, pipelines: [] },
    }),
    ping_config: await insert('ping_configs', { product_id, config: { steps: [], use_on_no_init_msg_reply: true } }),
    schedule: await insert('schedules', { product_id, timezone: 'UTC', config: { days: {} } }),
    company_llm: await insert('company_llms', {
      company_id: company,
      vendor: 'gemini',
      api_key_sealed: `${name} sealed`,
      is_active: false,
    }),
    ...(await insertWebhook(insert, { name, company })),
  };
}

async function insertWebhook(insert: Insert, { name, company }: Omit<Owner, 'product'>) {
  const webhook = await insert('webhooks', {
    company_id: company,
    url: `https://example.com/${encodeURIComponent(name)}`,
    events: JSON.stringify(['report.weekly']),
    secret_sealed: `${name} sealed`,
    secret_mask: `…${name}`,
  });
  const webhook_delivery = await insert('webhook_deliveries', {
    webhook_id: webhook,
    company_id: company,
    event: 'report.weekly',
    event_id: ids.next(),
    event_key: name,
    payload: { product_name: name },
    state: 'failed',
    settled_at: new Date().toISOString(),
  });
  return { webhook, webhook_delivery };
}

/** Insert an operator and an entry of the audit log. */
async function insertOperations(pool: pg.Pool, insert: Insert, { name, company }: Omit<Owner, 'product'>) {
  const login = `${name} operator ${ids.next()}`;
  const operator = await insert('operators', { login, password_hash: 'none', role: 'member' });
  await insert('operator_companies', { operator_id: operator, company_id: company });
  const saved_view = await insert('saved_views', {
    operator_id: operator,
    company_id: company,
    page: 'crm-leads',
    name: `${name} view`,
    is_shared: true,
  });
  return {
    operator,
    owner: operator,
    assignee: operator,
    saved_view,
    audit_entry: await insert('audit', {
      operator: name,
      action: 'changed',
      noun: 'company',
      row_id: company,
      company_id: company,
      after: { name },
    }),
  };
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
