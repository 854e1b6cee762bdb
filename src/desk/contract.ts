/** Contract of the inbox: which dialogues need people, who sees to them, and what operators tell each other. */
import { z } from 'zod';
import { dialogue } from '../conversations/contract.ts';
import { createShape } from '../platform/change.ts';
import { endpoint, errorReply, instant, nameShape, reference, sendTime, text } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

/** What the inbox can show: dialogues by where they are in it and who sees to them. */
export const inboxViews = ['needs_me', 'mine', 'unassigned', 'others', 'bot', 'snoozed', 'done'] as const;
export type InboxView = (typeof inboxViews)[number];

const inboxScope = {
  product_id: reference('product').optional(),
  company_id: reference('company').optional(),
};

const inboxRow = dialogue.extend({ product_name: z.string() });
export type InboxRow = z.output<typeof inboxRow>;
nameShape('InboxRow', inboxRow);

export const listInbox = endpoint({
  operation: 'listInbox',
  method: 'GET',
  path: '/v1/inbox/',
  access: 'session',
  summary:
    'Dialogues of a view of the inbox: first what needs people and snoozed ones, longest first, then others, newest first',
  query: z.strictObject({
    view: z.enum(inboxViews).default('needs_me'),
    ...inboxScope,
    search: z.string().trim().max(200).optional(),
    page: z.int().positive().max(10_000).default(1),
    limit: z.int().positive().max(100).default(25),
  }),
  replies: {
    200: z.object({ items: z.array(inboxRow), total: z.int(), page: z.int(), limit: z.int() }),
    404: errorReply,
  },
});

const counts = z.object({
  needs_me: z.int(),
  mine: z.int(),
  unassigned: z.int(),
  others: z.int(),
  bot: z.int(),
  snoozed: z.int(),
  done: z.int(),
});
export type InboxCounts = z.output<typeof counts>;
nameShape('InboxCounts', counts);

export const countInbox = endpoint({
  operation: 'countInbox',
  method: 'GET',
  path: '/v1/inbox/counts',
  access: 'session',
  summary: 'How many dialogues each view of the inbox has',
  query: z.strictObject(inboxScope),
  replies: { 200: counts, 404: errorReply },
});

const colleague = z.object({ id: z.int(), login: z.string() });
export type Colleague = z.output<typeof colleague>;
nameShape('Colleague', colleague);

export const listColleagues = endpoint({
  operation: 'listColleagues',
  method: 'GET',
  path: '/v1/inbox/operators',
  access: 'session',
  summary: 'The operators whom dialogues of a product can be assigned to; of several products, of all of them',
  query: z.strictObject({ product_id: z.array(reference('product')).min(1).max(100) }),
  replies: { 200: z.object({ items: z.array(colleague) }), 404: errorReply },
});

const dialogueParams = z.strictObject({ id: reference('dialogue') });
const dialogueIds = z.array(reference('dialogue')).min(1).max(200);
const changed = z.object({ affected: z.int() });

/** `null`: nobody. */
const assignment = { operator_id: reference('assignee').nullable() };
/** Until a time, until the lead writes, or whichever comes first. Null and false: not any more. */
const snooze = { until: sendTime.nullable().default(null), until_reply: z.boolean().default(true) };

export const assignDialogue = endpoint({
  operation: 'assignDialogue',
  method: 'POST',
  path: '/v1/dialogues/{id}/assign',
  access: 'session',
  summary: 'Assign a dialogue to an operator, or to nobody',
  params: dialogueParams,
  body: z.strictObject(assignment),
  replies: { 200: dialogue, 404: errorReply, 409: errorReply },
});

export const snoozeDialogue = endpoint({
  operation: 'snoozeDialogue',
  method: 'POST',
  path: '/v1/dialogues/{id}/snooze',
  access: 'session',
  summary: 'Hide a dialogue from the inbox until a time or until the lead writes, or show it again',
  params: dialogueParams,
  body: z.strictObject(snooze),
  replies: { 200: dialogue, 404: errorReply, 409: errorReply },
});

export const markDone = endpoint({
  operation: 'markDialogueDone',
  method: 'POST',
  path: '/v1/dialogues/{id}/done',
  access: 'session',
  summary: 'Mark a dialogue as done, until the lead writes again',
  params: dialogueParams,
  replies: { 200: dialogue, 404: errorReply },
});

