/** PUT, PATCH, `ETag` and `If-Match` of every resource that has them. Generated from the routes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY } from '../../testing/canaries.ts';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from '../../testing/everyResource.ts';
import { sampleOf, urlOf } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import { type JsonSchema, jsonSchemaOf } from './shapes.ts';

type Body = Record<string, unknown>;

const MODEL = { vendor: 'anthropic', model: 'claude', temperature: 1.1 };
const WORKING = { is_working_day: true, time_start: '10:00', time_end: '19:30' };

/** A body without any default value, by the path of its resource. */
const FILLED: Readonly<Record<string, (rows: CompanyRowIds, settled: number, stored: Body) => Body>> = {
  '/v1/companies/{id}': () => ({ name: 'Filled' }),
  '/v1/webhooks/{id}': (_rows, _settled, { company_id, product_id }) => ({
    company_id,
    product_id,
    url: 'https://example.com/filled',
    events: ['report.weekly'],
    secret: `whsec_${Buffer.from(`another ${CANARY} secret of webhooks`).toString('base64')}`,
    is_active: false,
  }),
  '/v1/products/{id}': (rows) => ({
    name: 'Filled',
    company_id: rows['company'],
    crm_id: 'C-7',
    is_active: false,
    reply_hours: 'any',
    tag_rules: [{ field: 'city', operator: 'contains', value: 'riga', tag: 'Riga' }],
    target_minutes: 30,
    return_to_bot_hours: 12,
    hand_over: false,
    hand_over_text: 'A colleague will write to you.',
    round_robin: true,
    bot_reads_notes: true,
    timezone: 'Asia/Tokyo',
    config: {
      lead_expires_in_hours: 48,
      models_config: {
        chatbot_model_config: MODEL,
        classification_model_config: MODEL,
        ping_model_config: MODEL,
        document_model_config: MODEL,
      },
      messaging_config: {
        tg_daily_limit: 3,
        whatsapp_daily_limit: 4,
        add_interval_seconds: 5,
        add_interval_jitter_seconds: 6,
        initial_message_send_at: '11:15',
        initial_message_document_prompt_id: rows['document_prompt'],
        initial_message_prepared_message_id: rows['prepared_message'],
        initial_message_text: 'Hello',
      },
    },
  }),
  '/v1/prompts/{id}': (rows) => ({
    product_id: rows['product'],
    name: 'Filled',
    type: 'ping',
    text: 'Filled text',
    group_id: rows['prompt_group'],
    rag_description: 'What it is about',
  }),
  '/v1/prompt_groups/{id}': (rows) => ({ product_id: rows['product'], name: 'Filled', description: 'About' }),
  '/v1/prepared-messages/{id}': (rows) => ({
    product_id: rows['product'],
    name: 'Filled',
    type: 'ping',
    message: 'Filled text',
    is_follow_up: true,
  }),
  '/v1/document-prompts/{id}': (rows) => ({
    product_id: rows['product'],
    prompt_id: rows['prompt'],
    document_type: 'contract',
    name: 'Filled',
    type: 'initial',
    config: { pages: 2 },
  }),
  '/v1/leads/{id}': (rows) => ({
    product_id: rows['product'],
    name: 'Filled',
    crm_id: '55',
    crm_fields: { city: 'Riga' },
    timezone: 'Europe/Riga',
    stage: 'initial',
    is_active: false,
    recognized_deactivation_request: true,
    tags: ['Riga'],
    owner_id: rows['owner'],
  }),
  '/v1/contacts/{id}': (rows) => ({
    lead_id: rows['lead'],
    product_id: rows['product'],
    contact: '79991234568',
    contact_type: 'whatsapp',
    is_main: true,
  }),
  '/v1/lead-documents/{id}': (rows) => ({
    lead_id: rows['lead'],
    name: 'Filled',
    type: 'contract',
    document: { text_data: 'Filled text' },
    document_url: 'https://example.com/a',
  }),
  '/v1/channels/{id}': (_rows, _settled, { credentials, company_id }) => ({
    company_id,
    name: 'Filled',
    number: '79990000001',
    credentials,
    config: { ramp: { start: 5, step: 2 } },
    channel_type: 'telegram',
    vendor: 'wazzup24',
    is_active: false,
  }),
  '/v1/company-llms/{id}': (_rows, _settled, { company_id, vendor }) => ({
    company_id,
    vendor,
    credentials: { api_key: 'sk-0123456789' },
    config: { base_url: 'https://example.com/v1' },
    is_active: true,
  }),
  '/v1/classification-configs/{id}': (rows) => ({
    product_id: rows['product'],
    config: { interval_minutes: 9, prompt_id: rows['prompt'] },
  }),
  '/v1/schedules/{id}': (_rows, settled) => ({
    product_id: settled,
    timezone: 'Europe/Riga',
    config: { days: Object.fromEntries(Array.from({ length: 7 }, (_one, day) => [day, WORKING])) },
  }),
  '/v1/ping-configs/{id}': (rows, settled) => ({
    product_id: settled,
    is_enabled: false,
    config: {
      steps: [
        {
          step_number: 1,
          after_minutes: 30,
          prompt_id: rows['settled_prompt'],
          prepared_message_id: null,
          document_type: 'offer',
        },
      ],
      use_on_no_init_msg_reply: false,
    },
  }),
  '/v1/experiments/{id}': (rows) => ({
    product_id: rows['product'],
    name: 'Filled',
    kind: 'first_text',
    metric: 'answered',
    days: 5,
    part: 0.5,
    base_rate: 0.3,
    difference: 0.2,
    guards: { opt_outs: 0.1, refusals: null, cost: 0.2 },
    arms: [
      { name: 'One', weight: 2, content: { source: 'current' } },
      { name: 'Two', weight: 1, content: { source: 'text', text: 'Hello' } },
    ],
  }),
  '/v1/studio/personas/{id}': (rows) => ({
    product_id: rows['product'],
    name: 'Filled',
    style: 'Curt, no punctuation',
    language: 'ru',
    goal: 'Wants a price',
    questions: ['How much is it?'],
    objections: ['Too expensive'],
    ending: 'opts_out',
    requirements: [{ kind: 'max_questions', count: 2 }],
  }),
  '/v1/studio/cases/{id}': (rows) => ({
    product_id: rows['product'],
    prompt_id: rows['tried_prompt'],
    prompt_type: 'prompt',
    name: 'Filled',
    history: [{ side: 'user', text: 'How much is it?', kind: 'text' }],
    facts: {
      lead: { name: 'Filled', stage: 'pending', crm_fields: { City: 'Leeds' } },
      contact: { contact: '79991112233', type: 'telegram' },
      documents: { offer: 'Filled' },
      now: '2026-02-01T00:00:00.000Z',
      texts: [{ id: 7, name: 'Filled', version: 2, description: 'Filled', text: 'Filled' }],
      notes: [{ operator: 'filled', text: 'Filled' }],
      may_hand_over: false,
      as_of_creation: ['notes'],
    },
    requirements: [{ kind: 'max_questions', count: 2 }],
    rubric: 'Filled',
    is_enabled: false,
  }),
  '/v1/dialogues/{id}': (rows) => ({
    product_id: rows['product'],
    contact_id: rows['contact'],
    channel_id: rows['channel'],
    // In WhatsApp it can only be the contact's number.
    chat_id: `7${String(9_000_000_000 + (rows['company'] ?? 0))}`,
    skip_ping_for_msg_id: rows['message'],
    is_main: false,
  }),
  '/v1/operators/{id}': (rows) => ({ role: 'member', company_ids: [rows['company']], is_active: false }),
  '/v1/product_integrations/{product_id}/{crm_integration_id}': (rows) => ({
    product_id: rows['product'],
    crm_integration_id: rows['crm_integration'],
    config: {
      import_enabled: false,
      tg_contact_custom_field_name: 'tg',
      whatsapp_contact_custom_field_name: 'wa',
      pipelines: [{ is_active: false, pipeline_id: 7, steps: { ...STEPS, initial: 71 } }],
    },
  }),
};
const STEPS = { initial: 0, started: 0, ongoing: 0, pending: 0, refused: 0, ignore: 0, success: 0, failed: 0 };

