/** A server process's report of its memory. */
import { z } from 'zod';

export const memoryReportSchema = z.object({
  /** Bytes. */
  heapUsed: z.number(),
  /** Active timers. */
  timers: z.number(),
  sockets: z.number(),
});
export type MemoryReport = z.output<typeof memoryReportSchema>;
