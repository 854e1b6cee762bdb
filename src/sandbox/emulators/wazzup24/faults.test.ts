import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../contract.ts';
import { key, startTestEmulators, type TestEmulators, waitUntil, whatsapp } from '../testEmulators.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const anna = '79991112233';
const { channelId } = whatsapp;
const reached = async () => (await world.control.entriesOf('reached')).length;
const arm = (...faults: Fault[]) => world.control.setFaults(faults);

/** Send a message whose answer need not be JSON, or arrive at all. */
function rawSend(signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${world.url}/wazzup24/v3/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channelId, chatType: 'whatsapp', chatId: anna, text: 'Hello', crmMessageId: 'k' }),
    signal,
  });
}

describe('a fault of a call', () => {
  test.each<[Fault, status: number | null, arrived: number, repeated: number]>([
    [{ kind: 'wazzup24.lose_answer' }, null, 1, 400],
    [{ kind: 'wazzup24.fail_before', status: 503 }, 503, 0, 201],
    [{ kind: 'wazzup24.fail_after' }, 500, 1, 400],
    [{ kind: 'wazzup24.rate_limited', retryAfterSeconds: 7 }, 429, 0, 201],
    [{ kind: 'wazzup24.rubbish' }, 200, 0, 201],
    [{ kind: 'wazzup24.rubbish', after: true }, 200, 1, 400],
    [{ kind: 'wazzup24.refuse', code: 'FORBIDDEN', status: 403 }, 403, 0, 201],
  ])('%j: answers, uses the key if the message arrived, and happens once', async (fault, status, arrived, repeated) => {
    await arm({ ...fault, times: 1 });
    const answer = await rawSend().catch(() => null);
    expect(answer?.status ?? null).toBe(status);
    expect(answer?.headers.get('retry-after') ?? null).toBe(status === 429 ? '7' : null);
    if (status === 200) await expect(answer?.json()).rejects.toThrow();
    expect(await reached()).toBe(arrived);
    expect((await rawSend()).status).toBe(repeated);
  });

  test.each([
    [false, 0],
    [true, 1],
  ])('delays the answer, or never gives it, after accepting: %s', async (after, arrived) => {
    await arm({ kind: 'wazzup24.delay', ms: 60_000, after, times: 1 });
    const late = rawSend();
    await waitUntil(async () => (await world.control.entriesOf('fault_fired')).length === 1);
    expect(await reached()).toBe(arrived);
    await world.control.advance();
    expect((await late).status).toBe(201);
    await world.control.changeSettings({ key: { dedupe: false } });
    await arm({ kind: 'wazzup24.hang', after });
    const abortController = new AbortController();
    const waiting = expect(rawSend(abortController.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await waitUntil(async () => (await world.control.entriesOf('fault_fired')).length === 2);
    abortController.abort();
    await waiting;
    expect(await reached()).toBe(1 + arrived);
  });

  test('accepts a message that fails later with a status', async () => {
    await arm({ kind: 'wazzup24.fail_later' });
    expect((await rawSend()).status).toBe(201);
    await world.control.untilQuiet();
    expect(world.sink.statuses()).toMatchObject([
      { status: 'sent' },
      { status: 'error', error: { error: 'BAD_CONTACT' } },
    ]);
    expect((await world.control.thread(anna)).messages).toEqual([]);
    expect(await world.control.entriesOf('undeliverable')).toMatchObject([{ to: anna, code: 'BAD_CONTACT' }]);
  });

  test('reports statuses before the answer, or in reverse order', async () => {
    await world.control.changeSettings({ echo: 'off' });
    await arm({ kind: 'wazzup24.status_first', times: 1 }, { kind: 'wazzup24.statuses_reordered' });
    await rawSend();
    expect(world.sink.statuses()[0]).toMatchObject({ status: 'sent' });
    await world.control.untilQuiet();
    expect(world.sink.statuses().map(({ status }) => status)).toEqual(['sent', 'read', 'delivered', 'sent']);
    expect((await world.control.thread(anna)).messages).toMatchObject([{ status: 'read' }]);
  });
});

describe('switches', () => {
  test('act with their probability, alike for the same seed', async () => {
    await world.control.changeSettings({ key: { dedupe: false } });
    const run = async (seed: number) => {
      await world.control.changeSettings({ seed });
      await arm({ kind: 'wazzup24.fail_before', probability: 0.5 });
      const statuses = [];
      for (let count = 0; count < 20; count += 1) statuses.push((await rawSend()).status);
      return statuses;
    };
    const first = await run(7);
    expect(new Set(first)).toEqual(new Set([201, 500]));
    await run(8);
    expect(await run(7)).toEqual(first);
  });

  test('act as often as set, on matching texts and routes', async () => {
    await arm(
      { kind: 'wazzup24.refuse', times: 2, match: { text: 'lo' } },
      { kind: 'wazzup24.fail_before', match: { route: 'channels' } },
    );
    expect((await world.api('GET', '/channels')).status).toBe(500);
    expect((await world.send(anna, 'Hi')).status).toBe(201);
    expect((await world.send(anna, 'Hello')).status).toBe(400);
    expect(await world.control.faults()).toMatchObject([{ times: 1 }, {}]);
    await arm();
    expect((await world.send(anna, 'Hello')).status).toBe(201);
  });

  test('are refused with the name of an unknown parameter', async () => {
    const misspelt = { kind: 'hooks.drop', tmes: 1 } as const;
    await expect(arm(misspelt)).rejects.toThrow(/422.*tmes/);
  });
});

describe('a fault of hooks', () => {
  const texts = () => world.sink.messages().map(({ text }) => String(text));
  const write = async (...all: string[]) => {
    for (const text of all) await world.control.write(anna, { channelId, text });
  };
  const answers = async () => (await world.control.entriesOf('hook_answered')).map((one) => one.settled ?? one.status);

  test.each<[Fault, expected: string[]]>([
    [{ kind: 'hooks.duplicate', copies: 3, times: 1 }, ['one', 'one', 'one', 'one', 'two']],
    [{ kind: 'hooks.drop', times: 1 }, ['two']],
    [{ kind: 'hooks.drop', match: { account: 'other' } }, ['one', 'two']],
  ])('%j copies or loses a hook of the account', async (fault, expected) => {
    await arm(fault);
    await write('one', 'two');
    await world.control.untilQuiet();
    expect(texts().toSorted()).toEqual(expected);
  });

  test('delays a hook behind a later one, or shuffles a burst', async () => {
    await arm({ kind: 'hooks.delay', ms: 60_000, times: 1 });
    await write('first', 'second');
    await waitUntil(() => texts().length === 1);
    await world.control.advance();
    await world.control.untilQuiet();
    expect(texts()).toEqual(['second', 'first']);
    await arm({ kind: 'hooks.shuffle', size: 8, ms: 60_000 });
    const written = ['0', '1', '2', '3', '4', '5', '6', '7'];
    await write(...written);
    await waitUntil(() => texts().length === 10);
    expect(texts().slice(2)).not.toEqual(written);
    expect(texts().slice(2).toSorted()).toEqual(written);
  });

  test('mixes messages and statuses in one body', async () => {
    await world.control.changeSettings({ statuses: { read: 'never' } });
    await arm({ kind: 'hooks.mix', ms: 60_000 });
    await write('hi');
    await world.send(anna, 'Hello');
    await waitUntil(async () => (await world.control.quiet()).hooks === 4);
    await world.control.advance();
    await world.control.untilQuiet();
    expect(world.sink.hooks).toMatchObject([{ messages: [{}, {}], statuses: [{}, {}] }]);
  });

  test('lets a hook not get through, or not be repeated', async () => {
    await arm({ kind: 'hooks.fail', times: 2 });
    await write('told');
    await world.control.untilQuiet();
    expect([texts(), await answers()]).toEqual([['told'], [null, null, 'delivered']]);
    await arm({ kind: 'hooks.no_retry' });
    world.sink.answers.push(500);
    await write('lost');
    await world.control.untilQuiet();
    expect((await answers()).slice(3)).toEqual(['given_up']);
  });
});