let world: World;
let rows: CompanyRowIds;
let settled: number;
let headers: Record<string, string>;
let resources: readonly { readonly path: string; readonly put: Endpoint; readonly patch: Endpoint | undefined }[];

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  const ids = await createCompanyWithEveryResource(world.pool, 'Amber');
  const one = async (text: string, ...values: unknown[]) =>
    Number((await world.pool.query<{ id: string }>(text, values)).rows[0]?.id);
  settled = await one('select id from products where name = $1', 'Amber settled');
  const prompt = await one(
    "insert into prompts (product_id, name, type, text) values ($1, 'Ping', 'ping', 'Write.') returning id",
    settled,
  );
  await world.pool.query(
    `insert into product_integrations (product_id, crm_integration_id, company_id, config) values ($1, $2, $3,
       '{"import_enabled": true, "tg_contact_custom_field_name": "telegram",
         "whatsapp_contact_custom_field_name": "whatsapp", "pipelines": []}')`,
    [ids['product'], ids['crm_integration'], ids['company']],
  );
  const tried = await one(
    "insert into prompts (product_id, name, type, text) values ($1, 'Tried', 'prompt', 'Write.') returning id",
    ids['product'],
  );
  rows = { ...ids, settled_prompt: prompt, tried_prompt: tried };
  headers = { cookie: (await world.operator('root')).cookie, origin: world.url, 'content-type': 'application/json' };
  const endpoints = world.app?.routes.map((route) => route.endpoint) ?? [];
  const find = (method: string, path: string) =>
    endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path);
  resources = endpoints
    .filter(({ method, path }) => method === 'PUT' && find('GET', path)?.versioned)
    .map((put) => ({ path: put.path, put, patch: find('PATCH', put.path) }));
});
afterAll(() => world.close());