export const assignMany = endpoint({
  operation: 'assignDialogues',
  method: 'POST',
  path: '/v1/inbox/assign',
  access: 'session',
  summary: 'Assign dialogues to an operator, or to nobody',
  body: z.strictObject({ ids: dialogueIds, ...assignment }),
  replies: { 200: changed, 404: errorReply, 409: errorReply },
});

export const snoozeMany = endpoint({
  operation: 'snoozeDialogues',
  method: 'POST',
  path: '/v1/inbox/snooze',
  access: 'session',
  summary: 'Hide dialogues from the inbox until a time or until the lead writes, or show them again',
  body: z.strictObject({ ids: dialogueIds, ...snooze }),
  replies: { 200: changed, 404: errorReply, 409: errorReply },
});

export const markManyDone = endpoint({
  operation: 'markDialoguesDone',
  method: 'POST',
  path: '/v1/inbox/done',
  access: 'session',
  summary: 'Mark dialogues as done, until the lead writes again',
  body: z.strictObject({ ids: dialogueIds }),
  replies: { 200: changed, 404: errorReply },
});

export const reopenMany = endpoint({
  operation: 'reopenDialogues',
  method: 'POST',
  path: '/v1/inbox/reopen',
  access: 'session',
  summary: 'Undo that dialogues were marked as done: they need again what they needed',
  body: z.strictObject({ ids: dialogueIds }),
  replies: { 200: changed, 404: errorReply },
});

export const setReturn = endpoint({
  operation: 'setDialogueReturn',
  method: 'POST',
  path: '/v1/dialogues/{id}/return',
  access: 'session',
  summary: 'Set after how many hours without a message from a person the bot gets this dialogue back',
  params: dialogueParams,
  /** 0: never; null: as the product says. */
  body: z.strictObject({ hours: z.int().min(0).max(8760).nullable() }),
  replies: { 200: dialogue, 404: errorReply },
});

const note = z.object({
  id: z.int(),
  dialogue_id: z.int(),
  operator: z.string(),
  text: z.string(),
  created_at: instant,
});
export type Note = z.output<typeof note>;
nameShape('DialogueNote', note);

export const listNotes = endpoint({
  operation: 'listDialogueNotes',
  method: 'GET',
  path: '/v1/dialogues/{id}/notes',
  access: 'session',
  summary: 'What operators have noted about a dialogue, oldest first',
  params: dialogueParams,
  replies: { 200: z.object({ items: z.array(note) }), 404: errorReply },
});

export const addNote = endpoint({
  operation: 'addDialogueNote',
  method: 'POST',
  path: '/v1/dialogues/{id}/notes',
  access: 'session',
  summary:
    'Note something about a dialogue for colleagues; it is never sent, and no model reads it unless the product says so',
  params: dialogueParams,
  body: createShape(z.strictObject({ text: text.max(5000) }), note),
  replies: { 201: note, 404: errorReply, 409: errorReply },
});

export const suggestReply = endpoint({
  operation: 'suggestReply',
  method: 'POST',
  path: '/v1/dialogues/{id}/suggest-reply',
  access: 'session',
  summary: "Have the product's bot draft a reply; nothing is sent",
  slowReason: 'Calls a model.',
  params: dialogueParams,
  replies: {
    200: z.object({ text: z.string(), run_id: z.int().nullable() }),
    404: errorReply,
    409: errorReply,
    503: errorReply,
  },
});

export const presenceStates = ['viewing', 'typing', 'left'] as const;

export const reportPresence = endpoint({
  operation: 'reportPresence',
  method: 'POST',
  path: '/v1/dialogues/{id}/presence',
  access: 'session',
  summary: 'Let colleagues see that the operator views a dialogue or types in it',
  params: dialogueParams,
  body: z.strictObject({ state: z.enum(presenceStates) }),
  replies: { 204: z.null(), 404: errorReply },
});

export const deskRefusals = {
  'desk.no_access': { status: 409, sentence: 'This operator cannot see the product "{product}".' },
  'desk.snooze_in_past': { status: 409, sentence: 'Choose a time in the future.' },
  'desk.nothing_to_answer': { status: 409, sentence: 'There is nothing to answer in this dialogue.' },
  'desk.no_draft': { status: 503, sentence: 'No reply could be drafted: {reason}' },
  'desk.too_many_notes': { status: 409, sentence: 'This dialogue has {most} notes, the most it can have.' },
} satisfies RefusalKinds;
