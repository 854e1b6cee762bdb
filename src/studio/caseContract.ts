/**
 * Contract of test cases: a dialogue up to one answer, the facts as they were then, and what an answer to it has to meet.
 * A case never refers to live rows for its content: what is edited or deleted later does not change it. It is deleted
 * with its lead, since it holds the lead's words.
 */
import { z } from 'zod';
import { stages } from '../leads/contract.ts';
import { botHandOverReasons } from '../leads/lead.ts';
import { freeMap, instant, instantInput, name, nameShape, reference } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { promptTypes } from '../prompts/contract.ts';

/** Languages that a requirement can name, ISO 639-1. */
export const caseLanguages = ['en', 'ru', 'es', 'de', 'fr', 'uk', 'kk', 'tr'] as const;

const line = z.string().trim().min(1).max(2000);

/** What an answer has to meet, decided without a model. */
export const requirement = z.discriminatedUnion('kind', [
  /** Letter case and white space do not count. */
  z.strictObject({ kind: z.literal('contains'), text: line }),
  z.strictObject({ kind: z.literal('not_contains'), text: line }),
  /** RE2 syntax, letter case does not count: a pattern cannot be made slow. */
  z.strictObject({ kind: z.literal('matches'), pattern: z.string().min(1).max(500) }),
  z.strictObject({ kind: z.literal('not_matches'), pattern: z.string().min(1).max(500) }),
  z.strictObject({ kind: z.literal('language'), language: z.enum(caseLanguages) }),
  /** Characters. */
  z.strictObject({ kind: z.literal('max_length'), characters: z.int().min(1).max(10_000) }),
  /** Prices and links are only those of the prompt, the texts it can look up, or the dialogue so far. */
  z.strictObject({ kind: z.literal('known_facts') }),
  /** At most so many questions. */
  z.strictObject({ kind: z.literal('max_questions'), count: z.int().min(0).max(20).default(1) }),
  z.strictObject({ kind: z.literal('hands_over'), reason: z.enum(botHandOverReasons).nullable().default(null) }),
  z.strictObject({ kind: z.literal('no_hand_over') }),
  /** The model calls no tool, neither for a text nor for a human. */
  z.strictObject({ kind: z.literal('no_tool') }),
  /** Prices, links, language and hand-over of this answer stay: what *Keep this* makes. */
  z.strictObject({ kind: z.literal('keeps'), text: z.string().trim().min(1).max(10_000) }),
  /** Nothing that says nearly the same words: what *Never this* makes. */
  z.strictObject({ kind: z.literal('never'), text: z.string().trim().min(1).max(10_000) }),
  /** The stage that a classification prompt names. */
  z.strictObject({ kind: z.literal('stage'), stage: z.enum(stages) }),
]);
export type Requirement = z.output<typeof requirement>;
export type RequirementKind = Requirement['kind'];
nameShape('StudioRequirement', requirement);

/** A violated ban is red at once; anything else is compared with what is live. */
export const bans: ReadonlySet<RequirementKind> = new Set([
  'not_contains',
  'not_matches',
  'known_facts',
  'no_tool',
  'never',
]);

const caseMessage = z.strictObject({
  side: z.enum(['user', 'bot']),
  text: z.string().max(10_000),
  kind: z.string().max(20).default('text'),
});

const fieldValue = z.union([z.string().max(50_000), z.number(), z.array(z.string().max(10_000)).max(500)]);

/** The lead's facts, variables, texts and clock as they were. */
export const caseFacts = z.strictObject({
  lead: z.strictObject({
    name: z.string().max(300),
    stage: z.enum(stages).default('ongoing'),
    crm_fields: freeMap(fieldValue).default({}),
  }),
  contact: z.strictObject({ contact: z.string().max(300), type: z.enum(['telegram', 'whatsapp']) }),
  documents: freeMap(z.string().max(100_000)).default({}),
  /** The domain clock, ISO. */
  now: instant,
  /** Texts that the model can look up. */
  texts: z
    .array(
      z.strictObject({
        id: z.int().positive(),
        name: z.string().max(200),
        /** Of the text; 0: not known. */
        version: z.int().nonnegative().default(0),
        description: z.string().max(2000),
        text: z.string().max(100_000),
      }),
    )
    .max(200)
    .default([]),
  notes: z
    .array(z.strictObject({ operator: z.string(), text: z.string() }))
    .max(50)
    .default([]),
  may_hand_over: z.boolean().default(true),
  /** What is not known as it was then: its value is the one of the time when the case was made. */
  as_of_creation: z.array(z.enum(['lead', 'contact', 'documents', 'texts', 'notes', 'now'])).default([]),
});
export type CaseFacts = z.output<typeof caseFacts>;
const caseFactsInput = caseFacts.extend({ now: instantInput });
nameShape('StudioCaseFacts', caseFacts);

