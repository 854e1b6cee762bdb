/** The demo company's content, read from `demo/*.json`: its channels, products, prompts and leads. All of it is invented. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { contactTypes, stages } from '../leads/contract.ts';
import { scheduleConfig } from '../outreach/contract.ts';

/** One line, or several. */
const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join('\n'))]);

/**
 * A part of a talk without longer pauses. Each line is one message, `who: text`, with its outcome or the kind of medium
 * in brackets after `who`:
 *
 *     bot: Hello!
 *     lead [image]: our niche
 *     bot [cancelled: The lead wrote again]: …
 *     operator [tomorrow 10:00]: …
 *
 * `daysAgo`: age in working days of the product, on the lead's clock; at least 1, so that it is always past; `at` is
 * the HH:MM of the first message there. `minutesAgo`: when the last message was written. `followUp`: it was sent when
 * this step of the product was due.
 */
const lines = z.array(z.string());
const sitting = z.union([
  z.strictObject({ daysAgo: z.int().min(1), at: z.string(), lines }),
  z.strictObject({ minutesAgo: z.number(), lines }),
  z.strictObject({ followUp: z.int(), lines }),
]);
export type Sitting = z.output<typeof sitting>;

const inboxActions = z.strictObject({
  /** Whom the dialogue was assigned to, and by whom. */
  assigned: z.strictObject({ to: z.string(), by: z.string() }).optional(),
  /** Who snoozed it: until the lead writes, or for some days if that is earlier. */
  snoozed: z.strictObject({ by: z.string(), days: z.int().optional() }).optional(),
  /** Who marked it as done. */
  done: z.string().optional(),
  /** Who set after how many hours the bot gets it back. */
  returns: z.strictObject({ by: z.string(), hours: z.int() }).optional(),
  /** Notes for colleagues, each written some minutes after the last message. */
  notes: z.array(z.strictObject({ by: z.string(), minutesLater: z.number(), text: z.string() })).default([]),
});

const lead = z.strictObject({
  name: z.string(),
  messenger: z.enum(contactTypes),
  contact: z.string(),
  /** Current stage; `moved` and the talk explain how the lead got there. */
  stage: z.enum(stages),
  timezone: z.string().nullable(),
  /** Days since the lead was created. */
  age: z.number(),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).default({}),
  /** Whether the lead wrote first, so that it was created as `ongoing`. */
  wroteFirst: z.boolean().default(false),
  /** What moved the lead into its last stage. `after`: index of the sitting after which it moved, by default the last. */
  moved: z
    .strictObject({
      by: z.string(),
      reason: z.string().optional(),
      after: z.int().optional(),
      hoursLater: z.number().optional(),
    })
    .optional(),
  /** Who deactivated the lead: an operator's login, or `lead` after an opt-out. */
  switchedOff: z.string().optional(),
  /** Result of classifying the lead's last message if it did not move the lead. */
  judged: z.string().optional(),
  /** Whether an operator has skipped its follow-ups. */
  skipped: z.boolean().default(false),
  /** Login of the operator who writes in this talk. */
  operator: z.string().default('demo'),
  documents: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.string(),
        text: text.optional(),
        url: z.string().optional(),
        daysAgo: z.int(),
      }),
    )
    .default([]),
  /** Why a human owns the dialogue: a code, or an operator's login. */
  human: z.string().optional(),
  /** Why the bot could not answer the last message. */
  noAnswer: z.string().optional(),
  /** What operators did with the dialogue in the inbox, each named by login. */
  inbox: inboxActions.default({ notes: [] }),
  talk: z.array(sitting).default([]),
});
export type DemoLead = z.output<typeof lead>;

const namedText = z.strictObject({ name: z.string(), text });

const outreach = z.strictObject({
  expiresHours: z.int(),
  messaging: z.record(z.string(), z.union([z.number(), z.string()])),
  first: namedText,
  /** The first message before, which an experiment has found to be worse. */
  former: namedText.optional(),
  /** Another prepared message, for sending manually. */
  spare: namedText.optional(),
  /** Each is a prepared message (`name`), or written by a prompt. */
  followUps: z.array(
    z.strictObject({ afterMinutes: z.int(), name: z.string().optional(), prompt: z.string().optional(), text }),
  ),
});
export type Outreach = z.output<typeof outreach>;

/**
 * Prompts are short sentences of one fact each: the sandbox's model answers with whole sentences of them.
 */
const product = z
  .strictObject({
    name: z.string(),
    /**
     * Whether this product receives messages of unknown senders and answers at any hour and without delay. The others
     * keep hours and type as fast as people.
     */
    isMain: z.boolean().default(false),
    promptName: z.string(),
    /** History of the prompt, oldest first. */
    versions: z.array(z.strictObject({ author: z.string(), daysAgo: z.int(), text })),
    days: scheduleConfig.shape.days,
    outreach: outreach.optional(),
    /** Prompts that the model looks up when a lead asks for more than the main prompt contains. */
    lookupPrompts: z
      .strictObject({
        name: z.string(),
        description: z.string(),
        prompts: z.array(namedText.extend({ about: z.string() })),
      })
      .optional(),
    /** A document that a model writes. */
    offerPrompt: namedText.extend({ documentType: z.string() }).optional(),
    leads: z.array(lead),
    /** Vendor of its channels. */
    vendor: z.enum(channelVendors).default('wazzup24'),
    /** Prompts that classify its conversations, and the minutes to wait before. */
    classification: z
      .strictObject({
        minutes: z.int(),
        prompts: z.array(
          namedText.extend({ type: z.enum(['classification', 'qualification', 'refusal_qualification']) }),
        ),
      })
      .optional(),
  })
  .transform((one) => ({ ...one, prompt: one.versions.at(-1)?.text ?? '' }));
export type DemoProduct = z.output<typeof product>;

const company = z.strictObject({
  name: z.string(),
  timezone: z.string(),
  /** Operators who write prompts and take dialogues over beside the demo operator. */
  colleagues: z.array(z.string()),
  chatpushCustomer: z.int(),
  channels: z.array(
    z.strictObject({
      vendor: z.enum(channelVendors),
      ref: z.string(),
      name: z.string(),
      number: z.string(),
      type: z.enum(contactTypes),
    }),
  ),
});

function read<T>(name: string, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'demo', `${name}.json`), 'utf8')));
}

export const COMPANY = read('company', company);
export const PRODUCTS: readonly DemoProduct[] = ['kitchens', 'wardrobes', 'offices'].map((name) => read(name, product));
