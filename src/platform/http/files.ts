/** The built files of the console. */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Paths that the console serves besides its assets. Part of the literal list of what is open without a login. */
export const CONSOLE_PAGES = ['/', '/auth/login'] as const;
/** The login page is a document of its own, without the console. */
const LOGIN_PAGE = '/auth/login' satisfies (typeof CONSOLE_PAGES)[number];
/** The worker that shows notifications. At the root, so that its scope is the console. Open without a login, too. */
export const SERVICE_WORKER = '/service-worker.js';
/** Our logo, which amoCRM shows to users who connect an account. Open without a login, too. */
export const LOGO = '/logo.png';

/** HEAD answers as GET does, without the body: monitors and link checkers ask so. */
const READ_METHODS = ['GET', 'HEAD'];

/** List the guide pages of the build. They contain the text of the repository's `docs/guide` and nothing else. */
function guideFiles(folder: string): readonly string[] {
  const guide = join(folder, 'guide');
  return existsSync(guide) ? readdirSync(guide).filter((file) => file.endsWith('.html')) : [];
}

/** Send a page of the build. Pages name the assets of their build, so they are not cached. */
function sendPage(reply: FastifyReply, folder: string, file: string): FastifyReply {
  return reply
    .header('cache-control', 'no-cache')
    .sendFile(file, folder, { immutable: false, maxAge: 0, cacheControl: false });
}

/**
 * Return a handler that answers a browser at an unknown address with the console, which says that there is no such
 * page; null without a build.
 */
export function unknownPage(folder: string): ((reply: FastifyReply) => FastifyReply) | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  return (reply) => sendPage(reply.code(404), folder, 'index.html');
}

/** Serve the console: `/guide/` is the guide, `/sandbox` the phone page. Without a build, answer that it is missing. */
export async function serveConsole(server: FastifyInstance, folder: string, sandbox: boolean): Promise<void> {
  const built = existsSync(join(folder, 'index.html'));
  if (built) {
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      serve: false,
      // File names contain the hash of their content.
      immutable: true,
      maxAge: '365d',
      decorateReply: true,
      preCompressed: true,
    });
    // Serve only the files of the build: no other path reaches the file system. A route for each would take longer to
    // add than all others.
    const assets = new Set(readdirSync(join(folder, 'assets')));
    server.route<{ Params: { file: string } }>({
      method: READ_METHODS,
      url: '/assets/:file',
      handler: ({ params: { file } }, reply) => {
        if (assets.has(file)) return reply.sendFile(file);
        reply.callNotFound();
        return reply;
      },
    });
  }
  const logo = await readFile(join(import.meta.dirname, '../../console/logo.png'));
  server.route({
    method: READ_METHODS,
    url: LOGO,
    handler: async (_request, reply) =>
      // Pages of other origins show the logo.
      reply.header('cross-origin-resource-policy', 'cross-origin').type('image/png').send(logo),
  });
  const pages: [string, string][] = CONSOLE_PAGES.map((path) => [
    path,
    path === LOGIN_PAGE ? 'login.html' : 'index.html',
  ]);
  if (sandbox) pages.push(['/sandbox', 'sandbox.html']);
  if (built) pages.push([SERVICE_WORKER, SERVICE_WORKER.slice(1)]);
  for (const file of built ? guideFiles(folder) : [])
    pages.push([`/guide/${file === 'index.html' ? '' : file.slice(0, -'.html'.length)}`, `guide/${file}`]);
  for (const [path, file] of pages) {
    server.route({
      method: READ_METHODS,
      url: path,
      handler: async (_request, reply) => {
        if (!built)
          return reply.code(503).type('text/plain').send('The console is not built yet: npm start builds it.');
        return sendPage(reply, folder, file);
      },
    });
  }
}
