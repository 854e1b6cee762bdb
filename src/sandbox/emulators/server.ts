/** One emulator process: the vendors' APIs and the control API on one loopback port, over one journal. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { ZodError } from 'zod';
import { lockDataDir } from '../../platform/postgres/lock.ts';
import { violationsOf } from '../../platform/validationMessages.ts';
import { amocrmRoutes } from './amocrm/routes.ts';
import { anthropicRoutes } from './anthropic/routes.ts';
import { bearerToken } from './bearerToken.ts';
import { chatpushRoutes } from './chatpush/routes.ts';
import { controlRoutes } from './controlApi.ts';
import { ImpossibleActionError, NotFoundError } from './errors.ts';
import { geminiRoutes } from './gemini/routes.ts';
import { type Holder, readHolder, writeHolder } from './holder.ts';
import { openaiRoutes } from './openai/routes.ts';
import { pushRoutes } from './push/routes.ts';
import { codeVersion } from './version.ts';
import { wazzup24Routes } from './wazzup24/routes.ts';
import { closeWorld, openWorld } from './world.ts';

/**
 * Start the emulators in this process. `port` 0 reuses the port of the directory's last run if it is free, otherwise
 * any; the token is kept too, so that clients from before a crash still reach them. Throws `DataDirInUse` if another
 * process uses `dir`.
 */
export async function startEmulators(options: { dir: string; port?: number }) {
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = await lockDataDir(dir);
  try {
    return await serve(dir, options.port ?? 0, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function serve(dir: string, wantedPort: number, release: () => void) {
  const before = readHolder(dir);
  const world = openWorld(dir);
  const app = fastify({ bodyLimit: 12_000_000, forceCloseConnections: true });
  const identity = { pid: process.pid, version: codeVersion(), startedAt: new Date().toISOString() };
  const token = before?.token ?? randomBytes(32).toString('base64url');
  const usage = { last: performance.now() };
  const end = Promise.withResolvers<void>();
  let stopping: Promise<void> | undefined;

  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(body.toString()));
    } catch {
      done(null, undefined);
    }
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(body.toString()));
  });
  errors(app);
  app.get('/health', async () => ({ ok: true }));
  await app.register(async (control) => {
    guard(control, token, usage);
    controlRoutes(control, world, identity, () => void stop());
  });
  wazzup24Routes(app, world);
  chatpushRoutes(app, world);
  openaiRoutes(app, world);
  anthropicRoutes(app, world);
  geminiRoutes(app, world);
  pushRoutes(app, world);
  await amocrmRoutes(app, world);

  const port = await listen(app, wantedPort || (before?.port ?? 0)).catch((error: unknown) => {
    // Another program has taken the port of the last run.
    if (wantedPort !== 0 || !(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    return listen(app, 0);
  });
  const holder: Holder = { ...identity, port, token };
  writeHolder(dir, holder);
  world.hooks.resume();
  world.receipts.resume();
  world.amocrm.resume();
  const idle = setInterval(() => {
    const { idleMs } = world.state.settings;
    if (idleMs > 0 && performance.now() - usage.last > idleMs) void stop();
  }, 1_000);

  function stop(): Promise<void> {
    stopping ??= (async () => {
      clearInterval(idle);
      await app.close();
      await closeWorld(world);
      release();
      end.resolve();
    })();
    return stopping;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    holder,
    /** Resolves when the emulators have ended: by `stop`, by the control API, or because they were idle. */
    ended: end.promise,
    stop,
  };
}

async function listen(app: FastifyInstance, port: number): Promise<number> {
  return Number(new URL(await app.listen({ host: '127.0.0.1', port })).port);
}

/** Require the token of emulators.json for the control API; every call counts as use. */
function guard(control: FastifyInstance, token: string, usage: { last: number }): void {
  const expected = Buffer.from(token);
  control.addHook('onRequest', async (request, reply) => {
    const actual = Buffer.from(bearerToken(request) ?? '');
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) {
      return reply.code(401).send({ detail: 'The control API needs the token of emulators.json.' });
    }
    usage.last = performance.now();
    return undefined;
  });
}

function errors(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    if (error instanceof NotFoundError) return reply.code(404).send({ detail: error.message });
    if (error instanceof ImpossibleActionError) return reply.code(409).send({ detail: error.message });
    if (error instanceof ZodError) {
      const detail = violationsOf(error)
        .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
        .join('; ');
      return reply.code(422).send({ detail });
    }
    process.stderr.write(`${error.stack ?? error.message}\n`);
    return reply.code(error.statusCode ?? 500).send({ detail: error.message });
  });
}
