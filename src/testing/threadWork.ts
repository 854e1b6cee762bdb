/** The work of the test thread. */
import { serveThread } from '../platform/serveThread.ts';
import { testKind, type Work } from './threadKind.ts';

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

serveThread(testKind, () => work);
