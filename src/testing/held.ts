/** What a watched server process says of its memory. */
import { z } from 'zod';

export const heldSchema = z.object({
  /** Bytes. */
  heapUsed: z.number(),
  /** Of what a model's answer and a conversation are made of: how many there are. */
  objects: z.record(z.string(), z.number()),
});
export type Held = z.output<typeof heldSchema>;
