/**
 * An operator who loses a password, a session, a role or a company loses access at once, whatever is in progress for
 * them. Runs each kind of loss as a race against everything that an operator can have open.
 */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { operators, setOperatorPassword } from '../../access/accountContract.ts';
import { exportAudit } from '../../access/auditContract.ts';
import { createSessions } from '../../access/session.ts';
import { importLeads } from '../../leads/importContract.ts';
import { generate } from '../../llm/settingsContract.ts';
import { sendNew } from '../../outbox/sendContract.ts';
import { readConsequences, readRehearsal } from '../../outreach/rehearsalContract.ts';
import { PAGE } from '../../testing/assistantSocket.ts';
import type { ApiAnswer, Client } from '../../testing/client.ts';
import { createWorld, PASSWORD, type World } from '../../testing/world.ts';
import type { AppContext } from '../appContext.ts';
import { recordAuditEntry } from '../audit.ts';
import type { Caller } from './caller.ts';

/** Races end differently each time, so the long run repeats them more often. */
const ROUNDS = process.env['RAPPORT_TESTS'] === 'all' ? 8 : 1;
const CONNECTIONS = 8;

let world: World;
let root: Client;
let documentPromptId = 0;
let other: { companyId: number; productId: number };
beforeAll(async () => {
  world = await createWorld({
    env: { RAPPORT_ROLES: 'web', RAPPORT_DATABASE_CONNECTIONS: String(CONNECTIONS) },
  });
  root = await world.operator('root');
  const { rows } = await world.pool.query<{ company: string; product: string; document: string }>(
    `with c as (insert into companies (name) values ('Baths Ltd') returning id),
          p as (insert into products (company_id, name) select id, 'Baths' from c returning id),
          w as (insert into prompts (product_id, name, type, text, live_version, live_text, live_since)
                values ($1, 'Offer', 'document', 'Write an offer.', 1, 'Write an offer.', now()) returning id),
          d as (insert into document_prompts (product_id, prompt_id, document_type, name)
                select $1, id, 'offer', 'Offer' from w returning id)
     select c.id as company, p.id as product, d.id as document from c, p, d`,
    [world.productId],
  );
  other = { companyId: Number(rows[0]?.company), productId: Number(rows[0]?.product) };
  documentPromptId = Number(rows[0]?.document);
});
afterAll(() => world.close());
afterEach(() => world.control.setFaults([]));

interface Operator {
  readonly id: number;
  readonly login: string;
  readonly client: Client;
}

interface Loss {
  readonly name: string;
  /** Whether an admin loses access; otherwise a member of both companies does. */
  readonly ofAdmin: boolean;
  /** Whether the operator may still sign in, and access the other company. */
  readonly stays: boolean;
  readonly happen: (one: Operator) => Promise<ApiAnswer>;
}

const change = (id: number, body: object): Promise<ApiAnswer> =>
  root.call(operators.change, { params: { id }, body: { role: 'member', company_ids: [other.companyId], ...body } });

const LOSSES: readonly Loss[] = [
  {
    name: 'a new password',
    ofAdmin: false,
    stays: false,
    happen: ({ id }) => root.call(setOperatorPassword, { params: { id }, body: { password: 'three herons at dawn' } }),
  },
  { name: 'shut out', ofAdmin: false, stays: false, happen: ({ id }) => change(id, { is_active: false }) },
  { name: 'an admin no more', ofAdmin: true, stays: true, happen: ({ id }) => change(id, {}) },
  { name: 'the company lost', ofAdmin: false, stays: true, happen: ({ id }) => change(id, {}) },
];

let count = 0;
async function enter({ ofAdmin }: Pick<Loss, 'ofAdmin'>): Promise<Operator> {
  const login = `revoked ${++count}`;
  const client = await world.operator(login, ofAdmin ? undefined : [world.companyId, other.companyId]);
  const { rows } = await world.pool.query<{ id: string }>('select id from operators where login = $1', [login]);
  return { id: Number(rows[0]?.id), login, client };
}

/** A connection that stays open, and what was received on it. */
interface Open {
  readonly ended: Promise<unknown>;
  readonly received: () => string;
  readonly leave: () => void;
  isOver: boolean;
}

