import { afterEach, beforeEach, expect, test } from 'vitest';
import { key, startTestEmulators, type TestEmulators, waitUntil, whatsapp } from '../testEmulators.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const anna = '79991112233';
const { channelId } = whatsapp;

const texts = () => world.sink.messages().map((item) => item.text);

test('sends copies of a hook', async () => {
  await world.control.setFaults([{ kind: 'hooks.duplicate', copies: 4, times: 1 }]);
  await world.control.write(anna, { channelId, text: 'five' });
  await world.control.write(anna, { channelId, text: 'one' });
  await world.control.untilQuiet();
  expect(texts().filter((text) => text === 'five')).toHaveLength(5);
  expect(texts().filter((text) => text === 'one')).toHaveLength(1);
  expect(await world.control.faults()).toEqual([]);
});

test('sends a burst of hooks shuffled', async () => {
  await world.control.setFaults([{ kind: 'hooks.shuffle', size: 8, ms: 60_000 }]);
  const written = Array.from({ length: 8 }, (_, count) => String(count));
  for (const text of written) await world.control.write(anna, { channelId, text });
  await waitUntil(() => texts().length === 8);
  expect(texts()).not.toEqual(written);
  expect(
    texts()
      .map(Number)
      .toSorted((a, b) => a - b),
  ).toEqual(written.map(Number));
});

test('mixes messages and statuses in one body', async () => {
  await world.control.changeSettings({ statuses: { read: 'never' } });
  await world.control.setFaults([{ kind: 'hooks.mix', ms: 60_000 }]);
  await world.control.write(anna, { channelId, text: 'hi' });
  await world.send(anna, 'Hello');
  await waitUntil(async () => {
    const { hooks, timers } = await world.control.quiet();
    return hooks === 4 && timers === 1;
  });
  await world.control.advance();
  await world.control.untilQuiet();
  const mixed = world.sink.hooks.filter((hook) => hook.messages !== undefined && hook.statuses !== undefined);
  expect(mixed).toHaveLength(1);
  expect(mixed[0]?.messages).toHaveLength(2);
});

test('loses a hook', async () => {
  await world.control.setFaults([{ kind: 'hooks.drop', times: 1 }]);
  await world.control.write(anna, { channelId, text: 'lost' });
  await world.control.write(anna, { channelId, text: 'told' });
  await world.control.untilQuiet();
  expect(texts()).toEqual(['told']);
});

test('delays a hook behind a later one', async () => {
  await world.control.setFaults([{ kind: 'hooks.delay', ms: 60_000, times: 1 }]);
  await world.control.write(anna, { channelId, text: 'first' });
  await world.control.write(anna, { channelId, text: 'second' });
  await waitUntil(() => texts().length === 1);
  await world.control.advance();
  await world.control.untilQuiet();
  expect(texts()).toEqual(['second', 'first']);
});

test('repeats a hook that did not get through', async () => {
  await world.control.setFaults([{ kind: 'hooks.fail', times: 2 }]);
  await world.control.write(anna, { channelId, text: 'told' });
  await world.control.untilQuiet();
  expect(texts()).toEqual(['told']);
  expect((await world.control.entriesOf('hook_answered')).map((entry) => entry.status)).toEqual([null, null, 200]);
});

test('does not repeat a failed hook', async () => {
  await world.control.setFaults([{ kind: 'hooks.no_retry' }]);
  world.sink.answers.push(500);
  await world.control.write(anna, { channelId, text: 'lost' });
  await world.control.untilQuiet();
  expect(texts()).toEqual(['lost']);
  expect((await world.control.entriesOf('hook_answered')).at(-1)).toMatchObject({ settled: 'given_up', attempt: 1 });
});

test('reports statuses in reverse order', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.statuses_reordered' }]);
  await world.send(anna, 'Hello');
  await world.control.untilQuiet();
  expect(world.sink.statuses().map((status) => status.status)).toEqual(['read', 'delivered', 'sent']);
  expect((await world.control.thread(anna)).messages).toMatchObject([{ status: 'read' }]);
});

test('leaves the hooks of other accounts alone', async () => {
  await world.control.setFaults([{ kind: 'hooks.drop', match: { account: 'other' } }]);
  await world.control.write(anna, { channelId, text: 'told' });
  await world.control.untilQuiet();
  expect(texts()).toEqual(['told']);
  expect((await world.control.accounts()).map((account) => account.key)).toEqual([key]);
});
