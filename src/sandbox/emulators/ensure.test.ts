import { execFile, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirInUse } from '../../platform/postgres/errors.ts';
import { isAlive } from '../../platform/postgres/postmaster.ts';
import { controlClient } from './control.ts';
import { type EmulatorHandle, ensureEmulators } from './ensure.ts';
import { readHolder } from './holder.ts';
import { startEmulators } from './server.ts';
import {
  type HookSink,
  hookSink,
  key,
  telegram,
  temporaryDirectory,
  waitUntil,
  wazzup24At,
  whatsapp,
} from './testEmulators.ts';

const main = join(import.meta.dirname, 'emulators.ts');
const anna = '79991112233';

let folder: ReturnType<typeof temporaryDirectory>;
let sink: HookSink;
const handles: EmulatorHandle[] = [];
const logLines: string[] = [];

beforeEach(async () => {
  folder = temporaryDirectory();
  sink = await hookSink();
  logLines.length = 0;
});
afterEach(async () => {
  for (const handle of handles.splice(0)) await handle.stop();
  await sink.close();
  folder.remove();
});

async function ensure(pingMs = 60_000): Promise<EmulatorHandle> {
  const handle = await ensureEmulators({ dir: folder.dir, log: (sentence) => logLines.push(sentence), pingMs });
  handles.push(handle);
  return handle;
}

async function subscribe({ control, url }: EmulatorHandle): Promise<void> {
  await control.putAccount(key, { channels: [whatsapp, telegram] });
  await wazzup24At(url).subscribe(sink.url);
}

async function kill(handle: EmulatorHandle): Promise<void> {
  const pid = handle.pid();
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid));
}

test('starts one process for several callers at once, and takes it over afterwards', async () => {
  const [first, ...others] = await Promise.all([ensure(), ensure(), ensure()]);
  for (const handle of others) expect(handle.pid()).toBe(first.pid());
  await first.release();
  const second = await ensure();
  expect([second.pid(), second.url, second.token]).toEqual([first.pid(), first.url, first.token]);
  expect(logLines).toEqual([]);
  expect(statSync(join(folder.dir, 'emulators.json')).mode & 0o077).toBe(0);
});

test('keeps messages, keys, chats, hook address, faults, clock and pending work after SIGKILL, and drops a torn entry', async () => {
  const first = await ensure();
  await subscribe(first);
  const statuses = { sentMs: 5, deliveredMs: 60_000 };
  await first.control.changeSettings({ hooks: { retries: 100, pauseMs: 50 }, statuses });
  await first.control.setClock(3_600_000);
  await first.control.setFaults([{ kind: 'wazzup24.refuse', code: 'SPAM', times: 2, match: { text: 'spam' } }]);
  const { api, send } = wazzup24At(first.url);
  const sendWith = async (crmMessageId: string, text: string) => (await send(anna, text, { crmMessageId })).status;
  expect(await sendWith('k', 'Hello')).toBe(201);
  expect(await sendWith('k1', 'spam')).toBe(400);
  const { chatId } = await first.control.write('anna_k', { channelId: telegram.channelId, text: 'hi' });
  await waitUntil(() => sink.statuses().some((status) => status.status === 'sent'));
  await sink.close();
  await first.control.write(anna, { channelId: whatsapp.channelId, text: 'while you were away' });
  const before = await first.control.entries();
  await kill(first);
  appendFileSync(join(folder.dir, 'journal.jsonl'), '{"seq":999,"kind":"clo');

  sink = await hookSink(sink.port);
  const second = await ensure();
  expect([second.url, second.token]).toEqual([first.url, first.token]);
  expect((await second.control.entries()).slice(0, before.length)).toEqual(before);
  await waitUntil(() => sink.messages().some((item) => item.text === 'while you were away'));
  expect(await sendWith('k', 'Hello')).toBe(400);
  expect(await sendWith('k2', 'spam')).toBe(400);
  expect(await sendWith('k3', 'spam')).toBe(201);
  expect((await second.control.clock()).offset_ms).toBe(3_600_000);
  const { messages } = await second.control.thread(anna);
  expect(messages.map((message) => message.text)).toEqual(['Hello', 'while you were away', 'spam']);
  const toTelegram = { channelId: telegram.channelId, chatType: 'telegram', chatId, text: 'yo' };
  expect((await api('POST', '/message', toTelegram)).status).toBe(201);
  await second.control.advance();
  await waitUntil(() =>
    sink.statuses().some(({ status, messageId }) => status === 'read' && messageId === messages[0]?.messageId),
  );
});

test('starts a killed process again at its address while a handle is held, and lets no restart fall behind', async () => {
  const handle = await ensure(50);
  await subscribe(handle);
  await kill(handle);
  await waitUntil(() => logLines.length > 0);
  expect(logLines).toEqual(['The emulators do not answer and are started again.']);
  await handle.release();
  expect(isAlive(readHolder(folder.dir)?.pid ?? 0)).toBe(true);
  expect((await handle.control.accounts())[0]).toMatchObject({ key, webhooksUri: sink.url });
});

test('ends a second process on a locked directory with the holder’s id', async () => {
  const handle = await ensure();
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--dir', folder.dir]);
  expect(stdout).toContain(`in use by process ${handle.pid()}`);
  await expect(startEmulators({ dir: folder.dir })).rejects.toBeInstanceOf(DataDirInUse);
});

test('replaces a process of older code', async () => {
  const stale = spawn(process.execPath, ['--input-type=module', '-e', staleSource(folder.dir)], { stdio: 'ignore' });
  await waitUntil(() => readHolder(folder.dir)?.version === 'stale');
  const handle = await ensure();
  expect(handle.pid()).not.toBe(stale.pid);
  expect(logLines).toEqual([`The emulators of process ${stale.pid} run older code and are replaced.`]);
  await waitUntil(() => stale.exitCode !== null);
});

/** Return the source of a process that answers a ping as emulators of another version, and ends on request. */
function staleSource(dir: string): string {
  const file = JSON.stringify(join(dir, 'emulators.json'));
  return `
    import { createServer } from 'node:http';
    import { writeFileSync } from 'node:fs';
    const me = { pid: process.pid, version: 'stale', startedAt: 'long ago' };
    const server = createServer((request, response) => {
      if (request.url === '/control/shutdown') setTimeout(() => process.exit(0), 50);
      response.setHeader('connection', 'close');
      response.end(JSON.stringify(request.url === '/control/ping' ? { ...me, seq: 0 } : { ok: true }));
    }).listen(0, '127.0.0.1', () => writeFileSync(${file}, JSON.stringify({ ...me, port: server.address().port, token: 't'.repeat(43) })));`;
}

test('ends an idle process, and requires the token for the control API only', async () => {
  const handle = await ensure();
  const pid = handle.pid();
  await expect(controlClient(handle.url, 'wrong').ping()).rejects.toMatchObject({ status: 401 });
  expect((await fetch(`${handle.url}/health`)).status).toBe(200);
  await handle.control.changeSettings({ idleMs: 200 });
  await waitUntil(() => !isAlive(pid));
  await expect(controlClient(handle.url, handle.token).ping()).rejects.toMatchObject({ status: 0 });
  expect(readFileSync(join(folder.dir, 'journal.jsonl'), 'utf8')).not.toContain(handle.token);
});