async function listen(client: Client, productId: number): Promise<Open> {
  const leaving = new AbortController();
  const answer = await client.fetch(`/v1/live?product_id=${productId}`, { signal: leaving.signal });
  if (answer.status !== 200) return { ended: Promise.resolve(), received: () => '', leave() {}, isOver: true };
  let received = '';
  const ended = (async () => {
    for await (const chunk of answer.body ?? []) received += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const open: Open = { ended, received: () => received, leave: () => leaving.abort(), isOver: false };
  void ended.then(() => {
    open.isOver = true;
  });
  return open;
}

async function talk(client: Client, path: string, question?: object): Promise<Open> {
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}${path}`, {
    headers: { cookie: client.cookie, origin: world.url },
  });
  let received = '';
  socket.on('message', (data) => {
    received += String(data);
  });
  socket.on('error', () => undefined);
  // A refusal emits an error and then a close.
  const ended = new Promise((resolve) => socket.once('close', resolve));
  const open: Open = { ended, received: () => received, leave: () => socket.terminate(), isOver: false };
  void open.ended.then(() => {
    open.isOver = true;
  });
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), open.ended]);
  if (question && !open.isOver) socket.send(JSON.stringify(question));
  return open;
}

/** Open every kind of long-lived connection. The model stays silent, so a chat on them never ends. */
const stayOpen = (client: Client): Promise<Open[]> => {
  const chat = `/v1/llm/ws/chat/simple?product_id=${world.productId}`;
  const assistant = `/v1/llm/ws/master_chat/?product_id=${world.productId}`;
  return Promise.all([
    listen(client, world.productId),
    talk(client, chat),
    talk(client, assistant),
    talk(client, chat, { content: 'Talk to me' }),
    talk(client, assistant, { ...PAGE, content: 'Talk to me: set the limit' }),
  ]);
};

const row = (line: number) => ({
  line,
  name: `Imported ${randomUUID()}`,
  whatsapp: `+7916${String(1_000_000 + ++count)}`,
  telegram: '',
  timezone: '',
  crm_id: '',
  crm_fields: {},
});

/** Calls that take a while: each writes or shows something in the end. */
async function calls({ client }: Operator): Promise<(() => Promise<ApiAnswer>)[]> {
  const { contactId } = await world.lead('Pia');
  const { productId } = world;
  return [
    () => client.call(importLeads, { body: { product_id: productId, import_key: randomUUID(), rows: [row(2)] } }),
    () => client.call(readRehearsal, { query: { product_id: productId } }),
    () => client.call(readConsequences, { body: { product_id: productId, days: 1, proposal: {} } }),
    () => client.call(generate, { body: { product_id: productId, purpose: 'document', content: 'Write' } }),
    () => client.call(sendNew, { body: { contact_id: contactId, document_prompt_id: documentPromptId } }),
  ];
}

/** Return everything recorded for the operator after the loss of rights, except for signing in and out. */
async function auditEntriesAfterLoss({ id }: Operator): Promise<unknown[]> {
  const { rows } = await world.pool.query(
    `select action, noun from audit where operator_id = $1 and noun <> 'sign_in'
        and id > (select max(id) from audit where noun = 'operator' and row_id = $1)`,
    [id],
  );
  return rows;
}

async function counted(): Promise<unknown> {
  const { rows } = await world.pool.query(
    `select (select count(*)::int from leads where name like 'Imported%') as imported, (select count(*)::int from messages) as messages,
            (select count(*)::int from lead_documents) as documents, (select count(*)::int from assistant_calls) as proposals`,
  );
  return rows[0];
}

/** Lock the tables that slow work needs. Returns a function that releases them. */
async function hold(tables = 'outreach, outreach_products, llm_runs'): Promise<{ release: () => Promise<void> }> {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query(`lock table ${tables} in access exclusive mode`);
  return {
    async release() {
      await client.query('commit');
      client.release();
    },
  };
}

async function waiting(): Promise<number> {
  const { rows } = await world.pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows[0]?.n ?? 0;
}

/** Let the model in a chat start and then stay silent; documents are processed without delay. */
const silent = () =>
  world.control.setFaults([
    { kind: 'openai.hostile', match: { text: 'set the limit' } },
    { kind: 'openai.stall_middle', afterTokens: 1, match: { text: 'Talk to me' } },
    { kind: 'openai.says', says: 'Here is our offer for your kitchen.', match: { text: 'Write' } },
  ]);

const signIn = async (login: string): Promise<Response> =>
  world.anonymousClient().fetch('/v1/auth/login', {
    method: 'POST',
    body: JSON.stringify({ login, password: PASSWORD }),
    headers: { 'content-type': 'application/json' },
  });

/** Check what the operator can still do with a session opened before or during the loss of rights. */
async function mayStill({ stays, ofAdmin }: Loss, client: Client): Promise<void> {
  const status = async (path: string) => (await client.fetch(path)).status;
  expect(await status('/v1/auth/validate')).toBe(stays ? 200 : 401);
  expect(await status(`/v1/leads/?product_id=${world.productId}`)).toBe(stays ? 404 : 401);
  expect(await status(`/v1/leads/?product_id=${other.productId}`)).toBe(stays ? 200 : 401);
  if (ofAdmin) expect(await status('/v1/operators/')).toBe(403);
}

/** Return the server's context, and the operator as the server knows them now. */
async function doing({ client }: Operator): Promise<{ context: AppContext; caller: Caller | null }> {
  const context = world.app?.context;
  if (!context) throw new Error('no server');
  const token = client.cookie.replace('rapport_session=', '');
  return { context, caller: await createSessions(context).find(token, 'background') };
}

const REFUSED = [401, 403, 404];

describe.each(LOSSES)('$name', (loss) => {
  it('opens and changes nothing after the revocation: $name', async () => {
    const one = await enter(loss);
    const slow = await calls(one);
    expect((await loss.happen(one)).status).toBe(200);
    const before = await counted();
    for (const open of await stayOpen(one.client)) expect([open.isOver, open.received()]).toEqual([true, '']);
    const statuses = (await Promise.all(slow.map((call) => call()))).map(({ status }) => status);
    expect(statuses.filter((status) => !REFUSED.includes(status))).toEqual([]);
    expect([await counted(), await auditEntriesAfterLoss(one)]).toEqual([before, []]);
    await mayStill(loss, one.client);
  });

  it('ends streams, sockets, model answers, imports, documents and plans under way', async () => {
    await silent();
    const one = await enter(loss);
    const slow = await calls(one);
    const lockHolder = await hold();
    const [open, elsewhere] = await Promise.all([stayOpen(one.client), listen(one.client, other.productId)]);
    await world.waitUntil(async () => (await world.control.quiet()).streams === 2, 'both models to speak');
    const before = await counted();
    const asked = slow.map((call) => call());
    // A company makes one plan at a time: the second call waits in the queue.
    await world.waitUntil(async () => (await waiting()) >= 4, 'the calls to be held');
    expect((await loss.happen(one)).status).toBe(200);
    await lockHolder.release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => !REFUSED.includes(status))).toEqual([]);
    await Promise.all(open.map(({ ended }) => ended));
    await world.waitUntil(async () => (await world.control.quiet()).streams === 0, 'the models to be left');
    expect([await counted(), await auditEntriesAfterLoss(one)]).toEqual([before, []]);
    expect(open.map(({ received }) => received()).join()).not.toMatch(/set_daily_limit|"type":/);
    await mayStill(loss, one.client);
    expect(elsewhere.isOver).toBe(!loss.stays);
    elsewhere.leave();
  });

  it('leaves nothing open that raced with the revocation', async () => {
    await silent();
    for (let round = 0; round < ROUNDS; round++) {
      const one = await enter(loss);
      const slow = await calls(one);
      const [lost, open, logins] = await Promise.all([
        loss.happen(one),
        stayOpen(one.client),
        Promise.all([1, 2, 3].map(() => signIn(one.login))),
        ...slow.map((call) => call()),
      ]);
      expect(lost.status).toBe(200);
      expect(await auditEntriesAfterLoss(one)).toEqual([]);
      await Promise.all(open.map(({ ended }) => ended));
      await mayStill(loss, one.client);
      for (const login of logins) {
        const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
        const cookied = (path: string) => fetch(`${world.url}${path}`, { headers: { cookie } });
        if (login.status === 200) await mayStill(loss, { ...one.client, fetch: cookied });
        else expect([loss.stays, login.status]).toEqual([false, 401]);
      }
    }
    await world.waitUntil(async () => (await world.control.quiet()).streams === 0, 'the models to be left');
  });

  it('checks access again before it returns what was being read', async () => {
    const one = await enter(loss);
    const lockHolder = await hold('leads');
    const asked = ['', `?product_id=${world.productId}`].map((query) => one.client.fetch(`/v1/leads/${query}`));
    await world.waitUntil(async () => (await waiting()) >= asked.length, 'the lists to be held');
    expect((await loss.happen(one)).status).toBe(200);
    await lockHolder.release();
    const statuses = await Promise.all(asked.map(async (each) => (await each).status));
    expect(statuses.filter((status) => !REFUSED.includes(status))).toEqual([]);
  });

  it('waits for a change that is about to be committed', async () => {
    const one = await enter(loss);
    const { context, caller } = await doing(one);
    const done = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const change = context.transact(async (tx) => {
      await recordAuditEntry(tx, {
        caller,
        action: 'tried',
        noun: 'product',
        rowId: world.productId,
        productId: world.productId,
      });
      done.resolve();
      await release.promise;
    });
    await done.promise;
    const losing = loss.happen(one);
    await world.waitUntil(async () => (await waiting()) > 0, 'the loss to wait', 5000);
    release.resolve();
    await change;
    expect([(await losing).status, await auditEntriesAfterLoss(one)]).toEqual([200, []]);
  });

  it("checks access again when a request's body arrives late", async () => {
    const one = await enter(loss);
    const body = JSON.stringify({ product_id: world.productId, import_key: randomUUID(), rows: [row(2)] });
    const socket = connect(world.port, '127.0.0.1');
    socket.write(
      `POST ${importLeads.path} HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nConnection: close\r\nOrigin: ${world.url}\r\nCookie: ${one.client.cookie}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
    );
    // An answer of the same node shows that the head was read, because requests are entered in order.
    await one.client.fetch('/v1/auth/validate');
    expect((await loss.happen(one)).status).toBe(200);
    const before = await counted();
    socket.write(body.slice(20));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 (401|403|404) /);
    expect(await counted()).toEqual(before);
  });

  it('checks access again when a queued request starts', async () => {
    const one = await enter(loss);
    const lockHolder = await hold();
    const more = () =>
      one.client.call(importLeads, {
        body: { product_id: world.productId, import_key: randomUUID(), rows: [row(2)] },
      });
    const reads = () => one.client.fetch(`/v1/leads/?product_id=${world.productId}`);
    // The operator's share of running calls is three quarters of the connections.
    const running = Array.from({ length: (CONNECTIONS * 3) / 4 }, more);
    await world.waitUntil(async () => (await waiting()) >= running.length, 'his share to be used up');
    const queued = [reads(), reads()];
    const all = one.client.fetch('/v1/leads/');
    await one.client.fetch('/v1/auth/validate');
    expect((await loss.happen(one)).status).toBe(200);
    await lockHolder.release();
    const statuses = await Promise.all(queued.map(async (each) => (await each).status));
    expect(statuses.filter((status) => !REFUSED.includes(status))).toEqual([]);
    await Promise.all(running);
    expect(await auditEntriesAfterLoss(one)).toEqual([]);
    // A request that names no row is answered with the operator's present rights.
    expect((await all).status).toBe(loss.stays ? 200 : 401);
    expect(await (await all).text()).not.toContain('Pia');
  });
});

