/** Shapes of the control API for the emulated amoCRM's board. */
import { z } from 'zod';

export const boardCardSchema = z.strictObject({
  name: z.string().min(1).max(255),
  price: z.number().min(0).optional(),
  pipeline_id: z.number().int().optional(),
  status_id: z.number().int().optional(),
  city: z.string().optional(),
  contact: z
    .strictObject({
      name: z.string().min(1),
      phone: z.string().optional(),
      telegram: z.string().optional(),
      whatsapp: z.string().optional(),
    })
    .optional(),
});
export type BoardCard = z.infer<typeof boardCardSchema>;

export const boardChangeSchema = z.strictObject({
  name: z.string().min(1).max(255).optional(),
  pipeline_id: z.number().int().optional(),
  status_id: z.number().int().optional(),
});
export type BoardChange = z.infer<typeof boardChangeSchema>;

export const clientInputSchema = z.strictObject({
  secret: z.string(),
  name: z.string(),
  redirectUri: z.string(),
  disconnectUri: z.string(),
});
export type ClientInput = z.infer<typeof clientInputSchema>;

export const boardSchema = z.object({
  pipelines: z.array(
    z.object({
      id: z.number().int(),
      name: z.string(),
      statuses: z.array(
        z.object({
          id: z.number().int(),
          name: z.string(),
          color: z.string(),
          type: z.union([z.literal(0), z.literal(1)]),
        }),
      ),
    }),
  ),
  cards: z.array(
    z.object({
      id: z.number().int(),
      name: z.string(),
      price: z.number(),
      pipeline_id: z.number().int(),
      status_id: z.number().int(),
      updated_at: z.number().int(),
      updated_by: z.number().int(),
      contact: z.string().nullable(),
      phone: z.string(),
      fields: z.array(z.object({ name: z.string(), value: z.string() })),
    }),
  ),
  clients: z.array(z.object({ client_id: z.string(), name: z.string(), connected: z.boolean() })),
  hooks: z.array(z.object({ destination: z.string(), settings: z.array(z.string()), disabled: z.boolean() })),
  fields: z.array(z.string()),
});
export type Board = z.infer<typeof boardSchema>;
