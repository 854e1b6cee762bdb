import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../contract.ts';
import { startTestEmulators, type TestEmulators, waitUntil, whatsapp } from '../testEmulators.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const anna = '79991112233';
const { channelId } = whatsapp;
const arm = (...faults: Fault[]) => world.control.setFaults(faults);
const texts = () => world.sink.messages().map(({ text }) => String(text));
const write = async (...all: string[]) => {
  for (const text of all) await world.control.write(anna, { channelId, text });
};

test('a fault acts with its probability, alike for the same seed', async () => {
  const run = async (seed: number) => {
    await world.control.changeSettings({ seed });
    await arm({ kind: 'wazzup24.fail_before', probability: 0.5 });
    const statuses = [];
    for (let count = 0; count < 20; count += 1) statuses.push((await world.send(anna, 'Hello')).status);
    return statuses;
  };
  const first = await run(7);
  expect(new Set(first)).toEqual(new Set([201, 500]));
  await run(8);
  expect(await run(7)).toEqual(first);
});

test('a fault acts as often as set, on matching texts and routes; one with an unknown parameter is refused', async () => {
  await arm(
    { kind: 'wazzup24.refuse', times: 2, match: { text: 'lo' } },
    { kind: 'wazzup24.fail_before', match: { route: 'channels' } },
  );
  expect((await world.api('GET', '/channels')).status).toBe(500);
  expect((await world.send(anna, 'Hi')).status).toBe(201);
  expect((await world.send(anna, 'Hello')).status).toBe(400);
  expect(await world.control.faults()).toMatchObject([{ times: 1 }, {}]);
  const misspelt = { kind: 'hooks.drop', tmes: 1 } as const;
  await expect(arm(misspelt)).rejects.toThrow(/422.*tmes/);
});

test('a message that fails later is accepted, reported as an error, and never on the phone', async () => {
  await arm({ kind: 'wazzup24.fail_later' });
  expect((await world.send(anna, 'Hello')).status).toBe(201);
  await world.control.untilQuiet();
  const failed = { status: 'error', error: { error: 'BAD_CONTACT' } };
  expect(world.sink.statuses()).toMatchObject([{ status: 'sent' }, failed]);
  expect((await world.control.thread(anna)).messages).toEqual([]);
  expect(await world.control.entriesOf('undeliverable')).toMatchObject([{ to: anna, code: 'BAD_CONTACT' }]);
});

test('hooks are delayed behind a later one, or shuffled', async () => {
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

test('messages and statuses are mixed in one hook', async () => {
  await world.control.changeSettings({ statuses: { read: 'never' } });
  await arm({ kind: 'hooks.mix', ms: 60_000 });
  await write('hi');
  await world.send(anna, 'Hello');
  await waitUntil(async () => (await world.control.quiet()).hooks === 4);
  await world.control.advance();
  await world.control.untilQuiet();
  expect(world.sink.hooks).toMatchObject([{ messages: [{}, {}], statuses: [{}, {}] }]);
});

test('a failed hook is repeated up to the number of retries, unless a fault keeps it from that', async () => {
  const answers = async () => (await world.control.entriesOf('hook_answered')).map((one) => one.settled ?? one.status);
  await arm({ kind: 'hooks.fail', times: 1 });
  world.sink.answers.push(503);
  await write('told');
  await world.control.untilQuiet();
  expect([texts(), await answers()]).toEqual([
    ['told', 'told'],
    [null, 503, 'delivered'],
  ]);
  world.sink.answers.push(500, 500, 500, 500, 500);
  await write('lost');
  await world.control.untilQuiet();
  expect((await answers()).slice(3)).toEqual([500, 500, 500, 'given_up']);
  await arm({ kind: 'hooks.no_retry' });
  await write('lost');
  await world.control.untilQuiet();
  expect((await answers()).slice(7)).toEqual(['given_up']);
});
