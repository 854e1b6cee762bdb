/** Links between dialogues: an address that another chat has now, and dialogues that are with one person. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';

export const linkKinds = ['address_moved', 'same_person', 'mixed_chats'] as const;
export const linkStates = ['open', 'accepted', 'rejected'] as const;

const dialogueLink = z.object({
  id: z.int(),
  kind: z.enum(linkKinds),
  state: z.enum(linkStates),
  /** How it was noticed: a message, an echo, the answer to a send, a status, or the upgrade. */
  evidence: z.enum(['message', 'echo', 'send', 'status', 'upgrade']),
  /** The address or chat id that both have had. */
  detail: z.string(),
  dialogue_id: z.int(),
  lead_id: z.int(),
  lead_name: z.string(),
  product_id: z.int(),
  /** The other dialogue; null in another company's, or where there is none. */
  other_dialogue_id: z.int().nullable(),
  other_lead_id: z.int().nullable(),
  other_lead_name: z.string().nullable(),
  /** For an address that has moved: whether this dialogue has it now. */
  has_address: z.boolean(),
  decided_by: z.string().nullable(),
  decided_at: instant.nullable(),
  created_at: instant,
});
export type DialogueLink = z.output<typeof dialogueLink>;
nameShape('DialogueLink', dialogueLink);

export const listLinksOfLead = endpoint({
  operation: 'listLinksOfLead',
  method: 'GET',
  path: '/v1/leads/{id}/links',
  access: 'session',
  summary: 'Other chats that have an address of the lead, or may be with the same person; the newest first',
  params: z.strictObject({ id: reference('lead') }),
  replies: { 200: z.array(dialogueLink), 404: errorReply },
});

export const listOpenLinks = endpoint({
  operation: 'listOpenLinks',
  method: 'GET',
  path: '/v1/dialogue-links/open',
  access: 'admin',
  summary: 'Dialogues of all companies that may be with one person, or hold messages of several chats; at most 200',
  replies: { 200: z.array(dialogueLink) },
});

export const decideLink = endpoint({
  operation: 'decideDialogueLink',
  method: 'POST',
  path: '/v1/dialogue-links/{id}/decide',
  access: 'session',
  summary: 'Treat two dialogues as one person, or not, or undo that decision',
  params: z.strictObject({ id: reference('dialogue_link') }),
  body: z.strictObject({ state: z.enum(linkStates) }),
  replies: { 200: dialogueLink, 404: errorReply, 409: errorReply },
});
