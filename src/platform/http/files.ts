/** The console's built files. */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Addresses that the console answers itself, besides its assets. Part of the literal list of what is open to all. */
export const CONSOLE_PAGES = ['/', '/auth/login'] as const;
/** Our own picture, which amoCRM shows to whoever connects an account. Open to all, too. */
export const LOGO = '/logo.png';

/** The pages of the guide that the build has made; they hold what the repository's `docs/guide` says, and nothing else. */
function guideFiles(folder: string): readonly string[] {
  const guide = join(folder, 'guide');
  return existsSync(guide) ? readdirSync(guide).filter((file) => file.endsWith('.html')) : [];
}

/** Answers with a page of the build. Pages name the assets of their build: they are asked for anew each time. */
function sendPage(reply: FastifyReply, folder: string, file: string): FastifyReply {
  return reply
    .header('cache-control', 'no-cache')
    .sendFile(file, folder, { immutable: false, maxAge: 0, cacheControl: false });
}

/** How an address that nothing answers is shown to a browser: the console says that there is no such page. */
export function unknownPage(folder: string): ((reply: FastifyReply) => FastifyReply) | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  return (reply) => sendPage(reply.code(404), folder, 'index.html');
}

/** Serves the console; `/guide/` is the guide, `/sandbox` the phone page. Without a build it says so. */
export async function serveConsole(server: FastifyInstance, folder: string, sandbox: boolean): Promise<void> {
  const built = existsSync(join(folder, 'index.html'));
  if (built) {
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      // The files of the build and nothing else: no other address reaches the file system.
      wildcard: false,
      // Names carry the hash of their content.
      immutable: true,
      maxAge: '365d',
      decorateReply: true,
      preCompressed: true,
    });
  }
  const logo = await readFile(join(import.meta.dirname, '../../console/logo.png'));
  server.get(LOGO, async (_request, reply) =>
    // Pages of others show it.
    reply.header('cross-origin-resource-policy', 'cross-origin').type('image/png').send(logo),
  );
  const pages: [string, string][] = CONSOLE_PAGES.map((path) => [path, 'index.html']);
  if (sandbox) pages.push(['/sandbox', 'sandbox.html']);
  for (const file of built ? guideFiles(folder) : [])
    pages.push([`/guide/${file === 'index.html' ? '' : file.slice(0, -'.html'.length)}`, `guide/${file}`]);
  for (const [path, file] of pages) {
    server.get(path, async (_request, reply) => {
      if (!built) return reply.code(503).type('text/plain').send('The console is not built yet: npm start builds it.');
      return sendPage(reply, folder, file);
    });
  }
}
