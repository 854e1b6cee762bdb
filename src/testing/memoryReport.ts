/** What a watched server process says of its memory. */
import { z } from 'zod';

export const memoryReportSchema = z.object({
  /** Bytes. */
  heapUsed: z.number(),
  /** Open ones. */
  timers: z.number(),
  sockets: z.number(),
});
export type MemoryReport = z.output<typeof memoryReportSchema>;
