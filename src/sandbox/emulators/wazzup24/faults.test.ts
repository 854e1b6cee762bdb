import { expect, test } from 'vitest';
import type { Fault } from '../contract.ts';
import { setUpEmulators, waitUntil, whatsapp, world } from '../testEmulators.ts';

setUpEmulators();

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

test('messages and statuses are mixed in one hook', async () => {
  await arm({ kind: 'hooks.mix', ms: 60_000 });
  await write('hi');
  await world.send(anna, 'Hello');
  await waitUntil(async () => (await world.control.quiet()).hooks === 5);
  await world.control.advance();
  await world.control.untilQuiet();
  expect(world.sink.hooks).toMatchObject([{ messages: [{}, {}], statuses: [{}, {}, {}] }]);
});

test('a failed hook is repeated up to the number of retries', async () => {
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
});
