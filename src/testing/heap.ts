/**
 * Loaded before a server (`--expose-gc --import`): tells its parent, when asked, what it still holds after a collection.
 * In the server's own process, so that nothing of the test is counted.
 */
import { queryObjects } from 'node:v8';
import type { Held } from './held.ts';

const COUNTED = { AbortController, ReadableStream, TransformStream };

process.on('message', () => {
  const { gc } = globalThis;
  if (!gc) throw new Error('Run it with --expose-gc');
  // What is freed at the end of one collection may free more in the next.
  for (let round = 0; round < 3; round++) gc();
  const objects = Object.entries(COUNTED).map(([name, type]) => [name, queryObjects(type, { format: 'count' })]);
  const held: Held = { heapUsed: process.memoryUsage().heapUsed, objects: Object.fromEntries(objects) };
  process.send?.(held);
});
