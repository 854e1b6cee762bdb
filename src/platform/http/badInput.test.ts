/**
 * The answers to malformed requests, for every endpoint. Generated from the routes, so that a new endpoint is covered.
 * In `npm test` an endpoint gets a part of what is malformed, and the next endpoint the next part.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from '../../testing/everyResource.ts';
import { partOf } from '../../testing/partOf.ts';
import {
  endpointTitle,
  leaksInternals,
  type Reply,
  responseFault,
  sampleOf,
  send,
  sendSample,
  takesBody,
  urlOf,
} from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import { jsonSchemaOf } from './shapes.ts';

let world: World;
let endpoints: readonly Endpoint[];
let rows: CompanyRowIds;
let admin: Record<string, string>;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  admin = { cookie: (await world.operator('root')).cookie, origin: world.url };
});
afterAll(() => world.close());

const idOf = (resource: string): number => rows[resource] ?? 1;
/** Hooks with an invalid secret are read no further than their head: see `admission.test.ts`. */
const bodied = () => endpoints.filter((one) => takesBody(one) && !one.path.includes('{secret}'));
/** Those of our own console. */
const strictlyBodied = () => bodied().filter((one) => !one.loose);
/** Endpoints for our own console. What vendors send is read leniently. */
const strict = () => endpoints.filter((one) => !one.loose);

interface Detail {
  detail: { loc: (string | number)[]; msg: string; type: string }[];
}

