/** Access to every endpoint: the test matrix is derived from the routes, so that a new endpoint is covered at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint } from './platform/contract.ts';
import { CONSOLE_PAGES, LOGO, SERVICE_WORKER } from './platform/http/files.ts';
import { readRepositoryFile } from './testing/documentTable.ts';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from './testing/everyResource.ts';
import { endpointTitle, idPlaces, sampleOf, send, sendSample, urlOf, withId } from './testing/sampleRequests.ts';
import { createWorld, type World } from './testing/world.ts';

/** All endpoints that answer without a session, apart from the console's own pages and assets. */
const OPEN = {
  public: [
    'POST /v1/auth/login',
    // The second step of a sign-in: the cookie of the first step names the operator whose password was right.
    'POST /v1/auth/login/second-factor',
    'POST /v1/auth/login/passkey',
    'GET /v1/installation',
    'GET /healthz',
    'GET /readyz',
    'GET /v1/amocrm/oauth/callback',
    'GET /v1/amocrm/oauth/delete',
  ],
  hook: ['POST /hooks/{vendor}/{secret}', 'POST /hooks/amocrm/{secret}', 'POST /v1/amocrm/oauth/secrets'],
  metrics: ['GET /metrics'],
  document: ['GET /openapi.json', 'GET /docs'],
  sandbox: [
    'GET /sandbox/history',
    'GET /sandbox/phones',
    'GET /sandbox/phones/{contact_id}',
    'POST /sandbox/phones/{contact_id}/write',
    'POST /sandbox/phones/{contact_id}/human',
    'GET /sandbox/keys',
    'GET /sandbox/faults',
    'PUT /sandbox/faults/{id}',
    'GET /sandbox/sessions',
    'PUT /sandbox/sessions',
    'GET /sandbox/clock',
    'POST /sandbox/clock',
    'GET /sandbox/amocrm',
    'POST /sandbox/amocrm/cards',
    'PATCH /sandbox/amocrm/cards/{id}',
    'DELETE /sandbox/amocrm/cards/{id}',
    'POST /sandbox/amocrm/clients/{client_id}/disconnect',
  ],
  'session-or-hook': ['POST /v1/chatbot/webhook'],
} as const;

const MARK = 'Amber';
const UNKNOWN = 9_000_000_000;

let world: World;
let endpoints: readonly Endpoint[];
let ours: CompanyRowIds;
let theirs: CompanyRowIds;
let admin: Record<string, string>;
let member: Record<string, string>;
/** A member of our company. */
let colleague: Record<string, string>;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
  ours = await createCompanyWithEveryResource(world.pool, MARK);
  theirs = await createCompanyWithEveryResource(world.pool, 'Basalt');
  const headersOf = async (login: string, companies?: number[]) => ({
    cookie: (await world.operator(login, companies)).cookie,
    origin: world.url,
  });
  admin = await headersOf('root');
  member = await headersOf('stranger', [theirs.company ?? 0]);
  colleague = await headersOf('colleague', [ours.company ?? 0]);
});
afterAll(() => world.close());

const idIn = (rows: CompanyRowIds) => (resource: string) => rows[resource] ?? 1;
// Sockets answer 426 to a call that is no upgrade; doors.test.ts opens them without a session and outside the caller's
// companies.
const calls = () => endpoints.filter((one) => !one.socket);
const guarded = () => calls().filter((one) => ['session', 'admin', 'session-or-hook'].includes(one.access));

