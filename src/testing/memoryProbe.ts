/**
 * Preloaded into a server (`--expose-gc --import`): reports on request what the process holds after a garbage
 * collection. Runs in the server's process, so that nothing of the test is counted.
 */
import type { MemoryReport } from './memoryReport.ts';

process.on('message', () => {
  const { gc } = globalThis;
  if (!gc) throw new Error('Run it with --expose-gc');
  // Memory freed at the end of one collection may let the next one free more.
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