/** Check for a 422 in wire form, and return its locations. */
function places(answer: Reply): string[] {
  expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(/^\{"detail":\[\{/)]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const { detail } = JSON.parse(answer.text) as Detail;
  for (const one of detail) {
    expect(Object.keys(one).sort()).toEqual(['loc', 'msg', 'type']);
    expect(['body', 'query', 'path']).toContain(one.loc[0]);
    expect(one.msg).not.toBe('');
  }
  return detail.map((one) => one.loc.join('.'));
}

describe('a body', () => {
  it('answers 415 to a body of another content type', async () => {
    const before = await tableFingerprints(world.pool);
    const types = [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/octet-stream',
      'nonsense',
    ];
    for (const [row, one] of bodied().entries()) {
      const sample = sampleOf(one, idOf);
      for (const type of partOf(one.loose ? types : [...types, 'application/x-www-form-urlencoded'], row, 3)) {
        const headers = { ...admin, 'content-type': type };
        const answer = await send(world.url, one.method, urlOf(one, sample), {
          headers,
          body: JSON.stringify(sample.body),
        });
        expect([endpointTitle(one), type, answer.status, responseFault(answer)]).toEqual([
          endpointTitle(one),
          type,
          415,
          null,
        ]);
      }
    }
    expect(bodied().length).toBeGreaterThan(25);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('accepts JSON bodies with a charset', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF8"']) {
      const headers = { ...admin, 'content-type': type };
      const answer = await send(world.url, 'POST', '/v1/companies/', { headers, body: '{"name":"Taken"}' });
      expect([type, answer.status]).toEqual([type, 201]);
    }
  });

  it('answers 415 to a body that is declared in another charset than UTF-8', async () => {
    const before = await tableFingerprints(world.pool);
    for (const [charset, encoding] of [
      ['utf-16', 'utf16le'],
      ['iso-8859-1', 'latin1'],
      ['"windows-1251"', 'utf8'],
    ] as const) {
      const headers = { ...admin, 'content-type': `application/json; charset=${charset}` };
      const body = Buffer.from('{"name":"M\u00fcller"}', encoding);
      const answer = await send(world.url, 'POST', '/v1/companies/', { headers, body });
      expect([charset, answer.status, answer.text]).toEqual([
        charset,
        415,
        '{"detail":"The body has to be in UTF-8."}',
      ]);
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('answers 422 to a body that is no UTF-8, and stores nothing of it', async () => {
    const before = await tableFingerprints(world.pool);
    const headers = { ...admin, 'content-type': 'application/json' };
    const body = Buffer.from('{"name":"M\u00fcller"}', 'latin1');
    expect(places(await send(world.url, 'POST', '/v1/companies/', { headers, body }))).toEqual(['body']);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it.each([
    ['cut', '{"name":'],
    ['no JSON', 'name=Anna'],
    ['single quotes', "{'name':'Anna'}"],
    ['NaN', '{"name":NaN}'],
    ['a stray end', '{}}'],
    ['a byte order mark and nothing', '\ufeff'],
    ['nested absurdly', '['.repeat(10_000)],
    ['nested deeply', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
    ['__proto__', '{"name":"x","__proto__":{"admin":true}}'],
    ['constructor', '{"name":"x","constructor":{"prototype":{"admin":true}}}'],
    ['__proto__ within', '{"config":{"a":{"__proto__":{}}}}'],
    ['an escaped __proto__', '{"\\u005f_proto__":{}}'],
  ])('answers 422 to a malformed body: %s', async (name, body) => {
    const before = await tableFingerprints(world.pool);
    for (const one of partOf(strictlyBodied(), name.length, 4)) {
      const headers = { ...admin, 'content-type': 'application/json' };
      const answer = await send(world.url, one.method, urlOf(one, sampleOf(one, idOf)), { headers, body });
      expect([endpointTitle(one), responseFault(answer)]).toEqual([endpointTitle(one), null]);
      expect([endpointTitle(one), places(answer)[0]?.split('.')[0]]).toEqual([endpointTitle(one), 'body']);
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('answers 422 to a body of an undeclared JSON type', async () => {
    for (const [row, one] of strictlyBodied().entries()) {
      for (const body of partOf(['[]', '"text"', '1', 'true', 'null', '[{}]'], row, 3)) {
        // Endpoints that require no fields treat null like an empty body.
        if (body === 'null' && requiredOf(one).length === 0) continue;
        const answer = await send(world.url, one.method, urlOf(one, sampleOf(one, idOf)), {
          headers: { ...admin, 'content-type': 'application/json' },
          body,
        });
        expect([endpointTitle(one), body, answer.status, responseFault(answer)]).toEqual([
          endpointTitle(one),
          body,
          422,
          null,
        ]);
      }
    }
  });

  it('names each required field that a body lacks', async () => {
    let seen = 0;
    for (const one of strict().filter((each) => takesBody(each) && requiredOf(each).length > 0)) {
      seen++;
      for (const body of ['{}', undefined]) {
        const answer = await send(world.url, one.method, urlOf(one, sampleOf(one, idOf)), {
          headers: { ...admin, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body }),
        });
        expect([endpointTitle(one), places(answer).sort()]).toEqual([
          endpointTitle(one),
          expect.arrayContaining(requiredOf(one).map((key) => `body.${key}`)),
        ]);
      }
    }
    expect(seen).toBeGreaterThan(12);
  });

  it('answers 422 to an unknown field of a body and names it', async () => {
    const before = await tableFingerprints(world.pool);
    for (const one of strict().filter((each) => each.method !== 'GET')) {
      const sample = sampleOf(one, idOf);
      const body = { ...(sample.body as Record<string, unknown>), surprise: 1 };
      const answer = await send(world.url, one.method, urlOf(one, sample), {
        headers: { ...admin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect([endpointTitle(one), places(answer)]).toEqual([endpointTitle(one), ['body.surprise']]);
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('answers 413 to a body of 2 MB and keeps running', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) });
    for (const one of partOf(bodied(), 0, 4)) {
      const answer = await send(world.url, one.method, urlOf(one, sampleOf(one, idOf)), {
        headers: { ...admin, 'content-type': 'application/json' },
        body,
      });
      expect([endpointTitle(one), answer.status, responseFault(answer)]).toEqual([endpointTitle(one), 413, null]);
      expect(answer.text).toMatch(/^\{"detail":"The body is larger than the limit of \d+ bytes\."\}$/);
    }
    expect((await send(world.url, 'GET', '/healthz')).status).toBe(200);
  });

  it('limits a body of undeclared length too', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(
        `${world.url}/v1/companies/`,
        { method: 'POST', headers: { ...admin, 'content-type': 'application/json', 'transfer-encoding': 'chunked' } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      // The server may close the connection once it has answered.
      request.on('error', (error) => (error.message.includes('EPIPE') ? undefined : reject(error)));
      request.write('{"name":"');
      for (let at = 0; at < 20; at++) request.write('x'.repeat(100_000));
      request.end('"}');
    });
    expect(status).toBe(413);
  });
});

const requiredOf = (one: Endpoint): string[] => jsonSchemaOf(one.body, 'input').required ?? [];

describe('a query', () => {
  it('answers 422 to an unknown query parameter and names it', async () => {
    const before = await tableFingerprints(world.pool);
    // A socket's query is read during the upgrade: see socketAccess.test.ts.
    const unknown = ['surprise', '__proto__', 'constructor', 'toString', 'page[]'].flatMap((key) =>
      ['1', ['1', '2']].map((value) => [key, value] as const),
    );
    for (const [row, one] of strict()
      .filter((each) => !each.socket)
      .entries()) {
      const sample = sampleOf(one, idOf);
      for (const [key, value] of partOf(unknown, row, 5)) {
        const answer = await sendSample(
          world.url,
          one,
          { ...sample, query: Object.fromEntries([...Object.entries(sample.query), [key, value]]) },
          admin,
        );
        expect([endpointTitle(one), answer.status, answer.text]).toEqual([
          endpointTitle(one),
          422,
          expect.stringContaining(`"query","${key}"`),
        ]);
      }
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('enforces the bounds of list parameters', async () => {
    const lists = endpoints.filter((one) => 'limit' in (jsonSchemaOf(one.query, 'input').properties ?? {}));
    expect(lists.length).toBeGreaterThan(9);
    const broken = [
      ...['0', '-1', '1.5', 'abc', '', '99999999999999999999', '1e3', 'null', '0x10'].flatMap((value) => [
        ['page', value],
        ['limit', value],
      ]),
      ['limit', '101000'],
    ];
    for (const [row, one] of lists.entries()) {
      const sample = sampleOf(one, idOf);
      const properties = jsonSchemaOf(one.query, 'input').properties ?? {};
      for (const [key = '', value] of partOf(broken, row, 3)) {
        if (!(key in properties)) continue;
        const answer = await sendSample(world.url, one, { ...sample, query: { ...sample.query, [key]: value } }, admin);
        expect([endpointTitle(one), key, value, places(answer)]).toEqual([
          endpointTitle(one),
          key,
          value,
          [`query.${key}`],
        ]);
      }
      for (const [key, value] of [
        ['order', 'up'],
        ['order_by', 'password_hash'],
        ['order_by', 'id; drop table leads'],
        ['created_from', 'yesterday'],
        ['created_from', '2026-02-30'],
        ['created_to', '0000-01-01'],
        ['created_timezone', 'Mars/Base'],
        ['with_total', 'maybe'],
      ] as const) {
        if (!(key in properties)) continue;
        const answer = await sendSample(world.url, one, { ...sample, query: { ...sample.query, [key]: value } }, admin);
        expect([endpointTitle(one), key, value, places(answer)]).toEqual([
          endpointTitle(one),
          key,
          value,
          [`query.${key}`],
        ]);
      }
      const twice = await send(world.url, 'GET', `${urlOf(one, sample).split('?')[0]}?page=1&page=2`, {
        headers: admin,
      });
      if ('page' in properties) expect([endpointTitle(one), twice.status]).toEqual([endpointTitle(one), 422]);
    }
  });
});

describe('an id in the path', () => {
  it('answers 422 to an id that is not a positive integer', async () => {
    const before = await tableFingerprints(world.pool);
    const broken = ['0', '-1', '1.5', 'abc', '1e3', '0x1', '+1', '%201', '1%20', '9007199254740993', '9'.repeat(30)];
    broken.push('null', 'undefined', '1;drop%20table%20leads', '%00', '%F0%9F%92%A9', '1%2F2', '__proto__', '1,2');
    let seen = 0;
    for (const one of endpoints) {
      for (const [key, schema] of Object.entries(jsonSchemaOf(one.params, 'input').properties ?? {})) {
        if (schema.type !== 'integer') continue;
        seen++;
        const sample = sampleOf(one, idOf);
        for (const value of partOf(broken, seen, 6)) {
          const path = urlOf(one, { ...sample, params: { ...sample.params, [key]: 'ID' } }).replace('/ID', `/${value}`);
          const answer = await send(world.url, one.method, path, {
            headers: { ...admin, ...(takesBody(one) ? { 'content-type': 'application/json' } : {}) },
            ...(takesBody(one) ? { body: JSON.stringify(sample.body) } : {}),
          });
          expect([path, answer.status, responseFault(answer)]).toEqual([path, 422, null]);
          expect(places(answer)[0]).toBe(`path.${key}`);
        }
      }
    }
    expect(seen).toBeGreaterThan(25);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('answers 404 to an unknown id', async () => {
    for (const one of endpoints) {
      for (const [key, schema] of Object.entries(jsonSchemaOf(one.params, 'input').properties ?? {})) {
        if (schema.type !== 'integer') continue;
        const sample = sampleOf(one, idOf);
        for (const id of [8_999_999_999, Number.MAX_SAFE_INTEGER]) {
          const answer = await sendSample(
            world.url,
            one,
            { ...sample, params: { ...sample.params, [key]: id } },
            admin,
          );
          expect([endpointTitle(one), answer.status, responseFault(answer)]).toEqual([endpointTitle(one), 404, null]);
        }
      }
    }
  });
});

/** Different on every page. */
const NONCE = /nonce="[^"]+"/g;

/** These contain the time, or start something new. */
const CHANGING = [
  '/metrics',
  '/sandbox/clock',
  '/v1/outreach/rehearsal',
  '/v1/dialogues/{id}/hand-back',
  '/v1/amocrm/oauth/get_redirect',
  '/v1/system/health',
];

describe('an address', () => {
  it('answers the same with and without a trailing slash', async () => {
    for (const one of endpoints.filter((each) => each.method === 'GET')) {
      const [path = '', query] = urlOf(one, sampleOf(one, idOf)).split('?');
      const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
      const tail = query === undefined ? '' : `?${query}`;
      const first = await send(world.url, 'GET', `${path}${tail}`, { headers: admin });
      const second = await send(world.url, 'GET', `${other}${tail}`, { headers: admin });
      expect([other, second.status]).toEqual([other, first.status]);
      if (!CHANGING.includes(one.path))
        expect(second.text.replaceAll(NONCE, '')).toBe(first.text.replaceAll(NONCE, ''));
    }
  });

  it('accepts a trailing slash on requests with a body', async () => {
    for (const path of ['/v1/companies', '/v1/companies/']) {
      const headers = { ...admin, 'content-type': 'application/json' };
      const answer = await send(world.url, 'POST', path, { headers, body: '{"name":"Slash"}' });
      expect([path, answer.status]).toEqual([path, 201]);
    }
  });

  it.each([
    '/v1/leads/%',
    '/v1/leads/%ff',
    '/v1//leads/',
    '//v1/leads/',
    '/v1/leads/../../etc/passwd',
    '/%2e%2e/x',
    `/v1/leads/${'9'.repeat(5000)}`,
  ])('refuses a malformed address plainly: %s', async (path) => {
    const answer = await raw('GET', path);
    expect([400, 404, 414, 422]).toContain(answer.status);
    expect(answer.text).toMatch(/^\{"detail":/);
    expect(leaksInternals(answer.text)).toBe(false);
  });

  it('refuses other methods of an address', async () => {
    const before = await tableFingerprints(world.pool);
    for (const [row, one] of endpoints.entries()) {
      const path = urlOf(one, sampleOf(one, idOf));
      for (const method of partOf(['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'], row, 3)) {
        const answer = await raw(method, path);
        // Monitors ask for health by HEAD too.
        if (method === 'HEAD' && ['/healthz', '/readyz'].includes(path)) {
          expect([path, answer.status, answer.text]).toEqual([path, 200, '']);
          continue;
        }
        expect([method, path, [404, 405, 501, 400].includes(answer.status)]).toEqual([method, path, true]);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });
});

/** Send a request that no client library normalizes first. */
function raw(
  method: string,
  path: string,
): Promise<{ status: number; text: string; headers: Record<string, string | string[] | undefined> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: world.port, method, path, headers: admin, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      },
    );
    request.on('error', reject);
    request.end();
  });
}
