import { expect, it } from 'vitest';
import { createLanes } from './lanes.ts';

/** Work that ends when it is told to. */
function held(log: string[], name: string) {
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
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a lane that is full keeps its own waiting and no other', async () => {
  const log: string[] = [];
  const lanes = createLanes(2, () => undefined);
  const hung = ['a', 'b', 'c', 'd'].map((name) => held(log, name));
  for (const [index, one] of hung.entries()) lanes.enter('hangs', `${index}`, one.work);
  const quick = held(log, 'quick');
  lanes.enter('quick', 'quick', quick.work);
  expect(log).toEqual(['a begins', 'b begins', 'quick begins']);
  hung[1]?.end();
  await settled();
  expect(log.slice(3)).toEqual(['b ends', 'c begins']);
});

it('what waits is not doubled; what runs may be called for once more', async () => {
  const log: string[] = [];
  const lanes = createLanes(1, () => undefined);
  const first = held(log, 'first');
  lanes.enter('lane', 'key', first.work);
  expect(lanes.isWaiting('key')).toBe(false);
  const second = held(log, 'second');
  lanes.enter('lane', 'key', second.work);
  lanes.enter('lane', 'key', held(log, 'third').work);
  expect(lanes.isWaiting('key')).toBe(true);
  first.end();
  second.end();
  await settled();
  expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(lanes.isWaiting('key')).toBe(false);
});

it('work that throws gives its place back', async () => {
  const log: string[] = [];
  const errors: unknown[] = [];
  const lanes = createLanes(1, (error) => errors.push(error));
  const first = held(log, 'first');
  lanes.enter('lane', '1', first.work);
  lanes.enter('lane', '2', held(log, 'second').work);
  first.fail(new Error('no'));
  await settled();
  expect(log).toEqual(['first begins', 'second begins']);
  expect(errors).toEqual([new Error('no')]);
});

it('stopped, it begins nothing more and waits for what has begun', async () => {
  const log: string[] = [];
  const lanes = createLanes(1, () => undefined);
  const first = held(log, 'first');
  lanes.enter('lane', '1', first.work);
  lanes.enter('lane', '2', held(log, 'second').work);
  const stopped = lanes.stop().then(() => log.push('stopped'));
  lanes.enter('other', '3', held(log, 'third').work);
  first.end();
  await stopped;
  expect(log).toEqual(['first begins', 'first ends', 'stopped']);
});
