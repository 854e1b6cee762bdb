/** Contract of personas: simulated leads that a model plays, made from the product's dialogues or written by hand. */
import { z } from 'zod';
import { endpoint, errorReply, instant, name, reference } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { requirement } from './caseContract.ts';

const lines = z.array(z.string().trim().min(1).max(500)).max(20);

const personaFields = {
  name,
  /** How they write: length, tone, spelling. */
  style: z.string().trim().min(1).max(2000),
  language: z.string().trim().min(2).max(10).default('en'),
  /** What they want, and what ends the talk. */
  goal: z.string().trim().min(1).max(2000),
  questions: lines.default([]),
  objections: lines.default([]),
  /** How the talk ends if nothing goes wrong. */
  ending: z.enum(['buys', 'asks_for_human', 'refuses', 'falls_silent', 'opts_out']).default('buys'),
  /** What every answer to them has to meet. */
  requirements: z.array(requirement).max(30).default([]),
};

export const persona = z.object({
  id: z.int(),
  product_id: z.int(),
  name: z.string(),
  style: z.string(),
  language: z.string(),
  goal: z.string(),
  questions: z.array(z.string()),
  objections: z.array(z.string()),
  ending: personaFields.ending.unwrap(),
  requirements: z.array(requirement),
  /** Whether it was made from dialogues; names and numbers of real people are left out. */
  is_derived: z.boolean(),
  /** Of how many dialogues it was made; null: it was written by hand. */
  derived_from: z.int().nullable(),
  /** It was made of so few dialogues that it may show what is rare, and not what is usual. */
  is_small_sample: z.boolean(),
  author: z.string().nullable(),
  created_at: instant,
  version: rowVersion,
});
export type Persona = z.output<typeof persona>;

const personaWrite = z.strictObject({ product_id: reference('product'), ...personaFields });

export const personas = crud({
  resource: 'studio_persona',
  plural: 'simulated leads',
  path: '/v1/studio/personas/',
  item: persona,
  create: personaWrite,
  update: personaWrite,
  filters: {},
  orderBy: ['id', 'name', 'created_at'],
  search: ['name', 'goal'],
});

/** Dialogues below which a persona says that its sample is small. */
export const SMALL_SAMPLE = 30;

export const derivePersonas = endpoint({
  operation: 'derivePersonas',
  method: 'POST',
  path: '/v1/studio/personas/derive',
  access: 'session',
  summary: "Make personas from the product's dialogues",
  body: z.strictObject({ product_id: reference('product'), count: z.int().min(1).max(24).default(12) }),
  load: 'outside',
  slowReason: 'A model reads the dialogues',
  replies: { 201: z.object({ items: z.array(persona) }), 404: errorReply, 409: errorReply, 503: errorReply },
});

export const personaRefusals = {
  'persona.no_dialogues': {
    status: 409,
    sentence: 'There are no dialogues yet in which a lead has written more than once. Write personas by hand instead.',
  },
  'persona.not_made': { status: 503, sentence: 'No personas could be made: {reason}' },
  'persona.product_fixed': { status: 409, sentence: 'A persona stays with its product.' },
} satisfies RefusalKinds;
