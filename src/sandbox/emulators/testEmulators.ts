/** The environment of the emulators' own tests: a running emulator, an account, and a receiver of its hooks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterEach, beforeEach, vi } from 'vitest';
import { z } from 'zod';
import type { SettingsPatch } from './contract.ts';
import { controlClient } from './control.ts';
import { startEmulators } from './server.ts';

const items = z.array(z.record(z.string(), z.unknown())).optional();
const hookSchema = z.looseObject({ messages: items, statuses: items, channelsUpdates: items });

export type HookSink = Awaited<ReturnType<typeof hookSink>>;

/** Listen on a free port, or on the given one, like a server that restarts. */
export async function hookSink(port = 0) {
  const hooks: z.infer<typeof hookSchema>[] = [];
  const delays: Promise<void>[] = [];
  const server = createServer((request, response) => {
    void readText(request).then(async (body) => {
      const type = request.headers['content-type'] ?? '';
      sink.bodies.push(body);
      sink.contentTypes.push(type);
      if (type.startsWith('application/json')) hooks.push(hookSchema.parse(JSON.parse(body)));
      response.statusCode = sink.answers.shift() ?? sink.usualAnswer;
      await delays.shift();
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = z.object({ port: z.number() }).parse(server.address());
  const sink = {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/hooks/secret`,
    hooks,
    /** Bodies as they came; those that are no JSON are not among `hooks`. */
    bodies: Array<string>(),
    contentTypes: Array<string>(),
    /** Statuses of the answers to the next hooks, one by one, and of all others. */
    answers: Array<number>(),
    usualAnswer: 200,
    /** Hold the answer to the next hook until the returned function is called. */
    delayNext: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      delays.push(promise);
      return resolve;
    },
    messages: () => hooks.flatMap((hook) => hook.messages ?? []),
    statuses: () => hooks.flatMap((hook) => hook.statuses ?? []),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return sink;
}

/** Wait until the condition is true. Throws after ten seconds. */
export const waitUntil = (condition: () => boolean | Promise<boolean>) =>
  vi.waitUntil(condition, { timeout: 10_000, interval: 5 });

export function temporaryDirectory(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'rapport-emulators-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export const key = 'key-of-the-account';
export const whatsapp = { channelId: 'whatsapp-channel', transport: 'whatsapp', plainId: '79990000001' } as const;
export const telegram = { channelId: 'telegram-channel', transport: 'tgapi', plainId: '79990000002' } as const;
export const bot = { channelId: 'bot-channel', transport: 'telegram', plainId: 'rapport_bot' } as const;

/** Wazzup24's API at an emulator, as its customer calls it. */
export function wazzup24At(url: string) {
  async function api(method: string, path: string, body?: unknown, as: string | null = key) {
    const response = await fetch(`${url}/wazzup24/v3${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).parse(await response.json());
    return { status: response.status, body: Array.isArray(answer) ? { items: answer } : answer };
  }
  return {
    api,
    /** Send a WhatsApp text to a lead; fields of the body can be replaced. */
    send: (to: string, text: string, more: Record<string, unknown> = {}) =>
      api('POST', '/message', { channelId: whatsapp.channelId, chatType: 'whatsapp', chatId: to, text, ...more }),
    subscribe: async (webhooksUri: string) => {
      const subscriptions = { messagesAndStatuses: true, channelsUpdates: true };
      const { status, body } = await api('PATCH', '/webhooks', { webhooksUri, subscriptions });
      if (status !== 200) throw new Error(`The hook was not accepted: ${JSON.stringify(body)}`);
    },
  };
}

export type TestEmulators = Awaited<ReturnType<typeof startTestEmulators>>;

/**
 * Start emulators with one account of three channels, subscribed to the sink; with fast statuses and no idle timeout.
 */
export async function startTestEmulators(settings: SettingsPatch = {}) {
  const { dir, remove } = temporaryDirectory();
  const running = await startEmulators({ dir });
  const sink = await hookSink();
  const control = controlClient(running.url, running.token);
  await control.changeSettings({
    statuses: { sentMs: 5, deliveredMs: 15, readMs: 25 },
    hooks: { pauseMs: 20 },
    llm: { msPerToken: 0 },
    ...settings,
  });
  await control.putAccount(key, { channels: [whatsapp, telegram, bot] });
  const vendor = wazzup24At(running.url);
  await vendor.subscribe(sink.url);
  sink.hooks.length = 0;
  return {
    url: running.url,
    control,
    sink,
    ...vendor,
    close: async () => {
      await running.stop();
      await sink.close();
      remove();
    },
  };
}

/** The emulators of the current test, started by `setUpEmulators`. */
export let world: TestEmulators;

/** Start emulators before each test of the file, and stop them after it. */
export function setUpEmulators(): void {
  beforeEach(async () => {
    world = await startTestEmulators();
  });
  afterEach(() => world.close());
}
