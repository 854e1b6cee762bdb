/** What a read returned may be sent to create a row like it. Generated from the routes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';

type Body = Record<string, unknown>;

/** What starts something else than a row like those that are listed. */
const NO_ROWS = ['/v1/studio/runs/'];
/** What no read returns is missing in a copy. */
const MISSING: Readonly<Record<string, Body>> = {
  '/v1/operators/': { login: 'copied', password: 'a password of 20 characters' },
};
/** There may be only one of it, or its secret is returned as a mask. */
const ONLY_ONE = [
  '/v1/contacts/',
  '/v1/product-channels/',
  '/v1/company-llms/',
  '/v1/classification-configs/',
  '/v1/dialogues/',
  '/v1/webhooks/',
  '/v1/schedules/',
  '/v1/ping-configs/',
  '/v1/product_integrations/',
];

let world: World;
let headers: Record<string, string>;
let creates: readonly Endpoint[];
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  const rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  await world.pool.query("update contacts set contact = '79991234567', address = '79991234567'");
  await world.pool.query(`update lead_documents set document = '{"text_data": "An offer"}'`);
  await world.pool.query(
    `with written as (insert into prompts (product_id, name, type, text) select product_id, 'Ping', 'ping', 'Write.' from ping_configs returning id)
     update ping_configs set config = jsonb_build_object('use_on_no_init_msg_reply', true, 'steps', jsonb_build_array(jsonb_build_object(
       'step_number', 1, 'after_minutes', 60, 'prompt_id', (select id from written), 'prepared_message_id', null, 'document_type', null)))`,
  );
  await world.pool.query(
    `insert into product_integrations (product_id, crm_integration_id, company_id, config) values ($1, $2, $3,
       '{"import_enabled": true, "tg_contact_custom_field_name": "telegram",
         "whatsapp_contact_custom_field_name": "whatsapp", "pipelines": []}')`,
    [rows['product'], rows['crm_integration'], rows['company']],
  );
  headers = { cookie: (await world.operator('root')).cookie, origin: world.url, 'content-type': 'application/json' };
  const endpoints = world.app?.routes.map((route) => route.endpoint) ?? [];
  creates = endpoints.filter(
    ({ method, path }) =>
      method === 'POST' &&
      path.startsWith('/v1/') &&
      path.endsWith('/') &&
      !NO_ROWS.includes(path) &&
      endpoints.some((one) => one.method === 'GET' && one.path === path && one.replies[200] !== undefined),
  );
});
afterAll(() => world.close());

async function send(method: string, path: string, body?: Body) {
  const answer = await fetch(`${world.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

async function firstOf(path: string): Promise<Body> {
  const { body } = await send('GET', `${path}?limit=1&order=asc`);
  const [row] = (body['items'] ?? []) as Body[];
  if (!row) throw new Error(`${path} lists nothing`);
  return row;
}

describe('what a read returned', () => {
  it('is accepted by the POST of every resource', async () => {
    const answers: unknown[] = [];
    for (const { path } of creates) {
      const row = await firstOf(path);
      const { status, body } = await send('POST', path, { ...row, ...MISSING[path] });
      answers.push([path, status, status === 201 || status === 409 ? null : body]);
    }
    expect(answers).toEqual(creates.map(({ path }) => [path, ONLY_ONE.includes(path) ? 409 : 201, null]));
    expect(creates.length).toBeGreaterThan(20);
  });

  it('sets nothing that the server decides', async () => {
    const decided = {
      id: 77_777,
      author: 'mallory',
      created_at: '2001-01-01T00:00:00.000Z',
      version: 77,
      status: 'Won',
    };
    for (const path of ['/v1/leads/', '/v1/prompts/', '/v1/products/', '/v1/companies/', '/v1/studio/personas/']) {
      const row = await firstOf(path);
      const forged = Object.fromEntries(Object.entries(decided).filter(([field]) => field in row));
      const { status, body } = await send('POST', path, { ...row, ...forged });
      expect([path, status]).toEqual([path, 201]);
      for (const [field, value] of Object.entries(forged))
        expect([path, field, body[field]]).not.toEqual([path, field, value]);
    }
  });

  it('does not make a field known that no read returns', async () => {
    for (const { path } of creates) {
      const row = await firstOf(path);
      const { status, body } = await send('POST', path, { ...row, ...MISSING[path], invented: 1 });
      expect([path, status, JSON.stringify(body)]).toEqual([path, 422, expect.stringContaining('"invented"')]);
    }
  });

  it('does not send a copy of a message earlier than the message', async () => {
    const row = await firstOf('/v1/messages/');
    const scheduled_at = '2031-01-02T03:04:05.000Z';
    const { status, body } = await send('POST', '/v1/messages/', { ...row, scheduled_at });
    expect([status, body]).toMatchObject([201, { messages: [{ scheduled_at }] }]);
    const send_not_before = '2032-01-02T03:04:05.000Z';
    const later = await send('POST', '/v1/messages/', { ...row, scheduled_at, send_not_before });
    expect(later.body).toMatchObject({ messages: [{ scheduled_at: send_not_before }] });
  });
});

describe('an id of another system', () => {
  it('may be a number in every body, and is stored as text', async () => {
    for (const [path, number, text] of [
      ['/v1/leads/', 4711, '4711'],
      ['/v1/products/', 4712, '4712'],
      ['/v1/leads/', 0, '0'],
      ['/v1/leads/', 12_345_678_901_234, '12345678901234'],
    ] as const) {
      const { status, body } = await send('POST', path, { ...(await firstOf(path)), crm_id: number });
      expect([path, status, body['crm_id']]).toEqual([path, 201, text]);
      const changed = await send('PATCH', `${path}${String(body['id'])}`, { crm_id: number + 1 });
      expect([path, changed.status, changed.body['crm_id']]).toEqual([path, 200, String(number + 1)]);
      const replaced = await send('PUT', `${path}${String(body['id'])}`, { ...changed.body, crm_id: number });
      expect([path, replaced.status, replaced.body['crm_id']]).toEqual([path, 200, text]);
      const found = await send('GET', `${path}?crm_id=${number}`);
      expect([path, (found.body['items'] as Body[]).map(({ id }) => id)]).toEqual([path, [body['id']]]);
    }
    const lead = await firstOf('/v1/leads/');
    for (const [path, field, more] of [
      ['/v1/contacts/', 'contact', { lead_id: lead['id'], product_id: lead['product_id'], contact_type: 'whatsapp' }],
      [
        '/v1/channels/',
        'number',
        { ...(await firstOf('/v1/channels/')), credentials: { api_key: 'a-key', channel_id: 'c-2' } },
      ],
    ] as const) {
      const { status, body } = await send('POST', path, { ...more, [field]: 79_001_234_567 });
      expect([path, status, body[field], body['detail']]).toEqual([path, 201, '79001234567', undefined]);
    }
    for (const wrong of [1.5, 2 ** 53, true, [1], {}])
      expect([
        wrong,
        (await send('POST', '/v1/leads/', { ...(await firstOf('/v1/leads/')), crm_id: wrong })).status,
      ]).toEqual([wrong, 422]);
  });

  it('keeps its leading zeros in a query', async () => {
    const { body } = await send('POST', '/v1/leads/', { ...(await firstOf('/v1/leads/')), crm_id: '0099' });
    const idsOf = async (crmId: string) =>
      ((await send('GET', `/v1/leads/?crm_id=${crmId}`)).body['items'] as Body[]).map(({ id }) => id);
    expect([await idsOf('0099'), await idsOf('99')]).toEqual([[body['id']], []]);
  });
});
