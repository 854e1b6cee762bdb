/**
 * Loaded before a server (`--expose-gc --import`): tells its parent, when asked, what it still holds after a collection.
 * In the server's own process, so that nothing of the test is counted.
 */
import type { MemoryReport } from './memoryReport.ts';

process.on('message', () => {
  const { gc } = globalThis;
  if (!gc) throw new Error('Run it with --expose-gc');
  // What is freed at the end of one collection may free more in the next.
  for (let round = 0; round < 3; round++) gc();
  const active = process.getActiveResourcesInfo();
  const count = (kind: string): number => active.filter((one) => one === kind).length;
  const report: MemoryReport = {
    heapUsed: process.memoryUsage().heapUsed,
    timers: count('Timeout'),
    sockets: count('TCPSocketWrap'),
  };
  process.send?.(report);
});
