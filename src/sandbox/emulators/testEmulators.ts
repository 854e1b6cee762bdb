/** The environment of the emulators' own tests: a running emulator, an account, and a receiver of its hooks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { SettingsPatch } from './contract.ts';
import { type ControlClient, controlClient } from './control.ts';
import { startEmulators } from './server.ts';

const itemSchema = z.looseObject({
  messageId: z.string().optional(),
  channelId: z.string().optional(),
  chatId: z.string().optional(),
  text: z.string().optional(),
  status: z.string().optional(),
  state: z.string().optional(),
  isEcho: z.boolean().optional(),
});
export type Item = z.infer<typeof itemSchema>;
const hookSchema = z.looseObject({
  messages: z.array(itemSchema).optional(),
  statuses: z.array(itemSchema).optional(),
  channelsUpdates: z.array(itemSchema).optional(),
  test: z.boolean().optional(),
});
type Hook = z.infer<typeof hookSchema>;

export interface HookSink {
  port: number;
  url: string;
  hooks: Hook[];
  /** Bodies as they came; those that are no JSON are not among `hooks`. */
  bodies: string[];
  contentTypes: string[];
  messages(): Item[];
  statuses(): Item[];
  /** Statuses of the answers to the next hooks, one by one, and of all others. */
  answers: number[];
  usualAnswer: number;
  /** Hold the answer to the next hook until the returned function is called. */
  delayNext(): () => void;
  close(): Promise<void>;
}

/** Listen on a free port, or on the given one, like a server that restarts. */
export async function hookSink(port = 0): Promise<HookSink> {
  const hooks: Hook[] = [];
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
  const sink: HookSink = {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/hooks/secret`,
    hooks,
    bodies: [],
    contentTypes: [],
    answers: [],
    usualAnswer: 200,
    delayNext: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      delays.push(promise);
      return resolve;
    },
    messages: () => hooks.flatMap((hook) => hook.messages ?? []),
    statuses: () => hooks.flatMap((hook) => hook.statuses ?? []),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return sink;
}

/** Wait until the condition is true. Throws after ten seconds. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error(`${what} did not come true`);
    await pause(5);
  }
}

export function temporaryDirectory(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'rapport-emulators-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export const key = 'key-of-the-account';
export const whatsapp = {
  channelId: '11111111-1111-4111-8111-111111111111',
  transport: 'whatsapp',
  plainId: '79990000001',
} as const;
export const telegram = {
  channelId: '22222222-2222-4222-8222-222222222222',
  transport: 'tgapi',
  plainId: '79990000002',
} as const;
export const bot = {
  channelId: '33333333-3333-4333-8333-333333333333',
  transport: 'telegram',
  plainId: 'rapport_bot',
} as const;

interface Reply {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

export interface TestEmulators {
  dir: string;
  url: string;
  token: string;
  control: ControlClient;
  sink: HookSink;
  /** Call Wazzup24's API as its customer. */
  api(method: string, path: string, body?: unknown, as?: string | null): Promise<Reply>;
  /** Send a WhatsApp text to a lead; fields of the body can be replaced. */
  send(to: string, text: string, more?: Record<string, unknown>): Promise<Reply>;
  close(): Promise<void>;
}

/**
 * Start emulators with one account of three channels, subscribed to the sink; with fast statuses and no idle timeout.
 */
export async function startTestEmulators(settings: SettingsPatch = {}): Promise<TestEmulators> {
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

  async function api(method: string, path: string, body?: unknown, as: string | null = key): Promise<Reply> {
    const response = await fetch(`${running.url}/wazzup24/v3${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    const parsed: unknown = answer === '' ? {} : JSON.parse(answer);
    const reply = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).parse(parsed);
    return {
      status: response.status,
      headers: response.headers,
      body: Array.isArray(reply) ? { items: reply } : reply,
    };
  }

  const subscribed = await api('PATCH', '/webhooks', {
    webhooksUri: sink.url,
    subscriptions: { messagesAndStatuses: true, channelsUpdates: true },
  });
  if (subscribed.status !== 200) throw new Error(`The hook was not accepted: ${JSON.stringify(subscribed.body)}`);
  sink.hooks.length = 0;

  return {
    dir,
    url: running.url,
    token: running.token,
    control,
    sink,
    api,
    send: (to, text, more = {}) =>
      api('POST', '/message', { channelId: whatsapp.channelId, chatType: 'whatsapp', chatId: to, text, ...more }),
    close: async () => {
      await running.stop();
      await sink.close();
      remove();
    },
  };
}
