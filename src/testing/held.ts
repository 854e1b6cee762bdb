/** What a watched server process says of its memory. */
import { z } from 'zod';

export const heldSchema = z.object({
  /** Bytes. */
  heapUsed: z.number(),
  /** Open ones. */
  timers: z.number(),
  sockets: z.number(),
});
export type Held = z.output<typeof heldSchema>;
