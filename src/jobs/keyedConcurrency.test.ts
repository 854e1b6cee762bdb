import { expect, it } from 'vitest';
import { createKeyedConcurrency } from './keyedConcurrency.ts';

/** Create work that runs until it is released. */
function createBlockedWork(log: string[], name: string) {
  const end = Promise.withResolvers<void>();
  return {
    work: async () => {
      log.push(`${name} begins`);
      await end.promise;
      log.push(`${name} ends`);
    },
    end: end.resolve,
    fail: end.reject,
  };
}
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

it('queues work of a full key without delaying other keys', async () => {
  const log: string[] = [];
  const queues = createKeyedConcurrency(2, () => undefined);
  const hung = ['a', 'b', 'c', 'd'].map((name) => createBlockedWork(log, name));
  for (const [index, one] of hung.entries()) queues.submit('hangs', `${index}`, one.work);
  const quick = createBlockedWork(log, 'quick');
  queues.submit('quick', 'quick', quick.work);
  expect(log).toEqual(['a begins', 'b begins', 'quick begins']);
  hung[1]?.end();
  await nextTick();
  expect(log.slice(3)).toEqual(['b ends', 'c begins']);
});

it('runs fewer at once of work that asks for it', async () => {
  const log: string[] = [];
  const queues = createKeyedConcurrency(3, () => undefined);
  const all = ['a', 'b', 'c'].map((name) => createBlockedWork(log, name));
  for (const [index, one] of all.entries()) queues.submit({ name: 'narrow', slots: 2 }, `${index}`, one.work);
  expect(log).toEqual(['a begins', 'b begins']);
  all[0]?.end();
  await nextTick();
  expect(log.slice(2)).toEqual(['a ends', 'c begins']);
});

it('starts waiting work with priority before the rest of its queue, within the same slots', async () => {
  const log: string[] = [];
  const queues = createKeyedConcurrency(1, () => undefined);
  const [first, , urgent] = ['first', 'second', 'urgent'].map((name) => {
    const one = createBlockedWork(log, name);
    queues.submit({ name: 'lane', hasPriority: name === 'urgent' }, name, one.work);
    return one;
  });
  expect(log).toEqual(['first begins']);
  expect(queues.states()).toEqual([{ name: 'lane', running: 1, waiting: 2 }]);
  first?.end();
  await nextTick();
  expect(log.slice(1)).toEqual(['first ends', 'urgent begins']);
  urgent?.end();
  await nextTick();
  expect(log.slice(3)).toEqual(['urgent ends', 'second begins']);
});

it('does not queue the same work twice, but once more while it runs', async () => {
  const log: string[] = [];
  const queues = createKeyedConcurrency(1, () => undefined);
  const first = createBlockedWork(log, 'first');
  queues.submit('lane', 'key', first.work);
  expect(queues.isStarted('key')).toBe(true);
  const second = createBlockedWork(log, 'second');
  queues.submit('lane', 'key', second.work);
  queues.submit('lane', 'key', createBlockedWork(log, 'third').work);
  expect(queues.isStarted('key')).toBe(true);
  first.end();
  second.end();
  await nextTick();
  expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(queues.isStarted('key')).toBe(false);
});

it('frees the slot of work that throws', async () => {
  const log: string[] = [];
  const errors: unknown[] = [];
  const queues = createKeyedConcurrency(1, (error) => errors.push(error));
  const first = createBlockedWork(log, 'first');
  queues.submit('lane', '1', first.work);
  queues.submit('lane', '2', createBlockedWork(log, 'second').work);
  first.fail(new Error('no'));
  await nextTick();
  expect(log).toEqual(['first begins', 'second begins']);
  expect(errors).toEqual([new Error('no')]);
});

it('starts nothing after it is stopped, and waits for running work', async () => {
  const log: string[] = [];
  const queues = createKeyedConcurrency(1, () => undefined);
  const first = createBlockedWork(log, 'first');
  queues.submit('lane', '1', first.work);
  queues.submit('lane', '2', createBlockedWork(log, 'second').work);
  const stopped = queues.stop().then(() => log.push('stopped'));
  queues.submit('other', '3', createBlockedWork(log, 'third').work);
  first.end();
  await stopped;
  expect(log).toEqual(['first begins', 'first ends', 'stopped']);
});
