/** The server serves the console files of the build and nothing else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendError } from './errors.ts';
import { serveConsole } from './files.ts';
import { handleNotFound } from './notFound.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapport-console-'));
let server: FastifyInstance;
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'login.html'), '<!doctype html><title>Log in</title>');
  writeFileSync(join(folder, 'secret.txt'), 'not an asset');
  writeFileSync(join(folder, 'assets', 'page-abc.js'), 'export {};');
  server = Fastify({ frameworkErrors: (error, request, reply) => sendError({ error, request, reply, limit: 1000 }) });
  server.setErrorHandler((error, request, reply) => sendError({ error, request, reply, limit: 1000 }));
  handleNotFound(server, { routes: [], maxBody: 1000, unknownPage: null });
  await serveConsole(server, folder, false);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

it.each([
  '..%5c',
  '%00',
  '%00.js',
  '..%5csecret.txt',
  '..%2fsecret.txt',
  '%2e%2e/secret.txt',
  'page-abc.js%00',
  './/page-abc.js',
  'none.js',
  '',
])('answers 404 to a path that is not an asset: %s', async (path) => {
  const { statusCode, body } = await server.inject({ url: `/assets/${path}` });
  expect([statusCode, body]).toEqual([404, '{"detail":"There is no such address."}']);
});

it('serves the login page as a document of its own, which browsers ask for again each time', async () => {
  const { statusCode, headers, body } = await server.inject({ url: '/auth/login?next=%2F' });
  expect([statusCode, headers['cache-control'], body]).toEqual([
    200,
    'no-cache',
    '<!doctype html><title>Log in</title>',
  ]);
});

it.each(['/', '/auth/login', '/logo.png', '/assets/page-abc.js'])(
  'answers HEAD as GET, without a body: %s',
  async (url) => {
    const [whole, head] = [await server.inject({ url }), await server.inject({ method: 'HEAD', url })];
    expect([head.statusCode, head.body]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
  },
);

it('lets browsers cache assets, whose names carry a hash of their content', async () => {
  const { statusCode, headers, body } = await server.inject({ url: '/assets/page-abc.js' });
  expect([statusCode, headers['cache-control'], body]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    'export {};',
  ]);
});