/** How a case was made from a message. */
export const caseSources = ['keep', 'never', 'should_say', 'manual'] as const;
export type CaseSource = (typeof caseSources)[number];

export const studioCase = z.object({
  id: z.int(),
  product_id: z.int(),
  /** The prompt that it tests; null: whichever prompt of its type is tested. */
  prompt_id: z.int().nullable(),
  prompt_type: z.enum(promptTypes),
  name: z.string(),
  source: z.enum(caseSources),
  /** The bot's message that it was made from; null if it was written by hand or the message is gone. */
  message_id: z.int().nullable(),
  dialogue_id: z.int().nullable(),
  lead_id: z.int().nullable(),
  /** The conversation before the answer, oldest first; the last one is the lead's. */
  history: z.array(caseMessage),
  facts: caseFacts,
  /** The answer that was given, or should have been given (`should_say`); null if it was written by hand. */
  answer: z.string().nullable(),
  requirements: z.array(requirement),
  /** What a judge checks, in words. */
  rubric: z.string().nullable(),
  /** Off: no gate runs it. */
  is_enabled: z.boolean(),
  author: z.string().nullable(),
  created_at: instant,
  version: rowVersion,
});
export type StudioCase = z.output<typeof studioCase>;

/** Optional; null, as a read returns it, is the same. */
const absent = <T extends z.ZodType>(shape: T) =>
  shape
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

const caseWrite = z
  .strictObject({
    product_id: reference('product'),
    prompt_id: reference('prompt').nullable().default(null),
    prompt_type: z.enum(['prompt', 'classification']).default('prompt'),
    name: name.optional().describe('Default: made from the last words of the lead'),
    /** With it, dialogue, facts and prompt are those of the message; the fields below add to it or replace them. */
    from_message_id: absent(reference('message')),
    source: z.enum(caseSources).default('manual'),
    /** The lead whose facts it holds, for a case from the playground: it is deleted with this lead. */
    lead_id: absent(reference('lead')),
    /** Without a message: the answer that is kept, or never given again. */
    answer: absent(z.string().trim().min(1).max(10_000)),
    /** What should have been said, for `should_say`; a read returns it as `answer`. */
    should_say: absent(z.string().trim().min(1).max(10_000)),
    history: z.array(caseMessage).min(1).max(100).optional(),
    facts: caseFactsInput.optional(),
    requirements: z.array(requirement).max(30).optional(),
    rubric: z.string().trim().min(1).max(4000).nullable().default(null),
    is_enabled: z.boolean().default(true),
  })
  .refine(({ from_message_id, history }) => from_message_id !== undefined || history !== undefined, {
    message: 'Give the conversation, or a message that it is taken from',
    path: ['history'],
  })
  .refine(({ source, should_say, answer }) => source !== 'should_say' || (should_say ?? answer) !== undefined, {
    message: 'Say what should have been said',
    path: ['should_say'],
  })
  .refine(
    ({ source, from_message_id, answer }) =>
      (source !== 'keep' && source !== 'never') || (from_message_id ?? answer) !== undefined,
    {
      message: 'Give the answer, or the message that it is',
      path: ['answer'],
    },
  );
export type CaseWrite = z.output<typeof caseWrite>;

/** Dialogue and facts of a case from a message do not change; its requirements do. */
const caseReplace = z.strictObject({
  product_id: reference('product'),
  prompt_id: reference('prompt').nullable(),
  prompt_type: z.enum(['prompt', 'classification']),
  name,
  history: z.array(caseMessage).min(1).max(100),
  facts: caseFactsInput,
  requirements: z.array(requirement).max(30),
  rubric: z.string().trim().min(1).max(4000).nullable(),
  is_enabled: z.boolean(),
});

export const studioCases = crud({
  resource: 'studio_case',
  plural: 'test cases',
  path: '/v1/studio/cases/',
  item: studioCase,
  create: caseWrite,
  update: caseReplace,
  filters: {},
  orderBy: ['id', 'name', 'created_at'],
  search: ['name', 'answer', 'rubric'],
});

export const caseRefusals = {
  'studio.no_turn': {
    status: 409,
    sentence: 'This message answers nothing that the lead has written, so it cannot be tried again.',
  },
  'studio.bad_pattern': { status: 409, sentence: 'The pattern {pattern} cannot be used: {problem}.' },
  'studio.other_type': { status: 409, sentence: 'The prompt {name} is of another type than the case.' },
  'studio.case_product_fixed': { status: 409, sentence: 'A case cannot move to another product.' },
} satisfies RefusalKinds;