async function ask(endpoint: Endpoint, method: string, body?: Body, more: Record<string, string> = {}) {
  const { params } = sampleOf(endpoint, (resource) => rows[resource] ?? 1);
  const answer = await fetch(`${world.url}${urlOf(endpoint, { params, query: {} })}`, {
    method,
    headers: { ...headers, ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const { headers: responseHeaders } = answer;
  return {
    status: answer.status,
    etag: responseHeaders.get('etag'),
    request: responseHeaders.get('x-request-id'),
    body: text === '' ? null : (JSON.parse(text) as Body),
  };
}

const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** List every field of a body that may be omitted. Lists and free maps count as one value. */
function placesOf(body: unknown, schema: JsonSchema, path: readonly string[] = []): string[][] {
  const declared = [schema, ...(schema.anyOf ?? [])].find((one) => one.properties)?.properties ?? {};
  return Object.entries(isRecord(body) ? body : {}).flatMap(([key, value]) => {
    const inner = declared[key];
    return inner ? [[...path, key], ...placesOf(value, inner, [...path, key])] : [];
  });
}

function without(body: Body, [key = '', ...rest]: readonly string[]): Body {
  const { [key]: nested, ...others } = body;
  return rest.length === 0 || !isRecord(nested) ? others : { ...others, [key]: without(nested, rest) };
}

/** Remove what only a read returns and each write changes, and what is masked. */
function comparable({
  version: _version,
  revision: _revision,
  updated_at: _at,
  saved_at: _saved,
  ...rest
}: Body): Body {
  return rest;
}

/** Return a change of one field: the name, otherwise a switch. */
function changeOf(path: string, written: Body, read: Body, name: string): Body {
  if ('name' in written) return { name };
  const flag = Object.keys(written).find((key) => key.startsWith('is_'));
  return flag === undefined ? (WITHOUT_SWITCH[path] ?? {}) : { [flag]: !read[flag] };
}
const WITHOUT_SWITCH: Readonly<Record<string, Body>> = {
  '/v1/classification-configs/{id}': { config: { interval_minutes: 10 } },
  '/v1/schedules/{id}': { config: { days: { 0: { time_start: '09:00' } } } },
  '/v1/product_integrations/{product_id}/{crm_integration_id}': { config: { import_enabled: true } },
};

describe('every resource', () => {
  it('fills each field of every resource with a value other than its default', async () => {
    expect(resources.map(({ path }) => path).sort()).toEqual(Object.keys(FILLED).sort());
    for (const { path, put, patch } of resources) {
      expect([path, patch?.body]).toEqual([path, put.body]);
      const read = (await ask(put, 'GET')).body ?? {};
      const filled = FILLED[path]?.(rows, settled, read) ?? {};
      const fields = Object.entries(jsonSchemaOf(put.body, 'input').properties ?? {});
      const written = fields.filter(([, schema]) => schema['readOnly'] !== true).map(([field]) => field);
      // They say how to write, and are not stored.
      const stored = written.filter((key) => !['version', 'confirm_errors'].includes(key));
      expect([path, Object.keys(filled).sort()]).toEqual([path, stored.sort()]);
      const answer = await ask(put, 'PUT', filled);
      expect([path, answer.status, answer.body]).toMatchObject([path, 200, {}]);
      // Secrets are read as their masks.
      if (!['/v1/company-llms/{id}', '/v1/webhooks/{id}'].includes(path))
        expect([path, answer.body]).toMatchObject([path, filled]);
    }
  });

  it('changes nothing when a resource is sent back as it was read', async () => {
    const before = await tableFingerprints(world.pool);
    for (const { path, put } of resources) {
      const read = await ask(put, 'GET');
      for (const method of ['PUT', 'PATCH']) {
        const { status, etag, body } = await ask(put, method, read.body ?? {});
        expect([path, method, status, etag, body]).toEqual([path, method, 200, read.etag, read.body]);
      }
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('keeps each field that a PUT leaves out, at every depth', async () => {
    let tried = 0;
    for (const { path, put } of resources) {
      const read = (await ask(put, 'GET')).body ?? {};
      const written = FILLED[path]?.(rows, settled, read) ?? {};
      for (const place of placesOf(written, jsonSchemaOf(put.body, 'input'))) {
        tried += 1;
        const answer = await ask(put, tried % 2 === 0 ? 'PUT' : 'PATCH', without(read, place));
        expect([path, place, answer.status, answer.body]).toEqual([path, place, 200, read]);
      }
      // Send one field with another value: the others keep theirs.
      const other = changeOf(path, written, read, 'Another');
      if (isRecord(other['config'])) continue;
      const answer = await ask(put, 'PUT', other);
      expect([path, answer.status, comparable(answer.body ?? {})]).toEqual([
        path,
        200,
        comparable({ ...read, ...other }),
      ]);
    }
    expect(tried).toBeGreaterThan(100);
  });

  it('refuses unknown fields beside read-only ones', async () => {
    for (const { path, put } of resources) {
      const read = (await ask(put, 'GET')).body ?? {};
      const answer = await ask(put, 'PUT', { ...read, surprise: 1 });
      expect([path, answer.status, answer.body]).toMatchObject([
        path,
        422,
        { detail: [{ loc: ['body', 'surprise'] }] },
      ]);
    }
  });
});

it('does not reactivate a lead that opted out when PUT leaves is_active out', async () => {
  const one = resources.find(({ path }) => path === '/v1/leads/{id}');
  if (!one) throw new Error('There are no leads');
  await world.pool.query('update leads set is_active = false, recognized_deactivation_request = true where id = $1', [
    rows['lead'],
  ]);
  const { body } = await ask(one.put, 'GET');
  for (const method of ['PUT', 'PATCH']) {
    const { is_active: _removed, stage: _stage, ...rest } = body ?? {};
    const changed = await ask(one.put, method, { ...rest, name: `Renamed by ${method}` });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { is_active: false, recognized_deactivation_request: true, stage: 'initial', name: `Renamed by ${method}` },
    ]);
  }
  expect((await ask(one.put, 'PUT', { is_active: true })).body).toMatchObject({ is_active: true });
  expect((await ask(one.put, 'PUT', { stage: 'success' })).status).toBe(409);
});

describe('a version', () => {
  it('returns the version in body and ETag, increments it with each change, and answers 409 to an older one', async () => {
    for (const { path, put } of resources) {
      const field = path === '/v1/prompts/{id}' ? 'revision' : 'version';
      const read = await ask(put, 'GET');
      const old = Number(read.body?.[field]);
      expect([path, old >= 1, read.etag]).toEqual([path, true, `"${old}"`]);

      const change = changeOf(path, FILLED[path]?.(rows, settled, read.body ?? {}) ?? {}, read.body ?? {}, 'Changed');
      const changed = await ask(put, 'PATCH', change, { 'if-match': `"${old}"` });
      expect([path, changed.status, changed.body?.[field], changed.etag]).toEqual([path, 200, old + 1, `"${old + 1}"`]);
      const { rows: entries } = await world.pool.query('select operator, action from audit where request_id = $1', [
        changed.request,
      ]);
      expect([path, entries]).toEqual([path, [{ operator: 'root', action: 'changed' }]]);

      const before = await tableFingerprints(world.pool);
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        if (method === 'DELETE' && path === '/v1/operators/{id}') continue;
        const late = await ask(put, method, method === 'DELETE' ? undefined : { ...read.body }, {
          'if-match': read.etag ?? '',
        });
        const sentence =
          path === '/v1/operators/{id}'
            ? /^This was changed in the meantime\./
            : /^Changed by root at \d{4}-\d\d-\d\dT.+Z\.$/;
        expect([path, method, late.status, late.body]).toEqual([
          path,
          method,
          409,
          { detail: expect.stringMatching(sentence) },
        ]);
        const broken = await ask(put, method, method === 'DELETE' ? undefined : {}, { 'if-match': String(old + 1) });
        expect([path, method, broken.status, broken.body]).toMatchObject([
          path,
          method,
          422,
          { detail: [{ loc: ['header', 'if-match'] }] },
        ]);
      }
      expect(await tableFingerprints(world.pool)).toEqual(before);
      expect((await ask(put, 'PUT', {}, { 'if-match': '*' })).status).toBe(200);
      expect((await ask(put, 'PUT', {}, { 'if-match': `W/"${old + 1}"` })).status).toBe(200);
    }
  });

  it('starts a new row at version 1', async () => {
    const answer = await fetch(`${world.url}/v1/companies/`, { method: 'POST', headers, body: '{"name":"New"}' });
    expect([answer.headers.get('etag'), await answer.json()]).toMatchObject(['"1"', { version: 1 }]);
  });

  it('answers 404 for a version of a missing row', async () => {
    const answer = await fetch(`${world.url}/v1/companies/999999`, {
      method: 'PUT',
      headers: { ...headers, 'if-match': '*' },
      body: '{}',
    });
    expect(answer.status).toBe(404);
  });
});
