import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SLOW_START, SLOW_START_MS, testKind } from '../testing/threadKind.ts';
import { isUnavailable } from './db.ts';
import { BudgetExceeded, createThreads, type Threads } from './threads.ts';

let threads: Threads;
beforeEach(() => {
  threads = createThreads('');
});
afterEach(() => threads.close());

const echo = (key: string, text: string) => threads.run(testKind, { key, input: { do: 'echo', text } });

/** Start a task that runs until it is released. */
function startBlocked(key: string, signal?: AbortSignal) {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const done = threads.run(testKind, { key, input: { do: 'hold', signal: shared }, ...(signal ? { signal } : {}) });
  // Some tasks are dropped on purpose.
  done.catch(() => undefined);
  return {
    done,
    whenStarted: async () => void (await Atomics.waitAsync(shared, 1, 0).value),
    hasStarted: () => Atomics.load(shared, 1) === 1,
    letGo: () => {
      Atomics.store(shared, 0, 1);
      Atomics.notify(shared, 0);
    },
  };
}

describe('work in a thread', () => {
  it("returns a worker thread's result, and keeps the code of its errors", async () => {
    expect(await echo('a', 'hello')).toBe('hello');
    const failed = await threads.run(testKind, { key: 'a', input: { do: 'fail' } }).catch((error: unknown) => error);
    expect(isUnavailable(failed)).toBe(true);
  });

  it('ends work that exceeds its time budget, and runs the next', async () => {
    const short = { ...testKind, budgetMs: 300 };
    await expect(threads.run(short, { key: 'a', input: { do: 'spin' } })).rejects.toThrow(BudgetExceeded);
    // Use the kind with the larger budget: starting a thread takes time on a busy machine.
    const other = createThreads('');
    expect(await other.run(testKind, { key: 'a', input: { do: 'echo', text: 'next' } })).toBe('next');
    await other.close();
  });

  it('counts no time for the start of a thread', async () => {
    const slow = createThreads(SLOW_START);
    const short = { ...testKind, budgetMs: SLOW_START_MS / 2 };
    expect(await slow.run(short, { key: 'a', input: { do: 'echo', text: 'late' } })).toBe('late');
    await expect(slow.run(short, { key: 'a', input: { do: 'spin' } })).rejects.toThrow(BudgetExceeded);
    await slow.close();
  });

  it('ends work that exceeds its budget of CPU time, long before the other one', async () => {
    const short = { ...testKind, cpuMs: 300 };
    await expect(threads.run(short, { key: 'a', input: { do: 'spin' } })).rejects.toThrow(
      'more than 300 ms of CPU time',
    );
  });

  it('runs one task for each key at a time, keys in turn', async () => {
    const [a1, a2, b1] = [startBlocked('a'), startBlocked('a'), startBlocked('b')];
    await Promise.all([a1.whenStarted(), b1.whenStarted()]);
    expect(a2.hasStarted()).toBe(false);
    const c1 = startBlocked('c');
    b1.letGo();
    await b1.done;
    await c1.whenStarted();
    // A thread has been free for it twice by now.
    expect([a2.hasStarted(), threads.running(testKind)]).toEqual([false, 2]);
    a1.letGo();
    await a2.whenStarted();
    for (const one of [a2, c1]) one.letGo();
    await Promise.all([a2.done, c1.done]);
  });

  it('refuses a task that has waited too long, and none that runs', async () => {
    const hasty = { ...testKind, waiting: { ...testKind.waiting, ms: 20 } };
    const own = createThreads('');
    const first = new Int32Array(new SharedArrayBuffer(8));
    const running = own.run(hasty, { key: 'a', input: { do: 'hold', signal: first } });
    await Atomics.waitAsync(first, 1, 0).value;
    const late = own.run(hasty, { key: 'a', input: { do: 'echo', text: 'late' } });
    await expect(late).rejects.toMatchObject({ code: 'overloaded', status: 503, retryAfter: 2 });
    Atomics.store(first, 0, 1);
    Atomics.notify(first, 0);
    expect(await running).toBe('held');
    await own.close();
  });

  it('bounds the queue for each key and in total, and removes cancelled tasks', async () => {
    const controller = new AbortController();
    const running = [startBlocked('a'), startBlocked('b')];
    const waiting = [startBlocked('a'), startBlocked('a'), startBlocked('a', controller.signal)];
    const full = { code: 'overloaded', status: 503, retryAfter: 2 };
    await expect(echo('a', 'too many of a')).rejects.toMatchObject(full);
    waiting.push(startBlocked('c'));
    await expect(echo('d', 'too many of all')).rejects.toMatchObject(full);
    controller.abort(new Error('The caller has gone'));
    await expect(waiting[2]?.done).rejects.toThrow('The caller has gone');
    const last = echo('d', 'a place again');
    for (const one of [...running, ...waiting]) one.letGo();
    expect(await last).toBe('a place again');
  });
});
