/** The contract of prompts, prompt groups, prepared messages and document prompts. */
import { z } from 'zod';
import {
  confirmErrors,
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
import { gates } from '../products/contract.ts';

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
  /** The version that is live: leads get its text. Null: none was ever published, and nothing uses the prompt. */
  live_version: z.int().nullable(),
  live_since: instant.nullable(),
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
  confirm_errors: confirmErrors,
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

/** `text`, `version`, `author` and `saved_at` are those of the live version. */
export const promptOfProduct = endpoint({
  operation: 'getPromptForProduct',
  method: 'GET',
  path: '/v1/prompts/for-product/{product_id}',
  access: 'session',
  summary: "The product's prompt of a type, as leads get it: the newest without a group, with its live text",
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
  query: listQuery({ version: smallCount }, ['version', 'created_at']).extend({ prompt_id: reference('prompt') }),
  replies: { 200: listReply(promptVersion), 404: errorReply },
});

/** `green`: all cases pass. `missing`: not all were tried with this text. `none`: there is no enabled case for the prompt. */
export const checkStates = ['green', 'red', 'missing', 'none'] as const;

/** What is known of a version before it goes live. */
export const promptChecks = z.object({
  state: z.enum(checkStates),
  red: z.array(z.object({ case_id: z.int(), name: z.string(), reasons: z.array(z.string()) })),
  /** The run of the studio that says so; null without one. */
  run_id: z.int().nullable(),
});
export type PromptChecks = z.output<typeof promptChecks>;
nameShape('PromptChecks', promptChecks);

/** `saved`: it went live as it was saved, since the product has no gate. */
export const publicationKinds = ['saved', 'published', 'rolled_back'] as const;
export type PublicationKind = (typeof publicationKinds)[number];

export const promptPublication = z.object({
  version: z.int(),
  kind: z.enum(publicationKinds),
  /** When it went live. */
  created_at: instant,
  author: z.string().nullable(),
  /** The version that was live before; null: none. */
  previous_version: z.int().nullable(),
  /** The version that a rollback of it returns to; null: there is none. */
  rollback_version: z.int().nullable(),
  /** Why it was published although its checks were not green. */
  override_reason: z.string().nullable(),
  /** What the checks said; null if none were asked for. */
  checks: promptChecks.nullable(),
});
export type PromptPublication = z.output<typeof promptPublication>;
nameShape('PromptPublication', promptPublication);

export const publicationsOfPrompt = endpoint({
  operation: 'listPromptPublications',
  method: 'GET',
  path: '/v1/prompt-publications/',
  access: 'session',
  summary: 'Each time that a version of a prompt went live, newest first',
  query: listQuery({ kind: z.enum(publicationKinds) }, ['created_at']).extend({ prompt_id: reference('prompt') }),
  replies: { 200: listReply(promptPublication), 404: errorReply },
});

export const checkPromptVersion = endpoint({
  operation: 'checkPromptVersion',
  method: 'GET',
  path: '/v1/prompt-checks/',
  access: 'session',
  summary: 'What the cases say of a version of a prompt; starts nothing',
  query: z.strictObject({ prompt_id: reference('prompt'), version: smallCount }),
  replies: {
    200: z.object({ gate: z.enum(gates), checks: promptChecks }),
    404: errorReply,
  },
});

const params = z.strictObject({ id: reference('prompt') });

/** `checks`: what they said; null if none were asked for, or the version was live already. */
const publishedPrompt = prompt.extend({ checks: promptChecks.nullable() });
nameShape('PublishedPrompt', publishedPrompt);

export const publishPrompt = endpoint({
  operation: 'publishPrompt',
  method: 'POST',
  path: '/v1/prompts/{id}/publish',
  access: 'session',
  summary: 'Make a version live: answers that begin from now on use it',
  params,
  body: z.strictObject({
    version: smallCount,
    /** Publishes a version whose checks are red or missing; kept with your name. */
    override_reason: z.string().trim().min(1).max(2000).optional(),
    confirm_errors: confirmErrors,
  }),
  versioned: true,
  replies: { 200: publishedPrompt, 404: errorReply, 409: errorReply.extend({ checks: promptChecks.optional() }) },
});

export const rollBackPrompt = endpoint({
  operation: 'rollBackPrompt',
  method: 'POST',
  path: '/v1/prompts/{id}/rollback',
  access: 'session',
  summary: 'Make the version live that was live before; a second rollback goes further back',
  params,
  versioned: true,
  replies: { 200: prompt, 404: errorReply, 409: errorReply },
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
  confirm_errors: confirmErrors,
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
  'prompt.gate': {
    status: 409,
    sentence: 'Version {version} is not published: {why}. Give a reason to publish it anyway.',
  },
  'prompt.no_earlier_version': { status: 409, sentence: 'No other version was live before this one.' },
  'group.has_prompts': { status: 409, sentence: 'This group still has {count} prompt(s). Move or delete them first.' },
} satisfies RefusalKinds;
