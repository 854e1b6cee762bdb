/** Contract of the playground's socket: client frames, and the streamed response. */
import { z } from 'zod';
import { endpoint, errorReply, reference, text } from '../platform/contract.ts';

export const openPlaygroundSocket = endpoint({
  operation: 'openPlaygroundSocket',
  method: 'GET',
  path: '/v1/llm/ws/chat/simple',
  access: 'session',
  summary: 'A conversation with a model, kept for as long as the socket is open',
  query: z.strictObject({
    chat_id: z.string().min(1).max(100).optional(),
    /** The product whose API keys are used; defaults to the prompt's product. */
    product_id: reference('product').optional(),
  }),
  socket: true,
  replies: { 101: z.null(), 404: errorReply, 426: errorReply },
});

const id = z.int().positive().max(Number.MAX_SAFE_INTEGER).nullable().default(null);

/** Most messages that a conversation keeps; older ones are dropped. */
export const MAX_HISTORY_MESSAGES = 100;

/** A frame from the client. */
export const clientFrame = z.union([
  z.strictObject({ stop: z.literal(true) }),
  z.strictObject({
    content: text.max(20_000),
    /** The vendor is the one whose list contains the model; null: the product's model. */
    model_name: z.string().trim().min(1).max(200).nullable().default(null),
    prompt_id: id,
    /** The unsaved text of the editor, used in place of the prompt's. */
    system: z.string().max(100_000).nullable().default(null),
    /** A prepared message that opens the conversation. */
    prepared_message_id: id,
    temperature: z.number().min(0).max(2).nullable().default(null),
    /** The lead whose facts fill in the prompt; null: the sample lead. */
    lead_id: id,
    /** The conversation so far, in place of the socket's own history. */
    history: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().max(100_000) }))
      .max(MAX_HISTORY_MESSAGES)
      .nullable()
      .default(null),
  }),
]);
export type ClientFrame = z.output<typeof clientFrame>;

export const chunk = z.object({
  content: z.string(),
  is_error: z.boolean(),
  is_finished: z.boolean(),
  /** Only in the last chunk. */
  usage: z
    .object({
      input: z.int().nullable(),
      output: z.int().nullable(),
      cost: z.number().nullable(),
      ms: z.int(),
      vendor: z.string(),
      model: z.string(),
    })
    .optional(),
  run_id: z.int().optional(),
});
export type Chunk = z.output<typeof chunk>;
