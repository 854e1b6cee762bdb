import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { key, startTestEmulators, type TestEmulators, waitUntil, whatsapp } from '../testEmulators.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const anna = '79991112233';
const reached = async () => (await world.control.entriesOf('reached')).length;

/** Send a message whose answer need not be JSON, or arrive at all. */
function rawSend(signal?: AbortSignal): Promise<Response> {
  return fetch(`${world.url}/wazzup24/v3/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channelId: whatsapp.channelId,
      chatType: 'whatsapp',
      chatId: anna,
      text: 'Hello',
      crmMessageId: 'k',
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

test('cuts the connection after accepting the message', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.lose_answer', times: 1 }]);
  await expect(rawSend()).rejects.toThrow('fetch failed');
  expect(await reached()).toBe(1);
  expect((await rawSend()).status).toBe(400);
  expect(await reached()).toBe(1);
});

test('answers 5xx before accepting, and leaves the key free', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.fail_before', status: 503, times: 1 }]);
  expect((await rawSend()).status).toBe(503);
  expect(await reached()).toBe(0);
  expect((await rawSend()).status).toBe(201);
});

test('answers 5xx after accepting, and uses the key', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.fail_after', times: 1 }]);
  expect((await rawSend()).status).toBe(500);
  expect(await reached()).toBe(1);
  expect((await rawSend()).status).toBe(400);
});

test('answers 429 with and without Retry-After', async () => {
  await world.control.setFaults([
    { kind: 'wazzup24.rate_limited', times: 1, retryAfterSeconds: 7 },
    { kind: 'wazzup24.rate_limited', times: 1 },
  ]);
  const first = await rawSend();
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
  const second = await rawSend();
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, null]);
  expect(await reached()).toBe(0);
});

test('delays the answer before and after accepting', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 60_000, times: 1 }]);
  const early = rawSend();
  await waitUntil(async () => (await world.control.quiet()).timers > 0);
  expect(await reached()).toBe(0);
  await world.control.advance();
  expect((await early).status).toBe(201);

  await world.control.changeSettings({ key: { dedupe: false }, statuses: { read: 'never' } });
  await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 60_000, times: 1, after: true }]);
  const late = rawSend();
  await waitUntil(async () => (await reached()) === 2);
  await world.control.advance();
  expect((await late).status).toBe(201);
});

test.each([
  [false, 0],
  [true, 1],
])('answers with a body that is no JSON, accepted: %s', async (after, arrived) => {
  await world.control.setFaults([{ kind: 'wazzup24.rubbish', after }]);
  const response = await rawSend();
  expect(response.status).toBe(200);
  await expect(response.json()).rejects.toThrow();
  expect(await reached()).toBe(arrived);
});

test.each([
  [false, 0],
  [true, 1],
])('never answers, accepted: %s', async (after, arrived) => {
  await world.control.setFaults([{ kind: 'wazzup24.hang', after }]);
  const abortController = new AbortController();
  const waiting = expect(rawSend(abortController.signal)).rejects.toMatchObject({ name: 'AbortError' });
  await waitUntil(async () => (await world.control.entriesOf('fault_fired')).length === 1);
  abortController.abort();
  await waiting;
  expect(await reached()).toBe(arrived);
});

test.each([
  ['BAD_CONTACT', 400],
  ['FORBIDDEN', 403],
  ['UNAUTHORIZED', 401],
])('refuses a send with %s', async (code, status) => {
  await world.control.setFaults([{ kind: 'wazzup24.refuse', code, status, times: 1 }]);
  const response = await rawSend();
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: code, status });
  expect(await reached()).toBe(0);
  expect((await rawSend()).status).toBe(201);
});

test('accepts a message that fails later with a status', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.fail_later', times: 1 }]);
  const response = await rawSend();
  expect(response.status).toBe(201);
  await world.control.untilQuiet();
  expect(world.sink.statuses().at(-1)).toMatchObject({ status: 'error', error: { error: 'BAD_CONTACT' } });
  expect(world.sink.statuses().map((status) => status.status)).not.toContain('delivered');
  expect((await world.control.thread(anna)).messages).toEqual([]);
  expect(await world.control.entriesOf('undeliverable')).toMatchObject([
    { to: anna, crmMessageId: 'k', code: 'BAD_CONTACT' },
  ]);
  expect(await reached()).toBe(0);
});

test('reports the status before the answer', async () => {
  await world.control.changeSettings({
    echo: 'off',
    statuses: { sentMs: 60_000, deliveredMs: 60_000, readMs: 60_000 },
  });
  await world.control.setFaults([{ kind: 'wazzup24.status_first', times: 1 }]);
  const { messageId } = z.object({ messageId: z.string() }).parse(await (await rawSend()).json());
  expect(world.sink.statuses()).toMatchObject([{ status: 'sent', messageId }]);
});

test('limits a fault to the route of its match', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.fail_before', match: { route: 'channels' } }]);
  expect((await world.api('GET', '/channels')).status).toBe(500);
  expect((await world.api('GET', '/webhooks')).status).toBe(200);
  expect((await rawSend()).status).toBe(201);
});

describe('switches', () => {
  test('act with their probability, alike for the same seed', async () => {
    await world.control.changeSettings({ key: { dedupe: false } });
    const run = async (seed: number) => {
      await world.control.changeSettings({ seed });
      await world.control.setFaults([{ kind: 'wazzup24.fail_before', probability: 0.5 }]);
      const statuses = [];
      for (let count = 0; count < 20; count += 1) statuses.push((await rawSend()).status);
      return statuses;
    };
    const first = await run(7);
    expect(new Set(first)).toEqual(new Set([201, 500]));
    await run(8);
    expect(await run(7)).toEqual(first);
  });

  test('act as often as set, on matching texts', async () => {
    await world.control.setFaults([{ kind: 'wazzup24.refuse', times: 2, match: { text: 'lo' } }]);
    expect((await world.send(anna, 'Hi')).status).toBe(201);
    expect((await world.send(anna, 'Hello')).status).toBe(400);
    expect(await world.control.faults()).toMatchObject([{ times: 1 }]);
    await world.control.setFaults([]);
    expect((await world.send(anna, 'Hello')).status).toBe(201);
  });

  test('are refused with the name of an unknown kind or parameter', async () => {
    const put = (body: unknown) =>
      fetch(`${world.url}/control/faults`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await put([{ kind: 'wazzup24.explode' }])).status).toBe(422);
    const wrong = await put([{ kind: 'hooks.drop', tmes: 1 }]);
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('tmes');
  });
});
