/** Endpoints that read a dialogue's classification and request a new one. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';
import { classifiableStages } from './classificationConfigContract.ts';

/** The newest classification of a dialogue, and the state of the current turn's classification. */
export const classification = z.object({
  latest: z
    .object({
      stage: z.enum(classifiableStages),
      reason: z.string(),
      /**
       * Null if no other prompt had to confirm the stage. False if it was not confirmed, so the lead kept its stage.
       */
      confirmed: z.boolean().nullable(),
      confirmation: z.string().nullable(),
      at: instant,
    })
    .nullable(),
  /** The current turn; null if the lead has written nothing since, or the product does not classify. */
  turn: z
    .object({
      /** `waiting`: the interval has not passed. `open`: due, or being retried. */
      state: z.enum(['waiting', 'open', 'done', 'void', 'failed']),
      /** Why it is deferred, void or given up. */
      note: z.string().nullable(),
      due_at: instant,
    })
    .nullable(),
});
export type Classification = z.output<typeof classification>;
nameShape('DialogueClassification', classification);

const dialogueParams = z.strictObject({ id: reference('dialogue') });

export const readDialogueClassification = endpoint({
  operation: 'getDialogueClassification',
  method: 'GET',
  path: '/v1/dialogues/{id}/classification',
  access: 'session',
  summary: 'How the conversation was classified, and when it is classified next',
  params: dialogueParams,
  replies: { 200: classification, 404: errorReply },
});

export const classifyNow = endpoint({
  operation: 'classifyDialogue',
  method: 'POST',
  path: '/v1/dialogues/{id}/classify',
  access: 'session',
  summary: "Classify the lead's last messages now, or again if that failed",
  params: dialogueParams,
  replies: { 200: classification, 404: errorReply, 409: errorReply },
});

export const classifyAll = endpoint({
  operation: 'classifyAllDialogues',
  method: 'POST',
  path: '/v1/dialogues/classify-all',
  access: 'session',
  summary: 'Retry classification in every dialogue of a product where it failed',
  slowReason: 'Covers every dialogue of a product.',
  body: z.strictObject({ product_id: reference('product') }),
  replies: { 200: z.object({ count: z.int() }) },
});