describe('the list of endpoints', () => {
  it('opens exactly the listed endpoints without a session', () => {
    const open: Record<string, string[]> = {};
    for (const one of endpoints) {
      if (one.access === 'session' || one.access === 'admin') continue;
      (open[one.access] ??= []).push(endpointTitle(one));
    }
    const sorted = (lists: Record<string, readonly string[]>) =>
      Object.fromEntries(Object.entries(lists).map(([access, list]) => [access, [...list].sort()]));
    expect(sorted(open)).toEqual(sorted(OPEN));
    expect([...CONSOLE_PAGES, SERVICE_WORKER, LOGO]).toEqual(['/', '/auth/login', '/service-worker.js', '/logo.png']);
  });

  it('lists every endpoint that the server answers', async () => {
    expect(endpoints.length).toBeGreaterThan(50);
    expect(new Set(endpoints.map(endpointTitle)).size).toBe(endpoints.length);
    for (const path of ['/v1', '/v1/', '/v1/accounts/', '/v1/sessions/', '/admin', '/.env', '/hooks', '/metrics/x']) {
      const answer = await send(world.url, 'GET', path, { headers: admin });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it('serves every endpoint of the specification', () => {
    const called = [
      ...readRepositoryFile('docs/specification.md').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^`]+)`/g),
    ];
    expect(called.length).toBeGreaterThan(100);
    const plain = (call: string) => call.replace(/\/$/, '');
    const served = new Set(endpoints.map((one) => plain(endpointTitle(one))));
    expect(called.flatMap(([, call = '']) => (served.has(plain(call)) ? [] : [call]))).toEqual([]);
  });

  it('names only resources that the tests create', async () => {
    const resources = new Set(endpoints.flatMap((one) => idPlaces(one).map((place) => place.resource)));
    expect(resources.size).toBeGreaterThan(5);
    for (const resource of resources) {
      expect(ours, resource).toHaveProperty(resource);
    }
  });
});

describe('without a session', () => {
  it.each([
    ['no cookie', ''],
    ['an invented cookie', `rapport_session=${'A'.repeat(43)}`],
    ['an empty cookie', 'rapport_session='],
  ])('answers 401 without a session and changes nothing: %s', async (_name, cookie) => {
    const before = await tableFingerprints(world.pool);
    const failures: string[] = [];
    for (const one of guarded()) {
      const headers = { origin: world.url, ...(cookie ? { cookie } : {}) };
      const answer = await sendSample(world.url, one, sampleOf(one, idIn(ours)), headers);
      if (answer.status !== 401 || answer.text !== '{"detail":"Please sign in."}')
        failures.push(`${endpointTitle(one)}: ${answer.status} ${answer.text.slice(0, 100)}`);
    }
    expect(failures).toEqual([]);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('refuses a webhook with a forged secret', async () => {
    const before = await tableFingerprints(world.pool);
    for (const one of endpoints.filter((each) => each.access === 'hook')) {
      const answer = await sendSample(world.url, one, sampleOf(one, idIn(ours)), {});
      expect([endpointTitle(one), answer.status]).toEqual([endpointTitle(one), 404]);
    }
    const webhook = endpoints.find((one) => one.access === 'session-or-hook');
    if (!webhook) throw new Error('There is no session-or-hook endpoint');
    for (const authorization of ['Bearer x', `Bearer ${'A'.repeat(43)}`]) {
      // A valid cookie does not make up for a wrong bearer token.
      for (const cookie of ['', admin.cookie ?? '']) {
        const answer = await sendSample(world.url, webhook, sampleOf(webhook, idIn(ours)), {
          authorization,
          ...(cookie ? { cookie } : {}),
        });
        expect(answer.status).toBe(401);
      }
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });
});

describe('a member of another company', () => {
  it('answers a member 404 for every foreign id in path, query and body, and changes nothing', async () => {
    const before = await tableFingerprints(world.pool);
    const failures: string[] = [];
    let tried = 0;
    for (const one of calls().filter((each) => each.access === 'session' || each.access === 'session-or-hook')) {
      const own = sampleOf(one, idIn(theirs));
      for (const place of idPlaces(one)) {
        tried++;
        const foreign = withId(one, own, place, ours[place.resource] ?? 1, idIn(theirs));
        const unknownId = withId(one, own, place, UNKNOWN, idIn(theirs));
        const answers = [
          await sendSample(world.url, one, foreign, member),
          await sendSample(world.url, one, unknownId, member),
        ];
        const [first, second] = answers.map((answer) => `${answer.status} ${answer.text}`);
        if (!first?.startsWith('404 {"detail":"There is no such ') || first !== second)
          failures.push(
            `${endpointTitle(one)} ${place.part}.${place.path.join('.')}: ${first?.slice(0, 160)} | ${second}`,
          );
      }
    }
    expect(failures).toEqual([]);
    expect(tried).toBeGreaterThan(50);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it("shows another company's member none of our rows in any list", async () => {
    const lists = endpoints.filter(
      (one) => one.method === 'GET' && one.access === 'session' && !one.path.includes('{') && !one.socket,
    );
    const seenByUs: string[] = [];
    for (const one of lists) {
      const { query } = sampleOf(one, idIn(theirs));
      const answer = await send(world.url, 'GET', urlOf(one, { params: {}, query: { ...query } }), {
        headers: member,
      });
      expect([endpointTitle(one), answer.status]).toEqual([endpointTitle(one), one.replies[302] ? 302 : 200]);
      expect([endpointTitle(one), answer.text.includes(MARK)]).toEqual([endpointTitle(one), false]);
      const us = await send(world.url, 'GET', urlOf(one, { params: {}, query: sampleOf(one, idIn(ours)).query }), {
        headers: colleague,
      });
      if (us.text.includes(MARK)) seenByUs.push(one.path);
    }
    expect(seenByUs).toEqual(
      expect.arrayContaining([
        '/v1/companies/',
        '/v1/products/',
        '/v1/leads/',
        '/v1/contacts/',
        '/v1/channels/',
        '/v1/dialogues/',
        '/v1/messages/',
      ]),
    );
  });

  it('reveals nothing about a foreign message used as a cursor', async () => {
    // Move our message after theirs: paging from it would show theirs.
    await world.pool.query("update messages set thread_at = thread_at + interval '1 day' where id = $1", [
      ours.message,
    ]);
    const page = async (before: number | undefined) =>
      (await send(world.url, 'GET', `/v1/dialogues/${theirs.dialogue}/thread?before=${before}`, { headers: member }))
        .text;
    expect(await page(ours.message)).toBe(await page(UNKNOWN));
  });

  it('does not return all rows for an id of zero, empty or null', async () => {
    for (const query of ['product_id=0', 'product_id=', 'product_id=null', 'company_id=0', 'company_id=']) {
      for (const path of ['/v1/leads/', '/v1/products/', '/v1/dialogues/', '/v1/product-channels/', '/v1/live']) {
        const answer = await send(world.url, 'GET', `${path}?${query}`, { headers: member });
        expect([path, query, answer.status]).toEqual([path, query, 422]);
      }
    }
  });
});

describe("an admin's endpoint", () => {
  it('refuses members at admin endpoints, in their own company too', async () => {
    const before = await tableFingerprints(world.pool);
    const adminOnly = endpoints.filter((one) => one.access === 'admin');
    expect(adminOnly.map(endpointTitle)).toEqual(
      expect.arrayContaining(['POST /v1/companies/', 'DELETE /v1/companies/{id}', 'POST /v1/channels/']),
    );
    for (const one of adminOnly) {
      const answer = await sendSample(world.url, one, sampleOf(one, idIn(ours)), colleague);
      expect([endpointTitle(one), answer.status, answer.text]).toEqual([
        endpointTitle(one),
        403,
        '{"detail":"Only an admin may do this."}',
      ]);
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('shows no credentials to members', async () => {
    const asAdmin = await send(world.url, 'GET', `/v1/channels/${ours.channel}`, { headers: admin });
    const asMember = await send(world.url, 'GET', `/v1/channels/${ours.channel}`, { headers: colleague });
    expect(JSON.parse(asAdmin.text)).toMatchObject({ credentials: { api_key: '…-key' } });
    expect(JSON.parse(asMember.text)).toMatchObject({ credentials: null });
    const list = await send(world.url, 'GET', '/v1/channels/', { headers: colleague });
    expect(list.text).not.toContain('api_key');
  });
});

describe('a request from a foreign page', () => {
  it('refuses a foreign Origin on everything but GET, with and without a body', async () => {
    const before = await tableFingerprints(world.pool);
    const failures: string[] = [];
    const changing = endpoints.filter((one) => one.method !== 'GET' && one.access !== 'hook');
    const port = new URL(world.url).port;
    const origins = [
      undefined,
      'null',
      'https://evil.example',
      `http://127.0.0.1.evil.example:${port}`,
      `http://127.0.0.1:${Number(port) + 1}`,
      `https://127.0.0.1:${port}`,
      `http://evil.example:${port}`,
      `${world.url}/`,
      `http://user@127.0.0.1:${port}`,
    ];
    for (const one of changing) {
      for (const origin of origins) {
        const headers = { cookie: admin.cookie ?? '', ...(origin === undefined ? {} : { origin }) };
        const sample = sampleOf(one, idIn(ours));
        for (const answer of [
          await sendSample(world.url, one, sample, headers),
          await send(world.url, one.method, urlOf(one, sample), { headers }),
        ]) {
          if (answer.status !== 403) failures.push(`${endpointTitle(one)} from ${origin}: ${answer.status}`);
        }
      }
    }
    expect(failures).toEqual([]);
    expect(changing.length).toBeGreaterThan(25);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it("accepts any of the host's names as Origin in the sandbox", async () => {
    const port = new URL(world.url).port;
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const headers = {
        cookie: admin.cookie ?? '',
        origin: `http://${host}:${port}`,
        'content-type': 'application/json',
      };
      const answer = await send(world.url, 'POST', '/v1/companies/', { headers, body: '{"name":"From here"}' });
      expect([host, answer.status]).toEqual([host, 201]);
    }
  });
});

/** The one GET that stores something: the vendor's status of a session. */
const LEARNS = 'GET /v1/channels/{id}/check-session';

/** Fingerprint all tables except the one that a GET may write: the OAuth states of connections that were started. */
async function allButStates(): Promise<Record<string, string>> {
  const { amocrm_states: _states, ...others } = await tableFingerprints(world.pool);
  return others;
}

describe('a GET', () => {
  it('changes nothing on a GET except the connection that it starts', async () => {
    const before = await allButStates();
    for (const one of endpoints.filter((each) => each.method === 'GET' && endpointTitle(each) !== LEARNS)) {
      const answer = await sendSample(world.url, one, sampleOf(one, idIn(ours)), admin);
      expect([endpointTitle(one), answer.status < 500]).toEqual([endpointTitle(one), true]);
    }
    expect(await allButStates()).toEqual(before);
  });
});
