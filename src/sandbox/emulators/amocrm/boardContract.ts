/** The emulated amoCRM's board, as a person sees it. */
import { z } from 'zod';

const status = z.object({ id: z.int(), name: z.string(), color: z.string(), type: z.int() });

export const boardSchema = z.object({
  pipelines: z.array(z.object({ id: z.int(), name: z.string(), statuses: z.array(status) })),
  cards: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      price: z.number(),
      pipeline_id: z.int(),
      status_id: z.int(),
      contact: z.string().nullable(),
      phone: z.string(),
      notes: z.array(z.object({ id: z.int(), text: z.string() })),
      tasks: z.array(z.object({ id: z.int(), text: z.string(), complete_till: z.int() })),
    }),
  ),
  clients: z.array(z.object({ client_id: z.string(), name: z.string(), connected: z.boolean() })),
  hooks: z.array(z.object({ destination: z.string(), settings: z.array(z.string()), disabled: z.boolean() })),
});
export type Board = z.infer<typeof boardSchema>;
