/** What tests have a thread do. */
import { serveThread } from '../platform/serveThread.ts';
import { testKind } from './threadKind.ts';

export type Work =
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'spin' }
  | { readonly do: 'fail' }
  /** Takes memory without end. */
  | { readonly do: 'hoard' }
  /** Says at 1 that it has begun, and waits until 0 is set. */
  | { readonly do: 'hold'; readonly gate: Int32Array };

function work(asked: Work): string {
  switch (asked.do) {
    case 'echo':
      return asked.text;
    case 'spin':
      for (;;);
    case 'fail':
      throw Object.assign(new Error('the database is away'), { code: '57P01' });
    case 'hoard': {
      const all: string[][] = [];
      for (;;) all.push(Array.from({ length: 1000 }, (_none, index) => `${all.length} ${index}`));
    }
    case 'hold':
      Atomics.store(asked.gate, 1, 1);
      Atomics.notify(asked.gate, 1);
      Atomics.wait(asked.gate, 0, 0);
      return 'held';
    default:
      return asked satisfies never;
  }
}

serveThread(testKind, () => work);
