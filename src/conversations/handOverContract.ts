/** What followed a hand-over: its summary, and its note and task in the CRM. */
import { z } from 'zod';
import { handOverReasons } from '../leads/lead.ts';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';

/** Most lines, and most quotations, of a summary. */
export const MAX_SUMMARY_LINES = 3;
export const MAX_SUMMARY_QUOTES = 3;

/** A model's summary of a dialogue. Every quotation, also one within a line, occurs in a message of the lead. */
export const dialogueSummary = z.object({
  /** What the lead wants; what was agreed or asked; what to do next. */
  lines: z.array(z.string()).max(MAX_SUMMARY_LINES),
  quotes: z.array(z.object({ message_id: z.int(), text: z.string() })).max(MAX_SUMMARY_QUOTES),
});
export type DialogueSummary = z.output<typeof dialogueSummary>;
nameShape('DialogueSummary', dialogueSummary);

/** `off`: the company has no key for the model, or has spent its budget. */
export const summaryStates = ['pending', 'done', 'failed', 'off'] as const;
/** `none`: the lead has no card in an active integration. */
export const crmStates = ['none', 'pending', 'done', 'failed'] as const;

/** The newest hand-over of a dialogue by the bot or by stage detection. */
export const dialogueHandOver = z.object({
  id: z.int(),
  reason: z.enum(handOverReasons),
  detail: z.string().nullable(),
  created_at: instant,
  /** When a person should have answered: the hand-over plus the product's target. */
  due_at: instant,
  summary: dialogueSummary.nullable(),
  summary_state: z.enum(summaryStates),
  /** Why there is no summary yet, or none at all. */
  summary_error: z.string().nullable(),
  crm_state: z.enum(crmStates),
  /**
   * Ids in the CRM; null until they are created. Hand-overs of a lead who waits in several dialogues share a task.
   */
  crm_note_id: z.string().nullable(),
  crm_task_id: z.string().nullable(),
  /** Why note or task are not in the CRM yet, or cannot be created. */
  crm_error: z.string().nullable(),
});
export type DialogueHandOver = z.output<typeof dialogueHandOver>;
nameShape('DialogueHandOver', dialogueHandOver);

const dialogueParams = z.strictObject({ id: reference('dialogue') });

/**
 * Summarizes any dialogue in which the lead has written, at once. A dialogue with a hand-over keeps the summary there
 * (`hand_over_id`), in place of the one before; for other dialogues it is returned and not stored. The CRM's note does
 * not change. If the model gives no usable summary, nothing is stored.
 */
export const summarizeDialogue = endpoint({
  operation: 'summarizeDialogue',
  method: 'POST',
  path: '/v1/dialogues/{id}/summary',
  access: 'session',
  summary: 'Summarize a dialogue now, with quotations that were checked; kept with its newest hand-over, if it has one',
  load: 'outside',
  slowReason: 'Waits for the model.',
  params: dialogueParams,
  replies: {
    200: z.object({ summary: dialogueSummary, hand_over_id: z.int().nullable() }),
    404: errorReply,
    409: errorReply,
    503: errorReply,
  },
});

export const retryHandOver = endpoint({
  operation: 'retryHandOver',
  method: 'POST',
  path: '/v1/dialogues/{id}/hand-over/retry',
  access: 'session',
  summary: "Try a failed note and task of the dialogue's newest hand-over again, and a failed summary",
  params: dialogueParams,
  replies: { 200: dialogueHandOver, 404: errorReply, 409: errorReply },
});
