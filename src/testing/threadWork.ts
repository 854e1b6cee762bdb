/** The work of the test thread. */
import { serveThread } from '../platform/serveThread.ts';
import { SLOW_START, SLOW_START_MS, testKind, type Work } from './threadKind.ts';

function work(task: Work): string {
  switch (task.do) {
    case 'echo':
      return task.text;
    case 'spin':
      for (;;);
    case 'fail':
      throw Object.assign(new Error('the database is away'), { code: '57P01' });
    case 'hold':
      Atomics.store(task.signal, 1, 1);
      Atomics.notify(task.signal, 1);
      Atomics.wait(task.signal, 0, 0);
      return 'held';
    default:
      return task satisfies never;
  }
}

serveThread(testKind, ({ databaseUrl }) => {
  // A thread that is slow to load its modules.
  if (databaseUrl === SLOW_START) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SLOW_START_MS);
  return work;
});
