/** The contract of prompts, prompt groups, prepared messages and document prompts. */
import { z } from 'zod';
import {
  endpoint,
  errorReply,
  freeMap,
  instant,
  listReply,
  name,
  nameShape,
  reference,
  smallCount,
  text,
} from '../platform/contract.ts';
import { crud, listQuery } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

export const promptTypes = [
  'prompt',
  'classification',
  'qualification',
  'document',
  'ping',
  'subprompt',
  'refusal_qualification',
] as const;
export type PromptType = (typeof promptTypes)[number];

export const prompt = z.object({
  id: z.int(),
  text: z.string(),
  name: z.string(),
  product_id: z.int(),
  created_at: instant,
  /** Login of the operator who saved the current text; null if it was not saved by a signed-in operator. */
  author: z.string().nullable(),
  type: z.enum(promptTypes),
  group_id: z.int().nullable(),
  /** Description from which the model decides whether to look up this text. */
  rag_description: z.string().nullable(),
  /** Version of the text, incremented when the text changes. */
  version: z.int(),
  /** Version of the row, incremented by each change, including name, type and group. Returned as `ETag`. */
  revision: rowVersion,
  /** When the current text was saved. */
  saved_at: instant,
});
export type Prompt = z.output<typeof prompt>;

const description = z.string().trim().max(2000).nullable();

const promptCreate = z.strictObject({
  product_id: reference('product'),
  name,
  type: z.enum(promptTypes).default('prompt'),
  text,
  group_id: reference('prompt_group').nullable().default(null),
  rag_description: description.default(null),
});
/** If `version` is given, the request is refused when someone else has saved since that version was read. */
const promptReplace = promptCreate.extend({ version: smallCount.optional() });

export const prompts = crud({
  resource: 'prompt',
  plural: 'prompts',
  path: '/v1/prompts/',
  item: prompt,
  create: promptCreate,
  update: promptReplace,
  filters: { group_id: reference('prompt_group') },
  orderBy: ['id', 'name', 'type', 'created_at', 'saved_at'],
  search: ['name', 'text', 'rag_description'],
});

export const promptOfProduct = endpoint({
  operation: 'getPromptForProduct',
  method: 'GET',
  path: '/v1/prompts/for-product/{product_id}',
  access: 'session',
  summary: "The product's prompt of a type: the newest without a group",
  params: z.strictObject({ product_id: reference('product') }),
  query: z.strictObject({ type: z.enum(promptTypes).default('prompt') }),
  versioned: true,
  replies: { 200: prompt, 404: errorReply },
});

/**
 * What uses a prompt: the product itself, a setting that refers to it, a text that includes it, or the model by its
 * description.
 */
export const useKinds = ['product', 'classification', 'ping_step', 'document_prompt', 'included', 'lookup'] as const;
export type UseKind = (typeof useKinds)[number];

const promptUse = z.object({
  prompt_id: z.int(),
  name: z.string(),
  type: z.enum(promptTypes),
  created_at: instant,
  use: z.enum(useKinds),
  /** False: the feature that uses it is switched off. */
  is_on: z.boolean(),
  /**
   * The slot that only one prompt of the product fills, as named by `placeOf`; null: others are used side by side with
   * it.
   */
  place: z.string().nullable(),
  /** The prompt that would fill the slot without this one; null if there is none. */
  next: z.object({ id: z.int(), name: z.string() }).nullable(),
});
export type PromptUse = z.output<typeof promptUse>;
nameShape('PromptUse', promptUse);

export const promptsInUse = endpoint({
  operation: 'listPromptsInUse',
  method: 'GET',
  path: '/v1/prompts/in-use/{product_id}',
  access: 'session',
  summary: 'Which prompts a product uses, and for what',
  params: z.strictObject({ product_id: reference('product') }),
  replies: { 200: z.object({ items: z.array(promptUse) }), 404: errorReply },
});

export const promptVersion = z.object({
  version: z.int(),
  text: z.string(),
  author: z.string().nullable(),
  created_at: instant,
});
export type PromptVersion = z.output<typeof promptVersion>;
nameShape('PromptVersion', promptVersion);

export const versionsOfPrompt = endpoint({
  operation: 'listPromptVersions',
  method: 'GET',
  path: '/v1/prompt-versions/',
  access: 'session',
  summary: 'Every saved version of a prompt, newest first',
  query: listQuery({}, ['version', 'created_at']).extend({ prompt_id: reference('prompt') }),
  replies: { 200: listReply(promptVersion), 404: errorReply },
});

export const promptGroup = z.object({
  id: z.int(),
  product_id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  created_at: instant,
  version: rowVersion,
});
export type PromptGroup = z.output<typeof promptGroup>;

const groupWrite = z.strictObject({
  product_id: reference('product'),
  name,
  description: description.default(null),
});

export const promptGroups = crud({
  resource: 'prompt_group',
  plural: 'prompt groups',
  path: '/v1/prompt_groups/',
  item: promptGroup,
  create: groupWrite,
  update: groupWrite,
  filters: {},
  orderBy: ['id', 'name', 'created_at'],
  search: ['name', 'description'],
});

export const preparedTypes = ['initial', 'ping'] as const;

export const preparedMessage = z.object({
  id: z.int(),
  product_id: z.int(),
  name: z.string(),
  type: z.enum(preparedTypes),
  message: z.string(),
  is_follow_up: z.boolean(),
  created_at: instant,
  version: rowVersion,
});
export type PreparedMessage = z.output<typeof preparedMessage>;

const preparedWrite = z.strictObject({
  product_id: reference('product'),
  name,
  type: z.enum(preparedTypes).default('initial'),
  message: text.max(10_000),
  is_follow_up: z.boolean().default(false),
});

export const preparedMessages = crud({
  resource: 'prepared_message',
  plural: 'prepared messages',
  path: '/v1/prepared-messages/',
  item: preparedMessage,
  create: preparedWrite,
  update: preparedWrite,
  filters: {},
  orderBy: ['id', 'name', 'type', 'created_at'],
  search: ['name', 'message'],
});

export const documentPromptTypes = ['initial'] as const;

export const documentPrompt = z.object({
  id: z.int(),
  product_id: z.int(),
  prompt_id: z.int(),
  document_type: z.string(),
  name: z.string(),
  type: z.enum(documentPromptTypes),
  config: z.record(z.string(), z.unknown()),
  created_at: instant,
  version: rowVersion,
});

export type DocumentPrompt = z.output<typeof documentPrompt>;

const documentPromptWrite = z.strictObject({
  product_id: reference('product'),
  prompt_id: reference('prompt'),
  document_type: z.string().trim().min(1).max(100),
  name,
  type: z.enum(documentPromptTypes).default('initial'),
  config: freeMap(z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])).default({}),
});

export const documentPrompts = crud({
  resource: 'document_prompt',
  plural: 'document prompts',
  path: '/v1/document-prompts/',
  item: documentPrompt,
  create: documentPromptWrite,
  update: documentPromptWrite,
  filters: {},
  orderBy: ['id', 'name', 'document_type', 'created_at'],
  search: ['name', 'document_type'],
});

export const promptRefusals = {
  'prompt.changed': { status: 409, sentence: 'Changed by {author} at {at}' },
  'prompt.product_fixed': { status: 409, sentence: 'A {noun} cannot move to another product.' },
  'prompt.used': { status: 409, sentence: 'This {noun} is still used by {uses}. Change that first.' },
  'group.has_prompts': { status: 409, sentence: 'This group still has {count} prompt(s). Move or delete them first.' },
} satisfies RefusalKinds;
