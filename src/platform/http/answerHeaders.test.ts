/** The headers of every answer, whatever the outcome of the call. Generated from the routes. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '../../app.ts';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { endpointTitle, sampleOf, send, sendSample, takesBody, urlOf } from '../../testing/sampleRequests.ts';
import { createWorld, freePort, type World } from '../../testing/world.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { headersOf } from './headers.ts';

let world: World;
let rows: CompanyRowIds;
let admin: Record<string, string>;
/** A second server on the same database, reached over https. */
let secure: App;
let secureUrl: string;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  admin = { cookie: (await world.operator('root')).cookie, origin: world.url };
  const port = String(await freePort());
  secureUrl = `http://127.0.0.1:${port}`;
  secure = await startApp(
    readConfig(world.env({ PORT: port, RAPPORT_PUBLIC_URL: 'https://rapport.example' })),
    createLog('warn'),
  );
});
afterAll(async () => {
  await secure.stop();
  await world.close();
});

/** List the faults in the headers of an answer. */
function faultsOf({ headers, text = '' }: { headers: Headers; text?: string }, isHttps: boolean): string[] {
  const policy = headers.get('content-security-policy') ?? '';
  const scripts = /script-src ([^;]+)/.exec(policy)?.[1] ?? /default-src ([^;]+)/.exec(policy)?.[1] ?? '*';
  const checks: readonly [string, boolean][] = [
    ['nosniff', headers.get('x-content-type-options') === 'nosniff'],
    ['frame-ancestors', policy.includes("frame-ancestors 'none'")],
    ['no script of anybody else', !/unsafe|\*|https?:|data:|blob:/.test(scripts)],
    ['no referrer', headers.get('referrer-policy') === 'no-referrer'],
    ['for our own pages only', headers.get('cross-origin-resource-policy') === 'same-origin'],
    ['no word of the server', !headers.has('server') && !headers.has('x-powered-by')],
    ['no other origin', !headers.has('access-control-allow-origin')],
    ['the media type of its body', text === '' || headers.has('content-type')],
    ['https only', (headers.get('strict-transport-security') ?? '').includes('includeSubDomains') === isHttps],
  ];
  return checks.filter(([, passes]) => !passes).map(([what]) => what);
}

describe('the headers of every response', () => {
  it('sends the security headers with every response: successes, refusals, streams, pages and 404s', async () => {
    const wrong: string[] = [];
    const check = (
      what: string,
      answer: { status: number; headers: Headers; text?: string },
      isHttps = false,
    ): void => {
      for (const fault of faultsOf(answer, isHttps)) wrong.push(`${what} (${answer.status}): ${fault}`);
    };
    for (const { endpoint: one } of world.app?.routes ?? []) {
      // These end our session, or wait for the clock.
      if (['POST /v1/auth/logout', 'POST /sandbox/clock'].includes(endpointTitle(one))) continue;
      const sample = sampleOf(one, (resource) => rows[resource] ?? 1);
      if (one.method === 'GET') check(endpointTitle(one), await sendSample(world.url, one, sample, admin));
      const path = urlOf(one, sample);
      check(`${endpointTitle(one)}, by nobody`, await send(world.url, one.method, path));
      check(
        `${endpointTitle(one)}, asked wrongly`,
        await send(world.url, one.method, `${path}${path.includes('?') ? '&' : '?'}surprise=1`, { headers: admin }),
      );
      if (takesBody(one))
        check(
          `${endpointTitle(one)}, no JSON`,
          await send(world.url, one.method, path, {
            headers: { ...admin, 'content-type': 'application/json' },
            body: '{',
          }),
        );
    }
    for (const path of [
      '/',
      '/auth/login',
      '/sandbox',
      '/nowhere',
      '/v1/nothing',
      '/assets/none.js',
      '/%',
      '/docs',
      '/openapi.json',
    ]) {
      check(path, await send(world.url, 'GET', path));
      check(`${path} over https`, await send(secureUrl, 'GET', path), true);
    }
    for (const path of ['/healthz', '/v1/leads/', '/v1/auth/validate'])
      check(`${path} over https`, await send(secureUrl, 'GET', path), true);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['431', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['400', 'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n'],
    ['400', 'this is no HTTP\r\n\r\n'],
  ])('sends the security headers with a response that reaches no route: %s', async (status, sent) => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      socket.once('close', () => resolve(answer)).once('error', reject);
      socket.write(sent);
    });
    const [head = '', body] = text.split('\r\n\r\n');
    const [first, ...lines] = head.split('\r\n');
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const headers = new Headers(
      lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']),
    );
    expect(faultsOf({ headers, text: body ?? '' }, false)).toEqual([]);
    expect(JSON.parse(body ?? '')).toEqual({ detail: expect.any(String) });
  });

  it('names the allowed methods in a 405', async () => {
    const wrong: string[] = [];
    for (const { endpoint: one } of world.app?.routes ?? []) {
      const path = urlOf(
        one,
        sampleOf(one, (resource) => rows[resource] ?? 1),
      );
      const answer = await send(world.url, 'OPTIONS', path, { headers: admin });
      const allowed = (answer.headers.get('allow') ?? '').split(', ');
      if (
        answer.status !== 405 ||
        !allowed.includes(one.method) ||
        !answer.text.includes('OPTIONS is not allowed here')
      )
        wrong.push(`${endpointTitle(one)}: ${answer.status} ${allowed.join()}`);
    }
    expect(wrong).toEqual([]);
    const { status, headers } = await send(world.url, 'DELETE', '/v1/auth/login', { headers: admin });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('answers 426 to a plain request for a socket', async () => {
    for (const { endpoint: one } of (world.app?.routes ?? []).filter((each) => each.endpoint.socket))
      for (const headers of [{}, { cookie: admin['cookie'] ?? '' }]) {
        const answer = await send(world.url, 'GET', one.path, { headers });
        expect([one.path, answer.status, answer.headers.get('upgrade')]).toEqual([one.path, 426, 'websocket']);
      }
  });

  it('names the missing header when a sign-in has no Origin', async () => {
    const answer = await send(world.url, 'POST', '/v1/auth/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'root', password: 'x' }),
    });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      403,
      { detail: `Send the header "Origin: ${world.url}" with this request.` },
    ]);
  });

  it("allows no script in pages except the console's own files", () => {
    const policy = headersOf(false).page['content-security-policy'] ?? '';
    expect(policy.split(';')).toEqual(
      expect.arrayContaining(["script-src 'self'", "object-src 'none'", "base-uri 'none'", "connect-src 'self'"]),
    );
  });

  it('forbids caching of every response except assets', async () => {
    for (const path of ['/v1/companies/', '/v1/auth/validate', '/v1/nothing', '/v1/leads/0'])
      expect([path, (await send(world.url, 'GET', path, { headers: admin })).headers.get('cache-control')]).toEqual([
        path,
        'no-store',
      ]);
  });
});
