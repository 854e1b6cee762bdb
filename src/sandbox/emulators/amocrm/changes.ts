/** Changes of the emulated amoCRM; an entry of the journal contains one of them. */
import { z } from 'zod';

const valueSchema = z.object({
  value: z.union([z.string(), z.number(), z.boolean()]),
  enum_id: z.number().int().optional(),
  enum_code: z.string().optional(),
});
const fieldValueSchema = z.object({ field_id: z.number().int(), values: z.array(valueSchema) });
export type FieldValue = z.infer<typeof fieldValueSchema>;

const cardSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  price: z.number(),
  status_id: z.number().int(),
  pipeline_id: z.number().int(),
  created_by: z.number().int(),
  updated_by: z.number().int(),
  /** Unix seconds. */
  created_at: z.number().int(),
  updated_at: z.number().int(),
  closed_at: z.number().int().nullable(),
  fields: z.array(fieldValueSchema),
  /** The first one is the main contact. */
  contacts: z.array(z.number().int()),
});
export type Card = z.infer<typeof cardSchema>;

const contactSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  created_at: z.number().int(),
  updated_at: z.number().int(),
  fields: z.array(fieldValueSchema),
});
export type Contact = z.infer<typeof contactSchema>;

const noteSchema = z.object({
  id: z.number().int(),
  /** Its card. */
  card: z.number().int(),
  text: z.string(),
  created_at: z.number().int(),
});
export type Note = z.infer<typeof noteSchema>;

const taskSchema = noteSchema.extend({
  responsible_user_id: z.number().int(),
  task_type_id: z.number().int(),
  /** Unix seconds. */
  complete_till: z.number().int(),
});
export type Task = z.infer<typeof taskSchema>;

const clientSchema = z.object({
  clientId: z.string(),
  secret: z.string(),
  name: z.string(),
  redirectUri: z.string(),
  /** Whether it was created by the button in the customer's account. */
  external: z.boolean(),
  /** Address of the signed GET that is sent when the integration is switched off. */
  disconnectUri: z.string(),
});
export type Client = z.infer<typeof clientSchema>;

const change = <W extends string, S extends z.ZodRawShape>(what: W, shape: S) =>
  z.object({ what: z.literal(what), ...shape });

export const changeSchema = z.discriminatedUnion('what', [
  change('client', { client: clientSchema }),
  change('code', { code: z.string(), clientId: z.string(), real: z.number() }),
  /**
   * A pair of tokens was issued: for a code, or for the refresh token that it ends. `real` and `expires`: real
   * milliseconds.
   */
  change('tokens', {
    clientId: z.string(),
    access: z.string(),
    refresh: z.string(),
    expires: z.number(),
    code: z.string().nullable(),
  }),
  change('revoked', { clientId: z.string() }),
  change('card', { card: cardSchema }),
  change('card_gone', { id: z.number().int() }),
  change('contact', { contact: contactSchema }),
  change('note', { note: noteSchema }),
  /** What an entity shows otherwise than it should: an object changes these of its keys, anything else replaces it. */
  change('odd', { path: z.string(), view: z.unknown() }),
  change('task', { task: taskSchema }),
  change('subscribed', {
    id: z.number().int(),
    clientId: z.string(),
    destination: z.string(),
    settings: z.array(z.string()),
    created: z.number().int(),
  }),
  change('unsubscribed', { destination: z.string() }),
  change('disabled', { destination: z.string() }),
  change('owed', { hookId: z.string(), destination: z.string(), body: z.string(), copyOf: z.string().optional() }),
  change('answered', {
    hookId: z.string(),
    attempt: z.number().int(),
    status: z.number().int().nullable(),
    settled: z.enum(['delivered', 'given_up', 'dropped']).optional(),
    real: z.number(),
  }),
  /** A call was answered; recorded for tests. */
  change('called', {
    clientId: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.number().int(),
    real: z.number(),
  }),
]);
export type Change = z.infer<typeof changeSchema>;
export type ChangeOf<W extends Change['what']> = Extract<Change, { what: W }>;
