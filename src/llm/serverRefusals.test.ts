/** What a server refuses is left out at once, remembered for the model, shown, and sent again after a reset. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { complete } from './complete.ts';
import { type CompanyLlm, companyLlms } from './contract.ts';
import { resetRefused, testCredential } from './settingsContract.ts';

let world: World;
let admin: Client;
let id = 0;
/** The bodies of requests; the server refuses those that have a parameter of `refusals`, by its sentence. */
let asked: Record<string, unknown>[] = [];
let refusals: Record<string, string> = {};
let status = 200;

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  request.on('end', () => {
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'own-model' }] }));
    const body: Record<string, unknown> = JSON.parse(text);
    asked.push(body);
    const refused = Object.keys(refusals).find((name) => name in body);
    if (refused !== undefined || status !== 200) {
      response.writeHead(status === 200 ? 400 : status);
      return response.end(JSON.stringify({ error: { message: refusals[refused ?? ''] ?? 'Wrong key' } }));
    }
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'confirm', arguments: '{"answer":"ok"}' } };
    const delta = body['tools'] ? { tool_calls: [call] } : { content: 'Hello' };
    const choices = [{ delta, finish_reason: body['tools'] ? 'tool_calls' : 'stop' }];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
  });
});

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const { rows } = await world.pool.query<{ id: string }>(
    "select id from company_llms where company_id = $1 and vendor = 'chatgpt'",
    [world.companyId],
  );
  id = Number(rows[0]?.id);
  await admin.call(companyLlms.change, {
    params: { id },
    body: { config, credentials: { api_key: 'key-of-own-server' } },
  });
});
afterAll(async () => {
  server.close();
  await world.close();
});

const credential = async () => (await admin.call(companyLlms.get, { params: { id } })).body as CompanyLlm;

async function askModel(model = 'own-model') {
  if (!world.app) throw new Error('The app is not running');
  return complete(world.app.context, {
    companyId: world.companyId,
    productId: world.productId,
    vendor: 'chatgpt',
    model,
    temperature: 0.5,
    maxTokens: 50,
    system: 'Facts',
    messages: [{ role: 'user', content: 'Hello' }],
  });
}

describe('a parameter that a server refuses', () => {
  it('is left out at once, and from then on, for that model alone', async () => {
    refusals = {
      temperature: "Unsupported value: 'temperature'",
      max_tokens: "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
      stream_options: 'stream_options: Extra inputs are not permitted',
    };
    asked = [];
    expect(await askModel()).toMatchObject({ kind: 'answered', text: 'Hello' });
    expect(asked).toHaveLength(4);
    asked = [];
    expect(await askModel()).toMatchObject({
      kind: 'answered',
      metadata: { left_out: expect.arrayContaining(['temperature', 'max_tokens', 'stream_options']) },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ max_completion_tokens: 50, stream: true });
    expect(asked[0]).not.toHaveProperty('temperature');
    expect((await credential()).refused).toEqual({ 'own-model': refusals });
    asked = [];
    await askModel('another-model');
    expect(asked).toHaveLength(4);
  });

  it('is sent again after a reset, and after the address has changed', async () => {
    expect((await admin.call(resetRefused, { params: { id } })).body).toEqual({ refused: {} });
    expect((await credential()).refused).toEqual({});
    refusals = {};
    asked = [];
    await askModel();
    expect(asked[0]).toMatchObject({ temperature: 0.5, max_tokens: 50 });
    const stranger = await world.operator('stranger', []);
    expect((await stranger.call(resetRefused, { params: { id } })).status).toBe(404);
  });

  it('is not remembered while the server does not answer without it', async () => {
    refusals = { temperature: 'temperature is not supported', max_tokens: 'The model is broken' };
    expect(await askModel()).toMatchObject({ kind: 'failed', isPermanent: true });
    expect((await credential()).refused).toEqual({});
    refusals = {};
  });
});

describe('a test of a credential', () => {
  it('says in sentences what works, with a model that the own server lists', async () => {
    const { body } = await admin.call(testCredential, { params: { id } });
    expect(body).toMatchObject({
      ok: true,
      reason: null,
      model: 'own-model',
      parts: [
        { part: 'answer', ok: true, sentence: 'own-model answers.' },
        { part: 'stream', ok: true, sentence: 'Answers arrive word by word.' },
        { part: 'tool_call', ok: true, sentence: 'It calls tools.' },
      ],
    });
    refusals = { tools: 'own-model does not support tools' };
    const { body: without } = await admin.call(testCredential, { params: { id }, query: { model: 'own-model' } });
    expect(without).toMatchObject({ ok: true, parts: [{}, {}, { part: 'tool_call', ok: false }] });
    expect(await credential()).toMatchObject({ test: { ok: true }, tested_at: expect.any(String) });
    refusals = {};
  });

  it('is kept with its reason, until key or address change', async () => {
    status = 401;
    expect((await admin.call(testCredential, { params: { id } })).body).toMatchObject({ ok: false });
    status = 200;
    expect(await credential()).toMatchObject({
      is_active: true,
      test: { ok: false, reason: 'The model vendor answered 401: Wrong key' },
    });
    const credentials = { api_key: 'another-key-of-it' };
    await admin.call(companyLlms.change, { params: { id }, body: { credentials } });
    expect(await credential()).toMatchObject({ test: null, tested_at: null });
  });
});