it("refuses a demoted admin's change that was under way", async () => {
  const one = await enter({ ofAdmin: true });
  const { context, caller } = await doing(one);
  expect((await change(one.id, {})).status).toBe(200);
  const entry = { caller, action: 'created', noun: 'company', rowId: null };
  await expect(context.transact((tx) => recordAuditEntry(tx, entry))).rejects.toMatchObject({ status: 403 });
  expect(await auditEntriesAfterLoss(one)).toEqual([]);
});

it('ends the audit export when its reader is no longer an admin', async () => {
  const one = await enter({ ofAdmin: true });
  await world.pool.query(
    `insert into audit (action, noun, after) select 'filled', 'filler', jsonb_build_object('text', repeat('x', 4000))
       from generate_series(1, 5000)`,
  );
  // Not with the test client, which reads an answer to its end.
  const headers = { cookie: one.client.cookie, origin: world.url };
  const answer = await fetch(`${world.url}${exportAudit.path}`, { method: 'POST', headers });
  expect(answer.status).toBe(200);
  expect((await change(one.id, {})).status).toBe(200);
  let length = 0;
  const read = async () => {
    for await (const chunk of answer.body ?? []) length += Buffer.from(chunk).length;
  };
  await expect(read()).rejects.toThrow();
  expect(length).toBeLessThan(20_000_000);
});
