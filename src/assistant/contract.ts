/** The assistant's socket: frames that the console's panel sends and receives. */
import { z } from 'zod';
import { endpoint, errorReply, freeMap, reference } from '../platform/contract.ts';

export const masterChat = endpoint({
  operation: 'openAssistantSocket',
  method: 'GET',
  path: '/v1/llm/ws/master_chat',
  access: 'session',
  summary: "The assistant: it reads the page's description and proposes the page's actions",
  query: z.strictObject({
    /** Conversation to resume. Reconnecting with the same id returns the proposals that still wait for an answer. */
    chat_id: z
      .string()
      .regex(/^[\w-]{1,100}$/)
      .optional(),
    /** Product whose model and keys are used. */
    product_id: reference('product'),
  }),
  socket: true,
  replies: { 101: z.null(), 404: errorReply, 426: errorReply },
});

/** Time to answer a proposal, in milliseconds. */
export const PROPOSAL_MS = 10 * 60_000;

/** Size limits, in characters. */
const MAX_DATA = 100_000;
const MAX_RESULT = 60_000;
const MAX_TOOLS = 100;

const data = z
  .json()
  .refine((value) => JSON.stringify(value).length <= MAX_DATA, `At most ${MAX_DATA} characters`)
  .default('');

const pageTool = z.strictObject({
  name: z.string().regex(/^[A-Za-z][\w-]{0,63}$/),
  description: z.string().max(4000),
  /** JSON Schema of an object. */
  parameters: freeMap(z.json()).default({ type: 'object', properties: {} }),
  /** Whether the operator must confirm the call. Defaults to true. */
  confirm: z.boolean().default(true),
});
export type ToolDefinition = z.output<typeof pageTool>;

/** What a page publishes about itself. */
const page = {
  page_description: z.string().max(10_000).default(''),
  page_data: data,
  page_tools: z
    .array(pageTool)
    .max(MAX_TOOLS)
    .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'Two tools have the same name')
    .default([]),
  /** Instructions for the assistant on this page. */
  page_system_prompt: z.string().max(20_000).default(''),
};
const wholePage = z.strictObject(page);
export type PageSnapshot = z.output<typeof wholePage>;

/** Ours are UUIDs; the specification names no form. */
const callId = z.string().min(1).max(200);

/** A frame sent by the panel. */
export const frame = z.union([
  z.strictObject({ content: z.string().trim().min(1).max(20_000), ...page }),
  z.strictObject({
    tool_call: z.strictObject({
      call_id: callId,
      call_result: z
        .json()
        .refine((value) => JSON.stringify(value).length <= MAX_RESULT, `At most ${MAX_RESULT} characters`),
    }),
    /** The page as it is now, if it has changed. */
    page: wholePage.optional(),
  }),
  /** The operator has confirmed this call, and this tab is about to execute it exclusively. */
  z.strictObject({ confirm: callId }),
  z.strictObject({ stop: z.literal(true) }),
  /** Clears the conversation and cancels its proposals. */
  z.strictObject({ clear: z.literal(true) }),
]);
export type Frame = z.output<typeof frame>;

const toolCall = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  call_id: callId,
  /** Calls are answered in this order. */
  index: z.int(),
  /**
   * Whether the operator must confirm the call, as declared by the page on which it was proposed. Another page that
   * declares less does not change this. A server that knows only the specification's fields leaves it out: its calls
   * are confirmed by the operator, and the server is not asked first.
   */
  confirm: z.boolean().optional(),
  /** Set on a proposal shown again: it was confirmed before, and its outcome is unknown. */
  confirmed: z.boolean().optional(),
});
export type ToolCall = z.output<typeof toolCall>;

export const chunk = z.object({
  content: z.object({
    message: z
      .string()
      .nullish()
      .transform((text) => text ?? ''),
    /** `delta`: a piece of the answer; `full`: the whole answer or error. */
    message_type: z.enum(['delta', 'full']),
    tool_calls: z
      .array(toolCall)
      .nullish()
      .transform((calls) => calls ?? []),
  }),
  /** Nothing more is sent until the operator writes. */
  is_finished: z.boolean(),
  is_error: z.boolean(),
  /** Reply to `confirm`: this call may be executed now. */
  confirmed: callId.optional(),
});
export type Chunk = z.output<typeof chunk>;

/** Sent instead of a result: the operator denied the call. */
export const rejection = z.object({ status: z.literal('rejected'), reason: z.string() });
